//===- ChromeFlows.cpp - Arrows of a trace in Chrome's JSON ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChromeFlows.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace mlir;
using namespace mlir::llm;

uint32_t ChromeFlows::typeOf(StringRef category, StringRef name) {
  std::string key = (category + Twine('\0') + name).str();
  return types.try_emplace(key, types.size()).first->second;
}

/// Writers put an arrow's end right behind its event. This order tells the
/// event apart from others that run at the same time, such as events without
/// length and events inside of it.
void ChromeFlows::addEnd(const ChromeEvent &event, int64_t nanoseconds) {
  ArrowEnd end;
  end.lane = lanes.laneOf(event.process, event.thread);
  end.nanoseconds = nanoseconds;
  end.isNext = event.phase == 'f' && !event.bindsEnclosing;
  const ChromeLanes::State &state = lanes.stateOf(end.lane);
  if (state.last != TraceEvent::none && !end.isNext) {
    const TraceEvent &last = builder.event(state.last);
    bool isOpen = !state.open.empty() && state.open.back().event == state.last;
    if (last.startNanoseconds == nanoseconds ||
        (last.startNanoseconds < nanoseconds &&
         (isOpen || nanoseconds < last.endNanoseconds)))
      end.event = state.last;
  }
  Step step = event.phase == 's'   ? Step::Start
              : event.phase == 't' ? Step::Pass
                                   : Step::End;
  ends.push_back({typeOf(event.category, event.name), step, event.id,
                  nanoseconds, end, event.offsetBytes});
}

void ChromeFlows::addBound(const ChromeEvent &event, uint32_t number) {
  ArrowEnd end;
  end.event = number;
  Step step = !event.flowsIn   ? Step::Start
              : event.flowsOut ? Step::Pass
                               : Step::End;
  ends.push_back({typeOf("", ""), step, event.flow,
                  builder.event(number).startNanoseconds, end,
                  event.offsetBytes});
}

/// Draws the arrows of an id in the order of time. An id may be used again when
/// its arrow has ended.
void ChromeFlows::drawInOrder(ArrayRef<End> chain) {
  const ArrowEnd *from = nullptr;
  for (const End &end : chain) {
    if (end.step != Step::Start && from)
      builder.addArrow(*from, end.end);
    else if (end.step != Step::Start)
      builder.countNote("Ends of arrows without a beginning are left out",
                        "byte " + Twine(end.offsetBytes));
    if (end.step != Step::End)
      from = &end.end;
  }
}

void ChromeFlows::drawChain(ArrayRef<End> chain) {
  auto isStart = [](const End &end) { return end.step == Step::Start; };
  if (::llvm::all_of(chain, isStart)) {
    builder.countNote("Beginnings of arrows without an end are left out",
                      "byte " + Twine(chain.front().offsetBytes), chain.size());
    return;
  }
  // A chain of two ends is an arrow, even one that goes back in time.
  if (chain.size() == 2 && isStart(chain[0]) != isStart(chain[1])) {
    bool isBack = isStart(chain[1]);
    builder.addArrow(chain[isBack].end, chain[!isBack].end);
    return;
  }
  drawInOrder(chain);
}

void ChromeFlows::draw() {
  auto identity = [](const End &end) { return std::tie(end.type, end.id); };
  ::llvm::stable_sort(ends, [&](const End &a, const End &b) {
    return std::tuple(a.type, a.id, a.nanoseconds, a.step) <
           std::tuple(b.type, b.id, b.nanoseconds, b.step);
  });
  for (ArrayRef<End> rest = ends; !rest.empty();) {
    ArrayRef<End> chain = rest.take_while([&](const End &end) {
      return identity(end) == identity(rest.front());
    });
    rest = rest.drop_front(chain.size());
    drawChain(chain);
  }
  ends = {};
}
