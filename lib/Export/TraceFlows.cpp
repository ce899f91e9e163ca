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
  timeline.forEachSlice(op, firstRun, [&](const Slice &slice) {
    if (!slice.prefetched.empty() || slice.endCycle <= lastEnd)
      return;
    last = slice.position;
    lastEnd = slice.endCycle;
  });
  return last;
}

FailureOr<TraceFlows> TraceFlows::create(const Timeline &timeline) {
  TraceFlows flows(timeline);
  ArrayRef<ProgramOp> ops = timeline.program().ops();
  flows.incoming.resize(ops.size());
  flows.outgoing.resize(ops.size());
  for (unsigned op = 0; op < ops.size(); ++op)
    flows.lastSlots.push_back(findLastSlot(timeline, op));
  std::optional<int64_t> arrows = 0;
  for (auto [index, dependence] : llvm::enumerate(timeline.dependences())) {
    flows.firstIds.push_back(*arrows);
    flows.outgoing[dependence.producer].push_back(index);
    flows.incoming[dependence.consumer].push_back(index);
    auto ends = checkedMul(ops[dependence.consumer].count,
                           timeline.partCount(dependence.consumer));
    arrows = ends ? checkedAdd(*arrows, *ends) : std::nullopt;
    if (!arrows)
      return emitError(timeline.program().function().getLoc())
             << "the schedule has more than 2^61 dependences, too many for a "
                "trace";
  }
  return flows;
}

int64_t TraceFlows::idOf(unsigned dependence,
                         ArrayRef<int64_t> consumerRun) const {
  unsigned consumer = timeline->dependences()[dependence].consumer;
  return firstIds[dependence] + timeline->runNumber(consumer, consumerRun) *
                                    timeline->partCount(consumer);
}

void TraceFlows::forEachInto(
    const Slice &slice,
    function_ref<void(int64_t id, std::string from)> visit) const {
  for (unsigned index : incoming[slice.op]) {
    const Dependence &dependence = timeline->dependences()[index];
    if (std::optional<Iterations> producer =
            timeline->producerRun(dependence, slice.iterations))
      visit(idOf(index, slice.iterations) + slice.position + 1,
            timeline->nameOf(dependence.producer, *producer));
  }
}

void TraceFlows::forEachOutOf(const Slice &slice,
                              function_ref<void(int64_t id)> visit) const {
  if (slice.position != lastSlots[slice.op])
    return;
  for (unsigned index : outgoing[slice.op]) {
    const Dependence &dependence = timeline->dependences()[index];
    int64_t parts = timeline->partCount(dependence.consumer);
    timeline->forEachConsumerRun(dependence, slice.iterations,
                                 [&](ArrayRef<int64_t> consumerRun) {
                                   int64_t first = idOf(index, consumerRun);
                                   for (int64_t part = 1; part <= parts; ++part)
                                     visit(first + part);
                                 });
  }
}
