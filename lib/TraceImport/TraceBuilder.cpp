//===- TraceBuilder.cpp - Makes a trace of what a file holds --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

static constexpr uint32_t none = TraceEvent::none;

//===----------------------------------------------------------------------===//
// What readers hand over
//===----------------------------------------------------------------------===//

uint32_t TraceBuilder::addLane(TraceLane lane) {
  built.lanes.push_back(std::move(lane));
  return built.lanes.size() - 1;
}

uint32_t TraceBuilder::addArgs(StringRef object) {
  if (object.empty() || object == "{}")
    return 0;
  size_t textsBefore = built.texts.size();
  if (argsBytes + object.size() > maxArgsBytes) {
    ++argsLeftOut;
    return 0;
  }
  uint32_t number = built.texts.add(object);
  if (built.texts.size() > textsBefore)
    argsBytes += object.size();
  return number;
}

uint32_t TraceBuilder::addEvent(const TraceEvent &event) {
  assert(isTime(event.startNanoseconds) && isTime(event.endNanoseconds) &&
         event.startNanoseconds <= event.endNanoseconds && "no interval");
  built.events.push_back(event);
  return built.events.size() - 1;
}

void TraceBuilder::addLauncher(Join join, int64_t key, uint32_t event) {
  launchers[size_t(join)].push_back({key, event});
}

void TraceBuilder::addLaunched(Join join, int64_t key, uint32_t event) {
  launched[size_t(join)].push_back({key, event});
}

uint32_t TraceBuilder::addCounter(StringRef name, StringRef unit) {
  built.counters.push_back({name.str(), unit.str()});
  return built.counters.size() - 1;
}

void TraceBuilder::addSample(uint32_t counter, int64_t nanoseconds,
                             double value) {
  assert(isTime(nanoseconds) && std::isfinite(value) && "no sample");
  built.samples.push_back({counter, nanoseconds, value});
}

void TraceBuilder::countNote(StringRef text, const Twine &where,
                             uint64_t count) {
  Counted &note = counted[text.str()];
  if (note.count == 0)
    note.first = where.str();
  note.count += count;
}

//===----------------------------------------------------------------------===//
// Order and nesting
//===----------------------------------------------------------------------===//

std::vector<ArrowEnd *> TraceBuilder::findPlaces() {
  std::vector<ArrowEnd *> places;
  for (PendingArrow &arrow : arrows)
    for (ArrowEnd *end : {&arrow.from, &arrow.into})
      if (end->event == none && end->lane != none)
        places.push_back(end);
  for (PendingRecording &recording : recordings)
    if (recording.place.lane != none)
      places.push_back(&recording.place);
  return places;
}

/// Drops lanes without events. A thread of which only the name is known is no
/// line of a picture.
void TraceBuilder::dropEmptyLanes() {
  std::vector<bool> isUsed(built.lanes.size());
  for (const TraceEvent &event : built.events)
    isUsed[event.lane] = true;
  std::vector<uint32_t> newNumbers(built.lanes.size(), none);
  uint32_t kept = 0;
  for (auto [number, used] : ::llvm::enumerate(isUsed)) {
    if (!used)
      continue;
    newNumbers[number] = kept;
    if (kept != number)
      built.lanes[kept] = std::move(built.lanes[number]);
    ++kept;
  }
  built.lanes.resize(kept);
  for (TraceEvent &event : built.events)
    event.lane = newNumbers[event.lane];
  for (ArrowEnd *place : findPlaces())
    place->lane = newNumbers[place->lane];
}

void TraceBuilder::sortEvents() {
  // Readers know an event by its number. Until parents are found, it is in
  // `parent`, and keeps events with equal times in the order of the file.
  for (auto [number, event] : ::llvm::enumerate(built.events))
    event.parent = number;
  ::llvm::sort(built.events, [](const TraceEvent &a, const TraceEvent &b) {
    return std::tuple(a.lane, a.startNanoseconds, -a.endNanoseconds, a.parent) <
           std::tuple(b.lane, b.startNanoseconds, -b.endNanoseconds, b.parent);
  });
  std::vector<uint32_t> placeOfEvent(built.events.size());
  for (auto [place, event] : ::llvm::enumerate(built.events))
    placeOfEvent[event.parent] = place;
  renumber(placeOfEvent);
}

