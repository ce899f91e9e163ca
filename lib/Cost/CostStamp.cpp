//===- CostStamp.cpp - The fingerprint by which a stale cost is known -----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/CostModel.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::llm;

/// Describes the op without its name and decisions, by types and attributes.
static void describeOp(Operation *op, raw_ostream &os) {
  os << op->getName() << "\n";
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    os << type << "\n";
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    StringRef name = attribute.getName();
    if (name != "name" && name != LlmDialect::tileAttrName &&
        name != LlmDialect::costAttrName &&
        name != LlmDialect::slotsAttrName && name != LlmDialect::shardAttrName)
      os << name << "=" << attribute.getValue() << "\n";
  }
  // Ops inside of the op run as one kernel with it.
  for (Region &region : op->getRegions())
    for (WorkloadOpInterface inner : region.getOps<WorkloadOpInterface>())
      describeOp(inner, os);
}

static void describeWorkload(WorkloadOpInterface op, const Workload &workload,
                             raw_ostream &os) {
  // Beyond that, `Loop::tiles` decides which tiles are legal, and not what one
  // of them costs.
  for (const Loop &loop : workload.loops)
    os << loop.name << ":" << unsigned(loop.kind) << ":" << loop.extent << ":"
       << loop.isTileable() << "\n";
  for (const Buffer &buffer : workload.buffers)
    os << buffer.name << ":" << unsigned(buffer.role) << ":" << buffer.map
       << ":" << buffer.elementType << (buffer.isKept ? ":kept" : "")
       << (buffer.isInPlace ? ":in_place" : "")
       << (buffer.isLate ? ":late" : "") << "\n";
  for (auto [index, stage] : llvm::enumerate(workload.stages)) {
    os << stage.name << ":" << unsigned(stage.engine);
    for (auto [kind, perPoint] : stage.workPerPoint)
      os << ":" << unsigned(kind) << "*" << perPoint;
    Count points = op.countPoints(workload, index, workload.fullBox());
    os << "@" << (succeeded(points) ? *points : -1) << "\n";
  }
  if (const std::optional<Collective> &group = workload.collective)
    os << "among " << group->chips << " of " << group->span << "\n";
}

static void describeMachine(const OpOnTarget &context, raw_ostream &os) {
  // A cost and a tile name the engine and its memory.
  os << "\n" << context.engine->name << "\n";
  if (const Memory *memory = context.tileMemory())
    os << memory->name << "\n";
  os << describeForCost(*context.target, *context.engine);
  for (const Engine *other : context.with)
    os << "\nwith " << other->name << "\n"
       << describeForCost(*context.target, *other);
}

CostStamps::CostStamps(const OpOnTarget &context) {
  llvm::raw_string_ostream aheadStream(ahead), behindStream(behind);
  describeOp(context.op, aheadStream);
  describeWorkload(context.op, context.workload, aheadStream);
  describeMachine(context, behindStream);
}

StringAttr CostStamps::of(TileAttr tile) const {
  std::string text = ahead + printOnOneLine(tile) + behind;
  return StringAttr::get(
      tile.getContext(),
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16));
}

StringAttr mlir::llm::computeStamp(const OpOnTarget &context, TileAttr tile) {
  return CostStamps(context).of(tile);
}
