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

template <typename Printed>
static const std::string &
printOnce(Printed value, DenseMap<const void *, std::string> &printed) {
  auto [known, isNew] = printed.try_emplace(value.getAsOpaquePointer());
  if (isNew)
    llvm::raw_string_ostream(known->second) << value;
  return known->second;
}

const std::string &StampTexts::of(Type type) {
  return printOnce(type, printed);
}

const std::string &StampTexts::of(AffineMap map) {
  return printOnce(map, printed);
}

const std::string &StampTexts::of(Attribute attribute) {
  return printOnce(attribute, printed);
}

const std::string &StampTexts::onOneLine(TileAttr tile) {
  std::string &text = tiles[tile];
  if (text.empty())
    text = printOnOneLine(tile);
  return text;
}

const std::string &StampTexts::of(const Target &target, const Engine &engine) {
  std::string &text = engines[&engine];
  if (text.empty())
    text = describeForCost(target, engine);
  return text;
}

/// Describes the op without its name and decisions, by types and attributes.
static void describeOp(Operation *op, StampTexts &texts, raw_ostream &os) {
  os << op->getName() << "\n";
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    os << texts.of(type) << "\n";
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    StringRef name = attribute.getName();
    if (name != "name" && name != LlmDialect::tileAttrName &&
        name != LlmDialect::costAttrName && name != LlmDialect::slotsAttrName &&
        name != LlmDialect::shardAttrName)
      os << name << "=" << texts.of(attribute.getValue()) << "\n";
  }
  // Ops inside of the op run as one kernel with it.
  for (Region &region : op->getRegions())
    for (WorkloadOpInterface inner : region.getOps<WorkloadOpInterface>())
      describeOp(inner, texts, os);
}

static void describeWorkload(WorkloadOpInterface op, const Workload &workload,
                             StampTexts &texts, raw_ostream &os) {
  // Beyond that, `Loop::tiles` decides which tiles are legal, and not what one
  // of them costs.
  for (const Loop &loop : workload.loops)
    os << loop.name << ":" << unsigned(loop.kind) << ":" << loop.extent << ":"
       << loop.isTileable() << "\n";
  for (const Buffer &buffer : workload.buffers)
    os << buffer.name << ":" << unsigned(buffer.role) << ":"
       << texts.of(buffer.map) << ":" << texts.of(buffer.elementType)
       << (buffer.isKept ? ":kept" : "")
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

static void describeMachine(const OpOnTarget &context, StampTexts &texts,
                            raw_ostream &os) {
  // A cost and a tile name the engine and its memory.
  os << "\n" << context.engine->name << "\n";
  if (const Memory *memory = context.tileMemory())
    os << memory->name << "\n";
  os << texts.of(*context.target, *context.engine);
  for (const Engine *other : context.with)
    os << "\nwith " << other->name << "\n" << texts.of(*context.target, *other);
}

CostStamps::CostStamps(const OpOnTarget &context, StampTexts &texts)
    : texts(texts) {
  llvm::raw_string_ostream aheadStream(ahead), behindStream(behind);
  describeOp(context.op, texts, aheadStream);
  describeWorkload(context.op, context.workload, texts, aheadStream);
  describeMachine(context, texts, behindStream);
}

StringAttr CostStamps::of(TileAttr tile) const {
  std::string text = ahead + texts.onOneLine(tile) + behind;
  return StringAttr::get(
      tile.getContext(),
      llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16));
}

StringAttr mlir::llm::computeStamp(const OpOnTarget &context, TileAttr tile,
                                   StampTexts &texts) {
  return CostStamps(context, texts).of(tile);
}

StringAttr mlir::llm::computeStamp(const OpOnTarget &context, TileAttr tile) {
  StampTexts texts;
  return computeStamp(context, tile, texts);
}
