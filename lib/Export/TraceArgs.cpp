//===- TraceArgs.cpp - What a click on a slice shows ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceArgs.h"
#include "OpShapes.h"
#include "TraceWriter.h"

using namespace mlir;
using namespace mlir::llm;
using llvm::json::OStream;

/// One value as text.
static std::string toText(function_ref<void(OStream &)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os);
  write(json);
  return text;
}

static void writeText(OStream &json, StringRef key, StringRef text) {
  json.attributeBegin(key);
  json.rawValue(text);
  json.attributeEnd();
}

static std::string toText(ArrayRef<std::string> shapes) {
  return toText([&](OStream &json) {
    json.array([&] {
      for (const std::string &shape : shapes)
        json.value(toUtf8(shape));
    });
  });
}

static void writeMembers(OStream &json, DictionaryAttr amounts) {
  for (NamedAttribute entry : amounts)
    json.attribute(toUtf8(entry.getName()),
                   cast<IntegerAttr>(entry.getValue()).getInt());
}

static void writeAmounts(OStream &json, StringRef key, DictionaryAttr amounts) {
  json.attributeObject(key, [&] { writeMembers(json, amounts); });
}

static void writeNames(OStream &json, StringRef key,
                       ArrayRef<StringAttr> names) {
  json.attributeArray(key, [&] {
    for (StringAttr name : names)
      json.value(toUtf8(name));
  });
}

static void writeTile(OStream &json, TileAttr tile) {
  json.object([&] {
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

static void writeCost(OStream &json, PartCostAttr cost) {
  json.object([&] {
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

void TraceArgs::findOp(unsigned index) {
  if (knownOp == index)
    return;
  knownOp = index;
  Operation *op = timeline.program().ops()[index].op;
  in = toText(inputShapes(op));
  out = toText(outputShapes(op));
  auto tileAttr = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  tile =
      tileAttr ? toText([&](OStream &json) { writeTile(json, tileAttr); }) : "";
  cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  record = firstPart = endPart = 0;
}

/// Records stand in the order of the parts, and mostly parts come in order.
void TraceArgs::findCost(int64_t part) {
  ArrayRef<PartCostAttr> records = cost.getParts();
  if (part >= firstPart && part < endPart)
    return;
  if (part < firstPart || endPart == 0) {
    record = firstPart = 0;
    endPart = records.front().getCount();
  }
  while (part >= endPart && record + 1 < records.size()) {
    firstPart = endPart;
    endPart += records[++record].getCount();
  }
  costText = toText([&](OStream &json) { writeCost(json, records[record]); });
}

void TraceArgs::writeLanes(OStream &json, DictionaryAttr lanes) {
  if (lanes != knownLanes) {
    knownLanes = lanes;
    lanesText = toText([&](OStream &text) {
      text.object([&] { writeMembers(text, lanes); });
    });
  }
  writeText(json, "lanes", lanesText);
}

void TraceArgs::write(OStream &json, const Slice &slice,
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
  writeLanes(json, slice.lanes);
  if (!slice.prefetched.empty()) {
    json.attribute("prefetch", toUtf8(slice.prefetched));
    return;
  }
  findOp(slice.op);
  writeText(json, "in", in);
  writeText(json, "out", out);
  if (!tile.empty())
    writeText(json, "tile", tile);
  if (cost) {
    findCost(slice.part);
    writeText(json, "cost", costText);
  }
  json.attributeArray("depends_on", [&] {
    for (const std::string &name : dependsOn)
      json.value(toUtf8(name));
  });
  if (explanation) {
    const scheduling::TaskExplanation &task = explanation->ops[slice.op];
    json.attribute("slack_cycles", task.slackCycles);
    json.attribute("is_critical", task.isCritical());
    json.attribute("held_back_by",
                   StringRef(scheduling::stringify(task.heldBackBy)));
  }
}
