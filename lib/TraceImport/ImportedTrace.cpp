//===- ImportedTrace.cpp - A run that another tool recorded ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/ImportedTrace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

StringRef mlir::llm::stringify(TraceEventKind kind) {
  switch (kind) {
  case TraceEventKind::Range:
    return "range";
  case TraceEventKind::Op:
    return "op";
  case TraceEventKind::Function:
    return "function";
  case TraceEventKind::Call:
    return "call";
  case TraceEventKind::Kernel:
    return "kernel";
  case TraceEventKind::Copy:
    return "copy";
  case TraceEventKind::Fill:
    return "fill";
  case TraceEventKind::Other:
    return "other";
  }
  llvm_unreachable("unknown kind of event");
}

//===----------------------------------------------------------------------===//
// Where the time goes
//===----------------------------------------------------------------------===//

static bool isDeviceWork(const ImportedTrace &trace, const TraceEvent &event) {
  return trace.lanes[event.lane].isDevice &&
         (event.kind == TraceEventKind::Kernel ||
          event.kind == TraceEventKind::Copy ||
          event.kind == TraceEventKind::Fill);
}

/// Ops and, of lanes without ops, ranges.
static std::vector<bool> findHostWork(const ImportedTrace &trace) {
  std::vector<bool> hasOps(trace.lanes.size());
  for (const TraceEvent &event : trace.events)
    if (event.kind == TraceEventKind::Op)
      hasOps[event.lane] = true;
  std::vector<bool> isWork;
  isWork.reserve(trace.events.size());
  for (const TraceEvent &event : trace.events)
    isWork.push_back(
        !trace.lanes[event.lane].isDevice &&
        event.kind ==
            (hasOps[event.lane] ? TraceEventKind::Op : TraceEventKind::Range));
  return isWork;
}

static uint64_t lengthOf(const TraceEvent &event) {
  return event.endNanoseconds - event.startNanoseconds;
}

/// Each with what no work inside it has.
static std::vector<OwnWork> listHostWork(const ImportedTrace &trace) {
  std::vector<bool> isWork = findHostWork(trace);
  std::vector<uint64_t> inside(trace.events.size());
  std::vector<OwnWork> work;
  // Those inside come behind those around them.
  for (uint32_t number = trace.events.size(); number-- > 0;) {
    const TraceEvent &event = trace.events[number];
    // Events that cut each other may lie in one, and be longer than it.
    uint64_t length = lengthOf(event);
    uint64_t taken = std::min(inside[number], length);
    if (isWork[number])
      work.push_back({number, length - taken});
    if (event.parent != TraceEvent::none)
      inside[event.parent] = ::llvm::SaturatingAdd(
          inside[event.parent], isWork[number] ? length : taken);
  }
  return work;
}

std::vector<OwnWork> mlir::llm::listOwnWork(const ImportedTrace &trace) {
  std::vector<OwnWork> work;
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (isDeviceWork(trace, event))
      work.push_back({uint32_t(number), lengthOf(event)});
  if (work.empty())
    work = listHostWork(trace);
  ::llvm::sort(work, [&](const OwnWork &a, const OwnWork &b) {
    return std::pair(trace.events[a.event].startNanoseconds, a.event) <
           std::pair(trace.events[b.event].startNanoseconds, b.event);
  });
  return work;
}

/// Those that hold no other.
std::vector<uint32_t> mlir::llm::listWork(const ImportedTrace &trace) {
  std::vector<OwnWork> all = listOwnWork(trace);
  std::vector<bool> isWork(trace.events.size()), holdsWork(trace.events.size());
  for (const OwnWork &each : all)
    isWork[each.event] = true;
  for (uint32_t number = trace.events.size(); number-- > 0;)
    if (uint32_t parent = trace.events[number].parent;
        parent != TraceEvent::none && (isWork[number] || holdsWork[number]))
      holdsWork[parent] = true;
  std::vector<uint32_t> work;
  for (const OwnWork &each : all)
    if (trace.lanes[trace.events[each.event].lane].isDevice ||
        !holdsWork[each.event])
      work.push_back(each.event);
  return work;
}

//===----------------------------------------------------------------------===//
// What is around an event
//===----------------------------------------------------------------------===//

SmallVector<uint32_t> mlir::llm::eventsAround(const ImportedTrace &trace,
                                              uint32_t number) {
  const TraceEvent &event = trace.events[number];
  // An annotation of a stream stands for the range of the host.
  uint32_t next =
      event.launchedBy != TraceEvent::none ? event.launchedBy : event.parent;
  SmallVector<uint32_t> around;
  for (; next != TraceEvent::none; next = trace.events[next].parent) {
    TraceEventKind kind = trace.events[next].kind;
    if (kind == TraceEventKind::Range || kind == TraceEventKind::Op)
      around.push_back(next);
  }
  std::reverse(around.begin(), around.end());
  return around;
}
