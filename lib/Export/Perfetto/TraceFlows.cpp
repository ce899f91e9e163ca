//===- TraceFlows.cpp - Arrows between slices -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFlows.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

static int64_t findLastSlot(const Timeline &timeline, unsigned op) {
  Iterations firstRun(timeline.loopsOf(op).size(), 0);
  int64_t last = 0, lastEnd = -1;
  timeline.forEachTimedSlot(op, firstRun, [&](const TimedSlot &slice) {
    if (!slice.prefetched.empty() || slice.endCycle <= lastEnd)
      return;
    last = slice.position;
    lastEnd = slice.endCycle;
  });
  return last;
}

static int64_t findLastRun(ArrayRef<OpRun> runs) {
  return std::max_element(runs.begin(), runs.end(),
                          [](const OpRun &a, const OpRun &b) {
                            return a.endCycle < b.endCycle;
                          }) -
         runs.begin();
}

/// Returns the largest number of fetches for one part.
static int64_t countFetches(Operation *op) {
  size_t most = 0;
  auto slots = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
  for (SlotRunAttr run : slots.getRuns())
    most = std::max(most, run.getPrefetches().size());
  return most;
}

FailureOr<TraceFlows> TraceFlows::create(const Timeline &timeline,
                                         const TraceSpans &spans,
                                         TraceDetail detail) {
  TraceFlows flows(timeline);
  ArrayRef<ProgramOp> ops = timeline.program().ops();
  flows.drawsSlots = detail == TraceDetail::Tile;
  flows.incoming.resize(ops.size());
  flows.outgoing.resize(ops.size());
  std::optional<int64_t> arrows = 0, fetches = 0;
  auto reserve = [](std::optional<int64_t> &sum, int64_t runs, int64_t each) {
    auto ends = checkedMul(runs, each);
    sum = sum && ends ? checkedAdd(*sum, *ends) : std::nullopt;
  };
  for (unsigned op = 0; op < ops.size(); ++op) {
    const OpRuns &runs = spans.runsOf(op);
    bool bySlot = flows.drawsSlots;
    flows.sliceCounts.push_back(bySlot ? timeline.partCount(op)
                                       : runs.slots.size());
    flows.lastSlices.push_back(bySlot ? findLastSlot(timeline, op)
                                      : findLastRun(runs.slots));
    flows.fetchCounts.push_back(bySlot ? countFetches(ops[op].op)
                                       : runs.fetches.size());
    flows.firstFetchIds.push_back(fetches.value_or(0));
    reserve(fetches, ops[op].count,
            flows.fetchCounts[op] * (bySlot ? flows.sliceCounts[op] : 1));
  }
  for (auto [index, dependence] : llvm::enumerate(timeline.dependences())) {
    flows.firstIds.push_back(arrows.value_or(0));
    flows.outgoing[dependence.producer].push_back(index);
    flows.incoming[dependence.consumer].push_back(index);
    reserve(arrows, ops[dependence.consumer].count,
            flows.sliceCounts[dependence.consumer]);
  }
  if (!arrows || !fetches)
    return emitError(timeline.program().function().getLoc())
           << "the schedule has more than 2^61 dependences, too many for a "
              "trace";
  flows.arrows = *arrows + *fetches;
  return flows;
}

int64_t TraceFlows::idOf(unsigned dependence,
                         ArrayRef<int64_t> consumerRun) const {
  unsigned consumer = timeline->dependences()[dependence].consumer;
  return firstIds[dependence] +
         timeline->runNumber(consumer, consumerRun) * sliceCounts[consumer];
}

void TraceFlows::forEachInto(
    const SliceOfRun &slice,
    function_ref<void(int64_t id, std::string from)> visit) const {
  for (unsigned index : incoming[slice.op]) {
    const Dependence &dependence = timeline->dependences()[index];
    if (std::optional<Iterations> producer =
            timeline->producerRun(dependence, slice.iterations))
      visit(idOf(index, slice.iterations) + slice.number + 1,
            timeline->nameOf(dependence.producer, *producer));
  }
}

void TraceFlows::forEachOutOf(const SliceOfRun &slice,
                              function_ref<void(int64_t id)> visit) const {
  if (slice.number != lastSlices[slice.op])
    return;
  for (unsigned index : outgoing[slice.op]) {
    const Dependence &dependence = timeline->dependences()[index];
    int64_t slices = sliceCounts[dependence.consumer];
    timeline->forEachConsumerRun(
        dependence, slice.iterations, [&](ArrayRef<int64_t> consumerRun) {
          int64_t first = idOf(index, consumerRun);
          for (int64_t each = 1; each <= slices; ++each)
            visit(first + each);
        });
  }
}

int64_t TraceFlows::idOfFetch(const SliceOfRun &slice, unsigned fetch) const {
  int64_t run = timeline->runNumber(slice.op, slice.iterations);
  if (drawsSlots)
    run = run * sliceCounts[slice.op] + slice.number;
  return firstFetchIds[slice.op] + run * fetchCounts[slice.op] + fetch + 1;
}
