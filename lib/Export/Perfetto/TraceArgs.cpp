//===- TraceArgs.cpp - What a click on a slice shows ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceArgs.h"
#include "llm/Results/OpKinds.h"
#include "llm/Results/OpShapes.h"
#include "llm/Results/WhatBinds.h"
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

template <typename Amounts>
static void writeSums(TraceValues &values, StringRef key, const Amounts &sums) {
  values.object(key, [&](TraceValues &inner) {
    for (const auto &[name, sum] : sums)
      inner.number(name, sum);
  });
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
  if (DictionaryAttr cycles = cost.getCyclesByMemory())
    writeAmounts(values, "cycles_by_memory", cycles);
  values.text("bound", stringifyCostBound(cost.getBound()));
}

namespace {
/// Sums the cost of several parts.
class CostSum {
public:
  void add(PartCostAttr part, int64_t parts) {
    for (NamedAttribute entry : part.getWork())
      add(work[entry.getName().getValue()],
          cast<IntegerAttr>(entry.getValue()).getInt(), parts);
    for (NamedAttribute entry : part.getTraffic())
      add(bytes[entry.getName().getValue()], part.getBytes(entry.getName()),
          parts);
    add(overhead, part.getOverheadCycles(), parts);
    add(serial, part.getSerialCycles(), parts);
    add(compute, part.getComputeCycles(), parts);
    add(memory, part.getMemoryCycles(), parts);
    for (NamedAttribute entry : part.getCyclesByMemory()
                                    ? part.getCyclesByMemory().getValue()
                                    : ArrayRef<NamedAttribute>())
      add(byMemory[entry.getName().getValue()],
          part.getMemoryCycles(entry.getName()), parts);
    int64_t cycles = 0;
    add(cycles, part.getCycles(), parts);
    if (cycles > most || !longest)
      longest = part;
    most = std::max(most, cycles);
  }
  bool isKnown() const { return fits; }
  void write(TraceValues &values) const {
    writeSums(values, "work", work);
    writeSums(values, "bytes", bytes);
    values.number("overhead_cycles", overhead);
    values.number("serial_cycles", serial);
    values.number("compute_cycles", compute);
    values.number("memory_cycles", memory);
    if (!byMemory.empty())
      writeSums(values, "cycles_by_memory", byMemory);
    values.text("bound", stringifyCostBound(longest.getBound()));
  }

private:
  void add(int64_t &sum, int64_t figure, int64_t parts) {
    auto product = checkedMul(figure, parts);
    auto next = product ? checkedAdd(sum, *product) : std::nullopt;
    fits &= next.has_value();
    sum = next.value_or(0);
  }

  bool fits = true; ///< all are below 2^61
  std::map<StringRef, int64_t> work, bytes, byMemory;
  int64_t overhead = 0, serial = 0, compute = 0, memory = 0;
  int64_t most = 0;
  PartCostAttr longest; ///< the parts that take most of the time
};
} // namespace

//===----------------------------------------------------------------------===//
// What slices have in common
//===----------------------------------------------------------------------===//

/// The utilization of an op without a cost stays empty.
void TraceArgs::findUtilizations() {
  ArrayRef<ProgramOp> ops = timeline.program().ops();
  for (auto [index, entry] : llvm::enumerate(ops)) {
    Utilization &used = utilizations.emplace_back();
    WorkloadOpInterface op = entry.op;
    FailureOr<Workload> workload = op.getWorkload([] { return Refusal(); });
    if (failed(workload) || !op->hasAttr(LlmDialect::costAttrName))
      continue;
    used = utilizationOf(timeline, index, workload->macElementType(), peaks);
    engineCycles += used.engineCycles * double(entry.count);
  }
}

/// Members have the names that reports use.
void TraceArgs::writeAllRuns(TraceValues &values, unsigned op, CostAttr cost) {
  if (utilizations.empty())
    findUtilizations();
  const Utilization &used = utilizations[op];
  int64_t count = timeline.program().ops()[op].count;
  double time = used.engineCycles * 1e6 / double(peaks.machine().clockHz);
  double cycles = used.engineCycles * double(count);
  double share = engineCycles > 0 ? 100 * cycles / engineCycles : 0;
  values.number("count", count);
  for (auto [name, value] : namedFigures(used, count, time, share))
    values.real(name, value);
  bool isMeasured = timeline.schedule().isMeasured();
  values.text("bound",
              stringifyCostBound(
                  boundOf(cost, peaks.machine(),
                          isMeasured ? 0 : int64_t(used.engineCycles))));
  if (!isMeasured)
    writeOrigin(values, op, time);
}

void TraceArgs::writeOrigin(TraceValues &values, unsigned op,
                            double microseconds) {
  TimeOrigin origin = origins.of(timeline.program().ops()[op].op);
  values.text("time_from", stringify(origin.source));
  if (origin.source != TimeSource::Formula)
    values.real("time_per_formula", origin.perFormula);
  if (!origin.spread)
    return;
  values.real("time_p10_us", microseconds * origin.spread->p10);
  values.real("time_p90_us", microseconds * origin.spread->p90);
}

