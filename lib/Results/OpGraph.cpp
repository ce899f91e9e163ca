//===- OpGraph.cpp - Ops that take time, and what they wait for -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpGraph.h"
#include "llm/Results/Staleness.h"
#include "llm/Results/WhatBinds.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

StringRef mlir::llm::colorOf(CostBound bound) {
  switch (bound) {
  case CostBound::Compute:
    return "#a1d99b";
  case CostBound::Memory:
    return "#9ecae1";
  case CostBound::Overhead:
    return "#fdd0a2";
  }
  return "";
}

double OpGraph::microseconds(int64_t cycles) const {
  return cyclesToMicroseconds(cycles, target->clockHz);
}

/// Returns the cycles of one run, as if it were alone on the machine; nothing
/// above `maxCount`.
static std::optional<int64_t> cyclesOf(CostAttr cost) {
  std::optional<int64_t> sum = 0;
  for (PartCostAttr part : cost.getParts()) {
    auto cycles = checkedMul(part.getCycles(), part.getCount());
    sum = sum && cycles ? checkedAdd(*sum, *cycles) : std::nullopt;
  }
  return sum;
}

/// Returns the cycles of all slots of one run; nothing above `maxCount`.
static std::optional<int64_t> cyclesOf(const Timeline &timeline, unsigned op) {
  std::optional<int64_t> sum = 0;
  Iterations firstRun(timeline.loopsOf(op).size(), 0);
  timeline.forEachTimedSlot(op, firstRun, [&](const TimedSlot &slice) {
    if (sum && slice.prefetched.empty())
      sum = checkedAdd(*sum, slice.endCycle - slice.startCycle);
  });
  return sum;
}

/// Adds the time of an op. `timeline` is null for a function without a
/// schedule.
static LogicalResult addTime(OpGraph &graph, unsigned index,
                             const Timeline *timeline) {
  const ProgramOp &entry = graph.programOps()[index];
  Operation *op = entry.op;
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  if (!timeline && !cost)
    return success();
  // If the cycles of a cost do not fit, it has no bound either.
  std::optional<int64_t> alone = cost ? cyclesOf(cost) : 0;
  auto one = timeline ? cyclesOf(*timeline, index) : alone;
  auto all = one ? checkedMul(*one, entry.count) : std::nullopt;
  auto sum = all ? checkedAdd(graph.cycles, *all) : std::nullopt;
  if (!sum || !alone)
    return op->emitOpError() << "has figures above 2^61 - 1";
  graph.cycles = *sum;
  graph.ops[index].cycles = all;
  bool isMeasured = timeline && timeline->schedule().isMeasured();
  if (cost)
    graph.ops[index].bound =
        boundOf(cost, *graph.target, isMeasured ? 0 : *one);
  return success();
}

static LogicalResult addTimes(OpGraph &graph) {
  std::optional<Timeline> timeline;
  Warnings warnings;
  if (graph.function()->hasAttr(LlmDialect::scheduleAttrName)) {
    FailureOr<Timeline> created = Timeline::create(*graph.program, warnings);
    if (failed(created) ||
        failed(checkTarget(*created, *graph.target, warnings)))
      return failure();
    timeline = std::move(*created);
  } else {
    FailureOr<bool> stale = warnOfStaleCosts(
        *graph.program, *graph.target,
        "The graph has no times; run --llm-cost (or --llm-tile for new tiles)",
        warnings);
    if (failed(stale) || *stale)
      return failure(failed(stale));
  }
  for (unsigned op = 0; op < graph.ops.size(); ++op)
    if (failed(addTime(graph, op, timeline ? &*timeline : nullptr)))
      return failure();
  return success();
}

FailureOr<OpGraph> OpGraph::create(FunctionOpInterface function,
                                   const Target *target) {
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  OpGraph graph;
  graph.program = std::make_unique<Program>(std::move(*program));
  graph.ops.resize(graph.programOps().size());
  graph.uses =
      findUses(*graph.program,
               findDependences(*graph.program, findLoops(*graph.program)));
  if (!target)
    return graph;
  graph.target = *target;
  if (failed(addTimes(graph)))
    return failure();
  return graph;
}

FailureOr<std::vector<OpGraph>> mlir::llm::createOpGraphs(ModuleOp module) {
  std::optional<Target> target;
  if (hasTarget(module)) {
    FailureOr<Target> read = readTarget(module);
    if (failed(read))
      return failure();
    target = std::move(*read);
  }
  std::vector<OpGraph> graphs;
  for (FunctionOpInterface function : functionsWithBody(module)) {
    FailureOr<OpGraph> graph =
        OpGraph::create(function, target ? &*target : nullptr);
    if (failed(graph))
      return failure();
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}
