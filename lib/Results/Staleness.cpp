//===- Staleness.cpp - Whether a schedule is for its target ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Staleness.h"
#include "llm/Cost/CostModel.h"

using namespace mlir;
using namespace mlir::llm;

static LogicalResult checkEngine(Operation *op, const Target &target,
                                 StringRef name, int64_t index) {
  for (const Engine &engine : target.engines)
    if (engine.name == name && index < engine.count)
      return success();
  return op->emitOpError() << "has a slot on engine '" << name << "[" << index
                           << "]', which target '" << target.name
                           << "' does not have: run --llm-schedule again";
}

static LogicalResult checkLanes(Operation *op, const Target &target,
                                DictionaryAttr lanes) {
  for (NamedAttribute entry : lanes) {
    StringRef name = entry.getName();
    const Memory *memory = target.findSharedResource(name);
    if (!memory || getAmount(lanes, name) > memory->lanes)
      return op->emitOpError()
             << "has a slot with " << getAmount(lanes, name) << " lanes of '"
             << name << "', which target '" << target.name
             << "' does not have: run --llm-schedule again";
  }
  return success();
}

static LogicalResult checkRun(Operation *op, const Target &target,
                              SlotRunAttr run) {
  int64_t lastIndex =
      run.getIndex() + (run.getCount() - 1) * run.getIndexStride();
  if (failed(checkEngine(op, target, run.getEngine(), lastIndex)) ||
      failed(checkLanes(op, target, run.getLanes())))
    return failure();
  for (auto [engine, index] : run.getEnginesBeside(run.getCount() - 1))
    if (failed(checkEngine(op, target, engine, index)))
      return failure();
  for (PrefetchAttr fetch : run.getPrefetches())
    if (failed(checkEngine(op, target, fetch.getEngine(), fetch.getIndex())) ||
        failed(checkLanes(op, target, fetch.getLanes())))
      return failure();
  return success();
}

static FailureOr<bool> isStale(WorkloadOpInterface op, const Target &target,
                               StampTexts &texts) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  if (!tile || !cost)
    return false;
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return failure();
  return computeStamp(*context, tile, texts) != cost.getStamp();
}

FailureOr<bool> mlir::llm::warnOfStaleCosts(const Program &program,
                                            const Target &target,
                                            StringRef consequence,
                                            Warnings &warnings) {
  StampTexts texts;
  for (const ProgramOp &entry : program.ops()) {
    FailureOr<bool> stale = isStale(entry.op, target, texts);
    if (failed(stale))
      return failure();
    if (!*stale)
      continue;
    warnings.warn(
        entry.op->getLoc(),
        "the cost of '" + entry.name +
            "' is stale: the op, its tile or the target changed since it was "
            "computed. " +
            consequence);
    return true;
  }
  return false;
}

LogicalResult mlir::llm::checkTarget(const Timeline &timeline,
                                     const Target &target, Warnings &warnings) {
  for (const ProgramOp &entry : timeline.program().ops()) {
    Operation *op = entry.op;
    auto slots = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
    for (SlotRunAttr run : slots.getRuns())
      if (failed(checkRun(op, target, run)))
        return failure();
  }
  return warnOfStaleCosts(
      timeline.program(), target,
      "What is exported is the schedule as it was, and not what holds it back "
      "(slack, idle time, critical path); run --llm-cost (or --llm-tile for "
      "new tiles) and --llm-schedule",
      warnings);
}
