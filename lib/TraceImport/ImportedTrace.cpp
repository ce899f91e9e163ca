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

/// Finds the work of the host: ops, and ranges of lanes without ops.
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

/// Marks the pieces that other pieces lie in.
static void markAround(const ImportedTrace &trace,
                       std::vector<TraceWork> &work) {
  std::vector<bool> holds(trace.events.size());
  for (const TraceWork &piece : work)
    for (uint32_t outer = trace.events[piece.event].parent;
         outer != TraceEvent::none && !holds[outer];
         outer = trace.events[outer].parent)
      holds[outer] = true;
  for (TraceWork &piece : work)
    piece.isAround =
        holds[piece.event] && !isDeviceWork(trace, trace.events[piece.event]);
}

/// Lists work of the host, each piece with the time that no other piece inside
/// it has.
static std::vector<TraceWork> listHostWork(const ImportedTrace &trace,
                                           const std::vector<bool> &isWork) {
  std::vector<uint64_t> inside(trace.events.size());
  std::vector<TraceWork> work;
  // This runs backwards, as events come behind the events that they lie in.
  for (uint32_t number = trace.events.size(); number-- > 0;) {
    const TraceEvent &event = trace.events[number];
    // Events that cut each other may lie in one, and together be longer than
    // it.
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

/// Lists the work of devices. If there is none, it lists these events of the
/// host.
static std::vector<TraceWork>
listWork(const ImportedTrace &trace,
         function_ref<std::vector<bool>(const ImportedTrace &)> findOnHost) {
  std::vector<TraceWork> work;
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (isDeviceWork(trace, event))
      work.push_back({uint32_t(number), lengthOf(event)});
  if (work.empty())
    work = listHostWork(trace, findOnHost(trace));
  ::llvm::sort(work, [&](const TraceWork &a, const TraceWork &b) {
    return std::pair(trace.events[a.event].startNanoseconds, a.event) <
           std::pair(trace.events[b.event].startNanoseconds, b.event);
  });
  markAround(trace, work);
  return work;
}

std::vector<TraceWork> mlir::llm::listOwnWork(const ImportedTrace &trace) {
  return listWork(trace, findHostWork);
}

/// Finds the events that have a range in them.
static std::vector<bool> findHoldersOfRanges(const ImportedTrace &trace) {
  std::vector<bool> holds(trace.events.size());
  for (uint32_t number = trace.events.size(); number-- > 0;) {
    const TraceEvent &event = trace.events[number];
    bool isRange = event.kind == TraceEventKind::Range;
    if (event.parent != TraceEvent::none && (isRange || holds[number]))
      holds[event.parent] = true;
  }
  return holds;
}

/// Finds the outermost ops among host work. An event that lies in one with a
/// range in it, and a range itself, begin anew.
static std::vector<bool> findWholeHostWork(const ImportedTrace &trace) {
  std::vector<bool> isWork = findHostWork(trace), isWhole(isWork.size());
  std::vector<bool> holdsRange = findHoldersOfRanges(trace);
  // Entries are the whole that an event is in. Events around an event come
  // before it.
  std::vector<uint32_t> wholes(isWork.size(), TraceEvent::none);
  for (auto [number, event] : ::llvm::enumerate(trace.events)) {
    bool isPart = event.parent != TraceEvent::none &&
                  !holdsRange[event.parent] &&
                  event.kind != TraceEventKind::Range;
    if (isPart)
      wholes[number] = wholes[event.parent];
    if (isWork[number] && wholes[number] == TraceEvent::none)
      wholes[number] = number;
    if (isWork[number])
      isWhole[wholes[number]] = true;
  }
  return isWhole;
}

std::vector<TraceWork> mlir::llm::listWholeWork(const ImportedTrace &trace) {
  std::vector<TraceWork> work = listWork(trace, findWholeHostWork);
  // A piece whose time is all inside others is dropped.
  ::llvm::erase_if(work, [](const TraceWork &piece) {
    return piece.isAround && piece.nanoseconds == 0;
  });
  return work;
}

//===----------------------------------------------------------------------===//
// What is around an event
//===----------------------------------------------------------------------===//

/// Adds ranges and ops from that event on outward, outermost first.
static void addChain(const ImportedTrace &trace, uint32_t innermost,
                     SmallVector<uint32_t> &around) {
  size_t first = around.size();
  for (uint32_t next = innermost; next != TraceEvent::none;
       next = trace.events[next].parent) {
    TraceEventKind kind = trace.events[next].kind;
    if (kind == TraceEventKind::Range || kind == TraceEventKind::Op)
      around.push_back(next);
  }
  std::reverse(around.begin() + first, around.end());
}

SmallVector<uint32_t> mlir::llm::eventsAround(const ImportedTrace &trace,
                                              uint32_t number) {
  const TraceEvent &event = trace.events[number];
  SmallVector<uint32_t> around;
  // An annotation of a stream stands for the range of the host that launched
  // it.
  addChain(trace,
           event.launchedBy != TraceEvent::none ? event.launchedBy
                                                : event.parent,
           around);
  if (auto recorder = trace.recordedIn.find(number);
      recorder != trace.recordedIn.end())
    addChain(trace, recorder->second, around);
  return around;
}
