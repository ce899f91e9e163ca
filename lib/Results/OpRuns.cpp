//===- OpRuns.cpp - Slots of an op that follow each other -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpRuns.h"
#include "llm/Results/SlotSweep.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Joins spans, which come in the order of time. One is open for each engine
/// and buffer.
class RunJoiner {
public:
  void add(const OpRun &span) {
    auto [entry, isNew] = open.try_emplace(
        Key(span.engine.getValue(), span.index,
            span.buffer ? span.buffer.getValue() : StringRef()),
        span);
    OpRun &last = entry->second;
    if (isNew)
      return;
    if (last.endCycle != span.startCycle) {
      close(last);
      last = span;
      return;
    }
    last.endCycle = span.endCycle;
    ++last.parts;
    for (auto [record, parts] : span.records)
      last.records[record] += parts;
    addBytes(last.fetchedBytes, span.fetchedBytes);
    if (last.lanes != span.lanes)
      last.lanes = {};
  }
  void finish() {
    for (auto &[key, run] : open)
      close(run);
    auto order = [](const OpRun &run) {
      return std::make_tuple(run.startCycle, run.engine.getValue(), run.index,
                             run.buffer ? run.buffer.getValue() : StringRef());
    };
    llvm::stable_sort(runs, [&](const OpRun &a, const OpRun &b) {
      return order(a) < order(b);
    });
  }

  int64_t leastParts = 1; ///< runs with fewer parts are dropped
  std::vector<OpRun> runs;

private:
  void close(const OpRun &run) {
    if (run.parts >= leastParts)
      runs.push_back(run);
  }

  using Key = std::tuple<StringRef, int64_t, StringRef>;
  std::map<Key, OpRun> open;
};
} // namespace

static OpRun makeSlot(SlotRunAttr run, int64_t i) {
  OpRun slot;
  slot.engine = run.getEngine();
  slot.index = run.getIndex() + i * run.getIndexStride();
  slot.startCycle = run.getStartCycle() + i * run.getStartStride();
  slot.endCycle = run.getEndCycle() + i * run.getStartStride();
  slot.lanes = run.getLanes();
  return slot;
}

static OpRun makeFetch(SlotRunAttr run, unsigned number, int64_t i) {
  PrefetchAttr attr = run.getPrefetches()[number];
  OpRun part = makeSlot(run, i), fetch;
  fetch.engine = attr.getEngine();
  fetch.index = attr.getIndex();
  fetch.startCycle = attr.getStartCycle() + i * run.getStartStride();
  fetch.endCycle = attr.getEndCycle() + i * run.getStartStride();
  fetch.lanes = attr.getLanes();
  fetch.buffer = attr.getBuffer();
  fetch.partEngine = part.engine;
  fetch.partIndex = part.index;
  fetch.partStartCycle = part.startCycle;
  return fetch;
}

static OpRun makeBeside(SlotRunAttr run, unsigned number, int64_t i) {
  OpRun beside = makeSlot(run, i);
  auto [engine, index] = run.getEnginesBeside(i)[number];
  beside.engine = StringAttr::get(run.getContext(), engine);
  beside.index = index;
  beside.lanes = {}; // only the part holds lanes
  return beside;
}

/// Makes a series of the slots of a run, or of the fetches or other engines
/// that belong to them.
static SlotSeries seriesOf(SlotRunAttr run, unsigned item, SpanKind kind,
                           unsigned number = 0) {
  SlotSeries series{run.getStartCycle(), run.getEndCycle(),
                    run.getStartStride(), run.getCount(), kind};
  series.item = item;
  series.fetch = number;
  return series;
}

static std::vector<SlotSeries> listSlots(SlotsAttr slots) {
  std::vector<SlotSeries> series;
  for (auto [item, run] : llvm::enumerate(slots.getRuns()))
    series.push_back(seriesOf(run, item, SpanKind::Slot));
  return series;
}

static std::vector<SlotSeries> listFetches(SlotsAttr slots) {
  std::vector<SlotSeries> series;
  for (auto [item, run] : llvm::enumerate(slots.getRuns()))
    for (auto [number, attr] : llvm::enumerate(run.getPrefetches())) {
      SlotSeries fetch = seriesOf(run, item, SpanKind::Fetch, number);
      fetch.startCycle = attr.getStartCycle();
      fetch.endCycle = attr.getEndCycle();
      series.push_back(fetch);
    }
  return series;
}

static std::vector<SlotSeries> listBeside(SlotsAttr slots) {
  std::vector<SlotSeries> series;
  for (auto [item, run] : llvm::enumerate(slots.getRuns())) {
    size_t engines = run.getWith() ? run.getWith().size() : 0;
    for (unsigned number = 0; number < engines; ++number)
      series.push_back(seriesOf(run, item, SpanKind::Beside, number));
  }
  return series;
}

/// Adds the cost of part `i` of the run to the span of its slot or fetch.
static void addCost(OpRun &span, SlotRunAttr run, int64_t i,
                    const PartCosts &costs) {
  if (!costs.areKnown())
    return;
  size_t record = costs.recordOf(run.getPart() + i * run.getPartStride());
  span.records[record] = 1;
  span.fetchedBytes = span.buffer ? bytesOf(costs[record], span.buffer)
                                  : fetchedBytes(costs[record], run);
}

static std::vector<OpRun> join(SlotsAttr slots, std::vector<SlotSeries> series,
                               const PartCosts &costs, int64_t leastParts) {
  RunJoiner joiner;
  joiner.leastParts = leastParts;
  SlotSweep(std::move(series))
      .run([&](const SlotSeries &of, int64_t i, int64_t, bool isStart) {
        if (!isStart)
          return;
        SlotRunAttr run = slots.getRuns()[of.item];
        if (of.kind == SpanKind::Beside)
          return joiner.add(makeBeside(run, of.fetch, i));
        OpRun span = of.kind == SpanKind::Fetch ? makeFetch(run, of.fetch, i)
                                                : makeSlot(run, i);
        addCost(span, run, i, costs);
        joiner.add(span);
      });
  joiner.finish();
  return std::move(joiner.runs);
}

std::vector<OpRun> mlir::llm::findLongOpRuns(SlotsAttr slots) {
  return join(slots, listSlots(slots), PartCosts(), /*leastParts=*/2);
}

OpRuns mlir::llm::findOpRuns(SlotsAttr slots, const PartCosts &costs) {
  OpRuns runs;
  runs.slots = join(slots, listSlots(slots), costs, /*leastParts=*/1);
  runs.fetches = join(slots, listFetches(slots), costs, /*leastParts=*/1);
  runs.beside = join(slots, listBeside(slots), costs, /*leastParts=*/1);
  // This finds the run on the engine of the part that began last.
  std::map<std::tuple<StringRef, int64_t, int64_t>, unsigned> numbers;
  for (auto [number, run] : llvm::enumerate(runs.slots))
    numbers[{run.engine.getValue(), run.index, run.startCycle}] = number;
  runs.fetchesInto.resize(runs.slots.size());
  for (auto [number, fetch] : llvm::enumerate(runs.fetches)) {
    auto behind = numbers.upper_bound(
        {fetch.partEngine.getValue(), fetch.partIndex, fetch.partStartCycle});
    unsigned target = std::prev(behind)->second;
    fetch.endsBeforeUse = fetch.endCycle <= runs.slots[target].startCycle;
    if (fetch.endsBeforeUse)
      runs.fetchesInto[target].push_back(number);
  }
  return runs;
}
