//===- TraceArgs.cpp - What a click on a slice shows ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceArgs.h"
#include "OpShapes.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Attributes as values
//===----------------------------------------------------------------------===//

static void writeMembers(TraceValues &values, DictionaryAttr amounts) {
  for (NamedAttribute entry : amounts)
    values.number(entry.getName(),
                  cast<IntegerAttr>(entry.getValue()).getInt());
}

static void writeAmounts(TraceValues &values, StringRef key,
                         DictionaryAttr amounts) {
  values.object(key, [&](TraceValues &inner) { writeMembers(inner, amounts); });
}

static void writeNames(TraceValues &values, StringRef key,
                       ArrayRef<StringAttr> names) {
  values.list(key, [&](TraceValues &inner) {
    for (StringAttr name : names)
      inner.text("", name);
  });
}

static void writeTile(TraceValues &values, TileAttr tile) {
  values.text("strategy", stringifyTileStrategy(tile.getStrategy()));
  for (TileLevelAttr level : tile.getLevels())
    values.object(level.getMemory(), [&](TraceValues &inner) {
      writeAmounts(inner, "sizes", level.getSizes());
      writeNames(inner, "order", level.getOrder());
      writeAmounts(inner, "buffers", level.getBuffers());
      if (!level.getResident().empty())
        writeNames(inner, "resident", level.getResident());
    });
  if (tile.getSplit())
    writeAmounts(values, "split", tile.getSplit());
}

static void writeCost(TraceValues &values, PartCostAttr cost) {
  writeAmounts(values, "work", cost.getWork());
  values.object("bytes", [&](TraceValues &inner) {
    for (NamedAttribute entry : cost.getTraffic())
      inner.number(entry.getName(), cost.getBytes(entry.getName()));
  });
  values.number("overhead_cycles", cost.getOverheadCycles());
  values.number("serial_cycles", cost.getSerialCycles());
  values.number("compute_cycles", cost.getComputeCycles());
  values.number("memory_cycles", cost.getMemoryCycles());
  values.text("bound", stringifyCostBound(cost.getBound()));
}

namespace {
/// The cost of all parts together.
class CostSum {
public:
  void add(PartCostAttr part) {
    for (NamedAttribute entry : part.getWork())
      add(work[entry.getName().getValue()],
          cast<IntegerAttr>(entry.getValue()).getInt(), part);
    for (NamedAttribute entry : part.getTraffic())
      add(bytes[entry.getName().getValue()], part.getBytes(entry.getName()),
          part);
    add(overhead, part.getOverheadCycles(), part);
    add(serial, part.getSerialCycles(), part);
    add(compute, part.getComputeCycles(), part);
    add(memory, part.getMemoryCycles(), part);
    int64_t cycles = 0;
    add(cycles, part.getCycles(), part);
    if (cycles > most || !longest)
      longest = part;
    most = std::max(most, cycles);
  }
  bool isKnown() const { return fits; }
  void write(TraceValues &values) const {
    auto writeSums = [&](StringRef key, const auto &sums) {
      values.object(key, [&](TraceValues &inner) {
        for (const auto &[name, sum] : sums)
          inner.number(name, sum);
      });
    };
    writeSums("work", work);
    writeSums("bytes", bytes);
    values.number("overhead_cycles", overhead);
    values.number("serial_cycles", serial);
    values.number("compute_cycles", compute);
    values.number("memory_cycles", memory);
    values.text("bound", stringifyCostBound(longest.getBound()));
  }

private:
  void add(int64_t &sum, int64_t figure, PartCostAttr part) {
    auto product = checkedMul(figure, part.getCount());
    auto next = product ? checkedAdd(sum, *product) : std::nullopt;
    fits &= next.has_value();
    sum = next.value_or(0);
  }

  bool fits = true; ///< all are below 2^61
  std::map<StringRef, int64_t> work, bytes;
  int64_t overhead = 0, serial = 0, compute = 0, memory = 0;
  int64_t most = 0;
  PartCostAttr longest; ///< the parts that take most of the time
};
} // namespace

//===----------------------------------------------------------------------===//
// What slices have in common
//===----------------------------------------------------------------------===//

const TraceArgs::OpTexts &TraceArgs::textsOf(unsigned index) {
  OpTexts &texts = known[index];
  if (texts.isKnown)
    return texts;
  texts.isKnown = true;
  Operation *op = timeline.program().ops()[index].op;
  auto encodeShapes = [&](ArrayRef<std::string> shapes) {
    return sink.encodeList([&](TraceValues &values) {
      for (const std::string &shape : shapes)
        values.text("", shape);
    });
  };
  texts.in = encodeShapes(inputShapes(op));
  texts.out = encodeShapes(outputShapes(op));
  if (auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName))
    texts.tile = sink.encodeObject(
        [&](TraceValues &values) { writeTile(values, tile); });
  texts.cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  if (!texts.cost)
    return texts;
  int64_t end = 0;
  for (PartCostAttr part : texts.cost.getParts())
    texts.recordEnds.push_back(end += part.getCount());
  texts.records.resize(texts.recordEnds.size());
  return texts;
}

