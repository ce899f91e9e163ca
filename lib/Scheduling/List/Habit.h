//===- Habit.h - How the list scheduler starts parts ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_HABIT_H
#define LLM_LIB_SCHEDULING_LIST_HABIT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::llm::scheduling {

/// How a part starts when the machine is busy.
enum class Manner {
  Patient, ///< starts only at its shortest, and only where it ends first
  Eager,   ///< takes the free lanes, unless it ends sooner with the next ones
};

/// What the list scheduler does with the parts of a task.
struct Habit {
  Manner manner = Manner::Eager;
  /// Memory engines wait for sources of the part that are still being written
  /// or selected, instead of going without them.
  bool waitsForSources = false;
  /// At most so many engines stream while other parts are ready. Memory engines
  /// then have lanes for what comes next while something is computed.
  std::optional<int64_t> mostStreams;
  /// At most so many parts of the task run at once while other parts are ready.
  /// This is for a task that streams much beside one that computes much.
  std::optional<int64_t> mostParts;
  /// `mostParts` also holds if no others are ready. Memory engines then have
  /// the lanes.
  bool alwaysMostParts = false;
  /// An engine streams with at most one of so many equal shares of the lanes.
  /// Parts that almost fit side by side then run so, and end together. With
  /// `evenShares`, the free lanes have one share for each engine that is idle
  /// and has something to start.
  int64_t shares = 1;
  static constexpr int64_t evenShares = 0;

  /// Of the sources of a part, only the one that saves most is fetched, and the
  /// others are streamed. A memory engine and the part's engine then share the
  /// work.
  bool fetchesOne = false;
  /// An engine does not stream a part if a slice that it can start with arrives
  /// soon, which is within this percentage of the cycles that streaming would
  /// take.
  int64_t waitPercent = 0;

  bool operator==(const Habit &other) const {
    return manner == other.manner && waitsForSources == other.waitsForSources &&
           mostStreams == other.mostStreams && mostParts == other.mostParts &&
           alwaysMostParts == other.alwaysMostParts && shares == other.shares &&
           fetchesOne == other.fetchesOne && waitPercent == other.waitPercent;
  }
};

struct ListOptions {
  bool prefetches = false;
  unsigned halvings = 0; ///< how often compute engines are halved
  std::vector<Habit> habits =
      std::vector<Habit>(1); ///< of each task, or one for all
  /// Extra cycles of each task, see Plan::make; empty for none.
  std::vector<int64_t> extraCycles;

  const Habit &habitOf(unsigned task) const {
    return habits.size() == 1 ? habits.front() : habits[task];
  }
  /// Replaces the entry for all tasks by an equal one for each task.
  void expand(size_t taskCount) {
    if (habits.size() == 1)
      habits.resize(taskCount, Habit(habits.front()));
    extraCycles.resize(taskCount, 0);
  }
  bool hasHabitsOf(const ListOptions &other) const {
    return prefetches == other.prefetches && halvings == other.halvings &&
           habits == other.habits;
  }
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_HABIT_H
