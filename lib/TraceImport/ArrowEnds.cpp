//===- ArrowEnds.cpp - On which event an arrow begins or ends -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Finds the events at places. Walks over the places and events of all lanes
/// together, each once.
class PlaceFinder {
public:
  explicit PlaceFinder(ArrayRef<TraceEvent> events) : events(events) {}
  /// Finds the event of a place. Places must come in their order, by lane and
  /// time.
  void find(ArrowEnd &place);

private:
  bool startsUpTo(const TraceEvent &event, const ArrowEnd &place) const {
    return std::pair(event.lane, event.startNanoseconds) <=
           std::pair(place.lane, place.nanoseconds);
  }
  bool startsBefore(const TraceEvent &event, const ArrowEnd &place) const {
    return std::pair(event.lane, event.startNanoseconds) <
           std::pair(place.lane, place.nanoseconds);
  }
  void begin(uint32_t number);
  uint32_t innermostAt(const ArrowEnd &place);

  ArrayRef<TraceEvent> events;
  uint32_t next = 0;          ///< the first event that starts behind the place
  uint32_t notBefore = 0;     ///< the first one that does not start before it
  std::vector<uint32_t> open; ///< may run then; later ones end sooner
};
} // namespace

void PlaceFinder::begin(uint32_t number) {
  const TraceEvent &event = events[number];
  while (!open.empty() &&
         (events[open.back()].lane != event.lane ||
          events[open.back()].endNanoseconds <= event.endNanoseconds))
    open.pop_back();
  open.push_back(number);
}

uint32_t PlaceFinder::innermostAt(const ArrowEnd &place) {
  auto isOver = [&](const TraceEvent &event) {
    // An event without length is found at its own time.
    return event.lane != place.lane ||
           (event.endNanoseconds <= place.nanoseconds &&
            event.startNanoseconds != place.nanoseconds);
  };
  while (!open.empty() && isOver(events[open.back()]))
    open.pop_back();
  return open.empty() ? TraceEvent::none : open.back();
}

void PlaceFinder::find(ArrowEnd &place) {
  for (; next < events.size() && startsUpTo(events[next], place); ++next)
    begin(next);
  while (notBefore < events.size() && startsBefore(events[notBefore], place))
    ++notBefore;
  if (!place.isNext)
    place.event = innermostAt(place);
  else if (notBefore < events.size() && events[notBefore].lane == place.lane)
    place.event = notBefore;
}

void mlir::llm::findArrowEnds(ArrayRef<TraceEvent> events,
                              MutableArrayRef<ArrowEnd *> ends) {
  ::llvm::sort(ends, [](const ArrowEnd *a, const ArrowEnd *b) {
    return std::pair(a->lane, a->nanoseconds) <
           std::pair(b->lane, b->nanoseconds);
  });
  PlaceFinder finder(events);
  for (ArrowEnd *end : ends)
    finder.find(*end);
}