/// Records stand in the order of the parts.
StringRef TraceArgs::recordOf(unsigned op, int64_t part) {
  textsOf(op);
  OpTexts &texts = known[op];
  if (!texts.cost)
    return "";
  size_t record =
      llvm::upper_bound(ArrayRef(texts.recordEnds).drop_back(), part) -
      texts.recordEnds.data();
  std::string &text = texts.records[record];
  if (text.empty())
    text = sink.encodeObject([&](TraceValues &values) {
      writeCost(values, texts.cost.getParts()[record]);
    });
  return text;
}

StringRef TraceArgs::sumOf(unsigned op) {
  textsOf(op);
  OpTexts &texts = known[op];
  if (!texts.cost || !texts.sum.empty())
    return texts.sum;
  CostSum sum;
  for (PartCostAttr part : texts.cost.getParts())
    sum.add(part);
  if (sum.isKnown())
    texts.sum =
        sink.encodeObject([&](TraceValues &values) { sum.write(values); });
  return texts.sum;
}

void TraceArgs::writeLanes(TraceValues &values, DictionaryAttr lanes) {
  if (lanes != knownLanes) {
    knownLanes = lanes;
    lanesText = sink.encodeObject(
        [&](TraceValues &inner) { writeMembers(inner, lanes); });
  }
  values.encoded("lanes", lanesText);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

void TraceArgs::writePlace(TraceValues &values, unsigned op,
                           ArrayRef<int64_t> iterations) {
  Operation *operation = timeline.program().ops()[op].op;
  values.text("op", operation->getName().getStringRef());
  if (!iterations.empty())
    values.list("iteration", [&](TraceValues &inner) {
      for (int64_t iteration : iterations)
        inner.number("", iteration);
    });
}

void TraceArgs::writeOp(TraceValues &values, unsigned op, StringRef cost,
                        ArrayRef<std::string> dependsOn) {
  const OpTexts &texts = textsOf(op);
  values.encoded("in", texts.in);
  values.encoded("out", texts.out);
  if (!texts.tile.empty())
    values.encoded("tile", texts.tile);
  if (!cost.empty())
    values.encoded("cost", cost);
  values.list("depends_on", [&](TraceValues &inner) {
    for (const std::string &name : dependsOn)
      inner.text("", name);
  });
  if (!explanation)
    return;
  const scheduling::TaskExplanation &task = explanation->ops[op];
  values.number("slack_cycles", task.slackCycles);
  values.flag("is_critical", task.isCritical());
  values.text("held_back_by", scheduling::stringify(task.heldBackBy));
}

static void writeCycles(TraceValues &values, int64_t start, int64_t end) {
  values.number("start_cycle", start);
  values.number("end_cycle", end);
}

void TraceArgs::writeSlot(TraceValues &values, const Slice &slice,
                          ArrayRef<std::string> dependsOn) {
  writePlace(values, slice.op, slice.iterations);
  if (timeline.partCount(slice.op) > 1)
    values.number("part", slice.part);
  writeCycles(values, slice.startCycle, slice.endCycle);
  writeLanes(values, slice.lanes);
  writeOp(values, slice.op, recordOf(slice.op, slice.part), dependsOn);
}

void TraceArgs::writeFetch(TraceValues &values, const Slice &slice) {
  writePlace(values, slice.op, slice.iterations);
  if (timeline.partCount(slice.op) > 1)
    values.number("part", slice.part);
  writeCycles(values, slice.startCycle, slice.endCycle);
  writeLanes(values, slice.lanes);
  values.text("prefetch", slice.prefetched);
}

void TraceArgs::writeFrame(TraceValues &values, unsigned op, const OpRun &run,
                           const StretchRun &stretch) {
  writePlace(values, op, stretch.iterations);
  values.number("parts", run.parts);
  writeCycles(values, stretch.startCycle + run.startCycle,
              stretch.startCycle + run.endCycle);
}

void TraceArgs::writeOpRun(TraceValues &values, unsigned op, const OpRun &run,
                           const StretchRun &stretch,
                           ArrayRef<std::string> dependsOn) {
  writeFrame(values, op, run, stretch);
  if (run.lanes)
    writeLanes(values, run.lanes);
  if (run.buffer)
    return values.text("prefetch", run.buffer);
  writeOp(values, op, sumOf(op), dependsOn);
}
