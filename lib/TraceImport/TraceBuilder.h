//===- TraceBuilder.h - Makes a trace of what a file holds ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers add what they find, in any order. Until `finish`, numbers of lanes
// and events are those of the order in which they came.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_TRACEBUILDER_H
#define LLM_TRACEIMPORT_TRACEBUILDER_H

#include "llm/TraceImport/ImportedTrace.h"

#include <map>

namespace mlir::llm {

/// One end of an arrow: an event, or a place on a lane.
struct ArrowEnd {
  uint32_t event = TraceEvent::none;
  // If no event is known, this is a place. The event is the innermost one that
  // runs then, or with `isNext` the first one that begins from then on.
  uint32_t lane = 0;
  int64_t nanoseconds = 0;
  bool isNext = false;
};

class TraceBuilder {
public:
  /// The most bytes of distinct texts of args. Later ones are left out, and a
  /// note says how many.
  static constexpr size_t maxArgsBytes = size_t(96) << 20;
  /// The largest time, in either direction.
  static constexpr int64_t maxNanoseconds = (int64_t(1) << 61) - 1;
  static bool isTime(int64_t nanoseconds) {
    return -maxNanoseconds <= nanoseconds && nanoseconds <= maxNanoseconds;
  }

  /// Gives access to what is known of the whole trace: format, devices.
  ImportedTrace &trace() { return built; }

  uint32_t addLane(TraceLane lane);
  /// Gives access to a lane, as names may be known late.
  TraceLane &lane(uint32_t number) { return built.lanes[number]; }

  uint32_t addText(StringRef text) { return built.texts.add(text); }
  /// Adds the text of a JSON object. An empty object becomes the empty text.
  uint32_t addArgs(StringRef object);

  /// Adds an event. Start and end have any origin, and the end is not before
  /// the start. `finish` finds `launchedBy` and `parent`.
  uint32_t addEvent(const TraceEvent &event);
  TraceEvent &event(uint32_t number) { return built.events[number]; }

  /// The kinds of keys by which work finds its launcher. Among the launchers
  /// with its key, it takes the one that started last before the work, or else
  /// the first. Correlations are asked first.
  enum class Join { Correlation, ExternalId };
  void addLauncher(Join join, int64_t key, uint32_t event);
  void addLaunched(Join join, int64_t key, uint32_t event);

  /// Notes that work was recorded there. It runs whenever its graph does.
  void addRecorded(uint32_t work, uint32_t lane, int64_t nanoseconds) {
    recordings.push_back({work, {TraceEvent::none, lane, nanoseconds, false}});
  }

  void addArrow(const ArrowEnd &from, const ArrowEnd &into) {
    arrows.push_back({from, into});
  }

  uint32_t addCounter(StringRef name, StringRef unit);
  void addSample(uint32_t counter, int64_t nanoseconds, double value);

  void addNote(const Twine &sentence) { built.notes.push_back(sentence.str()); }
  /// Adds a note for something that may occur often. There is one note for all
  /// with the same text, which says how many and where the first one is ("byte
  /// 17", "row 3 of KERNEL").
  void countNote(StringRef text, const Twine &where, uint64_t count = 1);

  /// Sorts events, finds parents and launchers, and lets the first event start
  /// at 0. Takes O(n log n).
  ImportedTrace finish() &&;

private:
  struct Key {
    int64_t key;
    uint32_t event;
  };
  struct Counted {
    uint64_t count = 0;
    std::string first;
  };
  struct PendingArrow {
    ArrowEnd from, into;
  };

  struct PendingRecording {
    uint32_t work;
    ArrowEnd place;
  };

  /// Finds the ends of arrows and recordings that are places on lanes.
  std::vector<ArrowEnd *> findPlaces();
  void dropEmptyLanes();
  void sortEvents();
  void renumber(ArrayRef<uint32_t> placeOfEvent);
  void findParents();
  void join(Join join);
  void findRecorders();
  void drawArrows();
  void launchByArrows();
  void shiftTimes();
  void writeNotes();

  ImportedTrace built;
  std::vector<Key> launchers[2], launched[2];
  std::vector<PendingArrow> arrows;
  std::vector<PendingRecording> recordings;
  size_t argsBytes = 0;
  uint64_t argsLeftOut = 0;
  std::map<std::string, Counted> counted;
};

/// Finds the events of ends that are places, in O(n log n). Events must be
/// sorted, with times of the same origin as those of the ends.
void findArrowEnds(ArrayRef<TraceEvent> events,
                   MutableArrayRef<ArrowEnd *> ends);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_TRACEBUILDER_H