TraceArgs::OpTexts &TraceArgs::textsOf(unsigned index) {
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
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  texts.costs = PartCosts(cost);
  if (cost)
    texts.allRuns = sink.encodeObject(
        [&](TraceValues &values) { writeAllRuns(values, index, cost); });
  texts.records.resize(texts.costs.count());
  return texts;
}

StringRef TraceArgs::recordOf(OpTexts &texts, size_t record) {
  std::string &text = texts.records[record];
  if (text.empty())
    text = sink.encodeObject(
        [&](TraceValues &values) { writeCost(values, texts.costs[record]); });
  return text;
}

/// Returns an empty text if the cost is not known.
std::string TraceArgs::sumOf(const PartCosts &costs, const OpRun &run) const {
  CostSum sum;
  for (auto [record, parts] : run.records)
    sum.add(costs[record], parts);
  if (run.records.empty() || !sum.isKnown())
    return "";
  return sink.encodeObject([&](TraceValues &values) { sum.write(values); });
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
  if (!opsInside(operation).empty()) // of others, `op` says it
    values.text("kind", kindOf(operation));
  if (!iterations.empty())
    values.list("iteration", [&](TraceValues &inner) {
      for (int64_t iteration : iterations)
        inner.number("", iteration);
    });
}

void TraceArgs::writeShapes(TraceValues &values, unsigned op) {
  const OpTexts &texts = textsOf(op);
  values.encoded("in", texts.in);
  values.encoded("out", texts.out);
  if (!texts.tile.empty())
    values.encoded("tile", texts.tile);
}

void TraceArgs::writeDependences(TraceValues &values,
                                 ArrayRef<std::string> dependsOn) {
  values.list("depends_on", [&](TraceValues &inner) {
    for (const std::string &name : dependsOn)
      inner.text("", name);
  });
}

void TraceArgs::writeCause(TraceValues &values, unsigned op) {
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

void TraceArgs::writeSlot(TraceValues &values, const TimedSlot &slice,
                          SlotRunAttr slots, ArrayRef<std::string> dependsOn) {
  writePlace(values, slice.op, slice.iterations);
  if (timeline.partCount(slice.op) > 1)
    values.number("part", slice.part);
  writeCycles(values, slice.startCycle, slice.endCycle);
  writeLanes(values, slice.lanes);
  writeShapes(values, slice.op);
  OpTexts &texts = textsOf(slice.op);
  if (slice.part == 0 && !texts.allRuns.empty())
    values.encoded("all_runs", texts.allRuns);
  if (texts.costs.areKnown()) {
    size_t record = texts.costs.recordOf(slice.part);
    values.encoded("cost", recordOf(texts, record));
    if (!slots.getPrefetches().empty())
      writeSums(values, "fetched_bytes",
                fetchedBytes(texts.costs[record], slots));
  }
  writeDependences(values, dependsOn);
  writeCause(values, slice.op);
}

void TraceArgs::writeBeside(TraceValues &values, unsigned op,
                            ArrayRef<int64_t> iterations,
                            std::optional<int64_t> part, int64_t startCycle,
                            int64_t endCycle) {
  writePlace(values, op, iterations);
  if (part && timeline.partCount(op) > 1)
    values.number("part", *part);
  writeCycles(values, startCycle, endCycle);
  auto cost = timeline.program().ops()[op].op->getAttrOfType<CostAttr>(
      LlmDialect::costAttrName);
  if (cost)
    values.text("together_with", cost.getEngine());
}

void TraceArgs::writeFetch(TraceValues &values, const TimedSlot &slice) {
  writePlace(values, slice.op, slice.iterations);
  if (timeline.partCount(slice.op) > 1)
    values.number("part", slice.part);
  writeCycles(values, slice.startCycle, slice.endCycle);
  writeLanes(values, slice.lanes);
  values.text("prefetch", slice.prefetched);
  const PartCosts &costs = textsOf(slice.op).costs;
  if (costs.areKnown())
    writeSums(values, "bytes",
              bytesOf(costs[costs.recordOf(slice.part)], slice.prefetched));
}

void TraceArgs::writeFrame(TraceValues &values, unsigned op, const OpRun &run,
                           const StretchRun &stretch) {
  writePlace(values, op, stretch.iterations);
  values.number("parts", run.parts);
  writeCycles(values, stretch.startCycle + run.startCycle,
              stretch.startCycle + run.endCycle);
}

void TraceArgs::writeOpRun(TraceValues &values, unsigned op, const OpRun &run,
                           const StretchRun &stretch, bool isFirst,
                           ArrayRef<std::string> dependsOn) {
  writeFrame(values, op, run, stretch);
  if (run.lanes)
    writeLanes(values, run.lanes);
  const PartCosts &costs = textsOf(op).costs;
  if (run.buffer) {
    values.text("prefetch", run.buffer);
    if (costs.areKnown())
      writeSums(values, "bytes", run.fetchedBytes);
    return;
  }
  if (isFirst) {
    writeShapes(values, op);
    if (const std::string &text = textsOf(op).allRuns; !text.empty())
      values.encoded("all_runs", text);
  }
  if (std::string cost = sumOf(costs, run); !cost.empty())
    values.encoded("cost", cost);
  if (!run.fetchedBytes.empty())
    writeSums(values, "fetched_bytes", run.fetchedBytes);
  if (!isFirst)
    return;
  writeDependences(values, dependsOn);
  writeCause(values, op);
}
