//===- ImportedTrace.cpp - A run that another tool recorded ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/ImportedTrace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

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

/// Ops that contain no other op, and innermost ranges of lanes without ops.
static std::vector<uint32_t> listHostWork(const ImportedTrace &trace) {
  ArrayRef<TraceEvent> events = trace.events;
  std::vector<bool> hasOps(trace.lanes.size());
  for (const TraceEvent &event : events)
    if (event.kind == TraceEventKind::Op)
      hasOps[event.lane] = true;
  auto isCandidate = [&](const TraceEvent &event) {
    return !trace.lanes[event.lane].isDevice &&
           event.kind == (hasOps[event.lane] ? TraceEventKind::Op
                                             : TraceEventKind::Range);
  };
  // Those inside come behind those around them.
  std::vector<bool> holdsCandidate(events.size());
  std::vector<uint32_t> work;
  for (uint32_t number = events.size(); number-- > 0;) {
    const TraceEvent &event = events[number];
    bool isWork = isCandidate(event) && !holdsCandidate[number];
    if (isWork)
      work.push_back(number);
    if (event.parent != TraceEvent::none &&
        (isCandidate(event) || holdsCandidate[number]))
      holdsCandidate[event.parent] = true;
  }
  return work;
}

std::vector<uint32_t> mlir::llm::listWork(const ImportedTrace &trace) {
  std::vector<uint32_t> work;
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (isDeviceWork(trace, event))
      work.push_back(number);
  if (work.empty())
    work = listHostWork(trace);
  ::llvm::sort(work, [&](uint32_t a, uint32_t b) {
    return std::pair(trace.events[a].startNanoseconds, a) <
           std::pair(trace.events[b].startNanoseconds, b);
  });
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
