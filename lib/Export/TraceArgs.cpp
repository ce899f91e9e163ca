//===- TraceArgs.cpp - What a click on a slice shows ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceArgs.h"
#include "TraceWriter.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;
using llvm::json::OStream;

/// `1x2048xbf16` for a tensor; other types as MLIR prints them.
static std::string shapeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << tensor.getElementType();
  return text;
}

static void writeShapes(OStream &json, StringRef key, TypeRange types) {
  json.attributeArray(key, [&] {
    for (Type type : types)
      json.value(toUtf8(shapeOf(type)));
  });
}

static void writeAmounts(OStream &json, StringRef key, DictionaryAttr amounts) {
  json.attributeObject(key, [&] {
    for (NamedAttribute entry : amounts)
      json.attribute(toUtf8(entry.getName()),
                     cast<IntegerAttr>(entry.getValue()).getInt());
  });
}

static void writeNames(OStream &json, StringRef key,
                       ArrayRef<StringAttr> names) {
  json.attributeArray(key, [&] {
    for (StringAttr name : names)
      json.value(toUtf8(name));
  });
}

static void writeTile(OStream &json, TileAttr tile) {
  json.attributeObject("tile", [&] {
    json.attribute("strategy", stringifyTileStrategy(tile.getStrategy()));
    for (TileLevelAttr level : tile.getLevels())
      json.attributeObject(toUtf8(level.getMemory()), [&] {
        writeAmounts(json, "sizes", level.getSizes());
        writeNames(json, "order", level.getOrder());
        writeAmounts(json, "buffers", level.getBuffers());
        if (!level.getResident().empty())
          writeNames(json, "resident", level.getResident());
      });
    if (tile.getSplit())
      writeAmounts(json, "split", tile.getSplit());
  });
}

/// The record of one part: they stand in the order of the parts.
static PartCostAttr recordOf(CostAttr cost, int64_t part) {
  for (PartCostAttr record : cost.getParts()) {
    if (part < record.getCount())
      return record;
    part -= record.getCount();
  }
  return cost.getParts().back();
}

static void writeCost(OStream &json, PartCostAttr cost) {
  json.attributeObject("cost", [&] {
    writeAmounts(json, "work", cost.getWork());
    json.attributeObject("bytes", [&] {
      for (NamedAttribute entry : cost.getTraffic())
        json.attribute(toUtf8(entry.getName()), cost.getBytes(entry.getName()));
    });
    json.attribute("overhead_cycles", cost.getOverheadCycles());
    json.attribute("serial_cycles", cost.getSerialCycles());
    json.attribute("compute_cycles", cost.getComputeCycles());
    json.attribute("memory_cycles", cost.getMemoryCycles());
    json.attribute("bound", stringifyCostBound(cost.getBound()));
  });
}

void mlir::llm::writeSliceArgs(OStream &json, const Timeline &timeline,
                               const Slice &slice,
                               ArrayRef<std::string> dependsOn) {
  Operation *op = timeline.program().ops()[slice.op].op;
  json.attribute("op", toUtf8(op->getName().getStringRef()));
  if (!slice.iterations.empty())
    json.attributeArray("iteration", [&] {
      for (int64_t iteration : slice.iterations)
        json.value(iteration);
    });
  if (timeline.partCount(slice.op) > 1)
    json.attribute("part", slice.part);
  json.attribute("start_cycle", slice.startCycle);
  json.attribute("end_cycle", slice.endCycle);
  writeAmounts(json, "lanes", slice.lanes);
  if (!slice.prefetched.empty()) {
    json.attribute("prefetch", toUtf8(slice.prefetched));
    return;
  }
  SmallVector<Type> read(op->getOperandTypes());
  // A kernel of several ops reads values that it has no operands for.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    read.push_back(value.getType());
  writeShapes(json, "in", read);
  writeShapes(json, "out", op->getResultTypes());
  if (auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName))
    writeTile(json, tile);
  if (auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName))
    writeCost(json, recordOf(cost, slice.part));
  json.attributeArray("depends_on", [&] {
    for (const std::string &name : dependsOn)
      json.value(toUtf8(name));
  });
}