void TraceBuilder::renumber(ArrayRef<uint32_t> placeOfEvent) {
  for (auto *keys : {&launchers[0], &launchers[1], &launched[0], &launched[1]})
    for (Key &key : *keys)
      key.event = placeOfEvent[key.event];
  for (PendingArrow &arrow : arrows)
    for (ArrowEnd *end : {&arrow.from, &arrow.into})
      if (end->event != none)
        end->event = placeOfEvent[end->event];
  for (PendingRecording &recording : recordings)
    recording.work = placeOfEvent[recording.work];
}

/// Finds the event around each event with one stack, which every event enters
/// and leaves once. An event that ends before another one starts cannot hold it
/// or any later one. An event does not lie in one that ends where it starts.
void TraceBuilder::findParents() {
  std::vector<TraceEvent> &events = built.events;
  std::vector<uint32_t> open;
  for (auto [number, event] : ::llvm::enumerate(events)) {
    while (!open.empty() &&
           (events[open.back()].lane != event.lane ||
            events[open.back()].endNanoseconds <= event.startNanoseconds ||
            events[open.back()].endNanoseconds < event.endNanoseconds))
      open.pop_back();
    event.parent = open.empty() ? none : open.back();
    open.push_back(number);
  }
}

//===----------------------------------------------------------------------===//
// Who launched what
//===----------------------------------------------------------------------===//

void TraceBuilder::join(Join join) {
  std::vector<TraceEvent> &events = built.events;
  std::vector<Key> &candidates = launchers[size_t(join)];
  auto orderOf = [&](const Key &key) {
    return std::tuple(key.key, events[key.event].startNanoseconds, key.event);
  };
  ::llvm::sort(candidates, [&](const Key &a, const Key &b) {
    return orderOf(a) < orderOf(b);
  });
  for (auto [key, work] : launched[size_t(join)]) {
    if (events[work].launchedBy != none)
      continue;
    std::tuple latest(key, events[work].startNanoseconds, none);
    auto behind = ::llvm::partition_point(
        candidates, [&](const Key &other) { return orderOf(other) <= latest; });
    if (behind != candidates.begin() && std::prev(behind)->key == key)
      events[work].launchedBy = std::prev(behind)->event;
    else if (behind != candidates.end() && behind->key == key)
      events[work].launchedBy = behind->event;
  }
  candidates = {};
  launched[size_t(join)] = {};
}

void TraceBuilder::findRecorders() {
  for (const auto &[work, place] : recordings)
    if (place.event != none)
      built.recordedIn[work] = place.event;
}

void TraceBuilder::drawArrows() {
  for (const auto &[from, into] : arrows)
    if (from.event != none && into.event != none)
      built.arrows.push_back({from.event, into.event});
  if (size_t lost = arrows.size() - built.arrows.size())
    addNote("Arrows that begin or end where no event is are left out: " +
            Twine(lost) + ".");
}

static bool isWork(const TraceEvent &event) {
  return event.kind == TraceEventKind::Kernel ||
         event.kind == TraceEventKind::Copy ||
         event.kind == TraceEventKind::Fill;
}

/// Finds launches by arrows, as older traces have nothing else.
void TraceBuilder::launchByArrows() {
  for (auto [from, into] : built.arrows) {
    TraceEvent &work = built.events[into];
    if (isWork(work) && work.launchedBy == none &&
        built.lanes[work.lane].isDevice &&
        !built.lanes[built.events[from].lane].isDevice)
      work.launchedBy = from;
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

void TraceBuilder::shiftTimes() {
  int64_t first = maxNanoseconds;
  for (const TraceEvent &event : built.events)
    first = std::min(first, event.startNanoseconds);
  for (const ImportedTrace::Sample &sample : built.samples)
    first = std::min(first, sample.nanoseconds);
  for (TraceEvent &event : built.events) {
    event.startNanoseconds -= first;
    event.endNanoseconds -= first;
  }
  for (ImportedTrace::Sample &sample : built.samples)
    sample.nanoseconds -= first;
}

void TraceBuilder::writeNotes() {
  for (const auto &[text, note] : counted)
    addNote(text + ": " + Twine(note.count) + ", the first at " + note.first +
            ".");
  if (argsLeftOut)
    addNote("The args of " + Twine(argsLeftOut) +
            " events are left out: distinct ones take more than " +
            Twine(maxArgsBytes >> 20) + " MiB.");
}

ImportedTrace TraceBuilder::finish() && {
  dropEmptyLanes();
  sortEvents();
  findParents();
  join(Join::Correlation);
  join(Join::ExternalId);
  std::vector<ArrowEnd *> places = findPlaces();
  findArrowEnds(built.events, places);
  findRecorders();
  drawArrows();
  launchByArrows();
  shiftTimes();
  writeNotes();
  return std::move(built);
}
