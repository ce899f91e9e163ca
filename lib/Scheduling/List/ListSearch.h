//===- ListSearch.h - Ways to cut and start tasks, tried --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_LISTSEARCH_H
#define LLM_LIB_SCHEDULING_LIST_LISTSEARCH_H

#include "Habit.h"
#include "Plan.h"
#include "llm/Scheduling/Solvers.h"

#include <functional>
#include <map>

namespace mlir::llm::scheduling {

/// How each task is cut (`Task::partsOf`). If it is empty, all tasks are as
/// they are.
using Choices = std::vector<unsigned>;
/// Levels to try with all habits if the search is worth much.
inline constexpr size_t manyLevels = 3;
/// A gain of less than one part in so many is not worth the search.
inline constexpr int64_t nearEnough = 200;
/// Equal tasks, at the same place of equal stages. They change together.
using Alike = std::vector<unsigned>;

/// How long a search goes on.
struct SearchEffort {
  /// Parts to place. A brief search counts those that its runs have started,
  /// and others count all parts of each run.
  size_t parts = 1'000'000;
  /// In multiples of the runs in vain that are usual.
  double patience = 1;
  /// Tries what mostly wins first, and leaves out what seldom does.
  bool isBrief = false;
  /// If it is set, only the best solution counts, and only if it is shorter
  /// than this. Other runs give up.
  std::optional<int64_t> wanted = std::nullopt;
};

class ListRun;

/// Runs the list scheduler with ways to cut the tasks and to start the parts,
/// and keeps the shortest solution.
class ListSearch {
public:
  /// Stops near enough to `bound` cycles, which is a lower bound (0: none is
  /// known). Also stops once it has placed the parts of its effort, or at the
  /// end of its patience, after a number of runs that won little. `report` must
  /// outlive it.
  ListSearch(const Problem &problem, int64_t bound, const SearchEffort &effort,
             const TryReport &report);

  /// From here on, worth() is at most `worth`.
  void setMostWorth(double worth) { mostWorth = worth; }
  /// Forgets runs that won nothing, because another way to search begins.
  void renewPatience() { runsInVain = 0; }

  const std::optional<Solution> &best() const { return shortest; }
  /// Moves the best solution out, because it may have a million slots. Nothing
  /// may be tried after that.
  std::optional<Solution> takeBest() { return std::move(shortest); }
  /// The options with which the best solution was found.
  const ListOptions &bestOptions() const { return options; }
  size_t placedParts() const { return placed; }
  bool isDone() const {
    if (shortest && isNearEnough(shortest->makespan, bound))
      return true;
    return (shortest || effort.wanted) &&
           (placed >= effort.parts || runsInVain >= patience());
  }
  /// The share of its patience that the search is worth, from 0 to 1. It is
  /// smaller if less is left to win.
  double worth() const;

  /// Tries all tasks at one level after the other, from whole tasks to fine
  /// cuts, see choiceAt(). Tries the best levels, so many, with all habits.
  void tryLevels(size_t levelsToTry);
  /// Tries the same, but with no task in an earlier way than in `cuts`. Then
  /// tries it again with those tasks as in `cuts` that compute for longer than
  /// they stream.
  void tryLevelsFrom(const Choices &cuts);
  /// Tries the levels above these cuts: all tasks, or only those that compute
  /// for less long than they stream. Each is started in the few ways with which
  /// most layers end: with these tasks first or not, and with all, half or none
  /// of the engines that stream. A run that is not the shortest gives up.
  void tryLevelsBriefly(const Choices &cuts, bool onlyStreams);
  /// Tries these cuts, started in the few ways that are mostly best.
  void tryFew(const Choices &choices);
  /// Tries the same with parts so small that they can be fetched. Tasks that
  /// compute for longer than they stream come first. Meanwhile, what others
  /// stream is fetched.
  void tryFetchingBehind(const Choices &cuts);
  /// Tries each way to cut the first task, in the few ways to start that are
  /// mostly best. Only the best solution is kept. Ends after so many finer cuts
  /// in vain.
  void tryEachChoice(unsigned mostInVain);
  /// Does one run. Its outcome may become a start of descend().
  void tryOnce(const Choices &choices, const ListOptions &options);
  /// Starts from the best of each habit, and cuts one task after the other in
  /// another way, as long as that makes the schedule shorter.
  void descend();
  /// Does the same from the best start alone, and looks only at what is near.
  void descendBriefly();
  /// Does the same from the shortest schedule, with tasks cut so finely that
  /// their slices can be fetched ahead.
  void descendFromBest();
  /// Sets the groups of equal tasks. Each task is in one of them. If this is
  /// not called, each is alone.
  void setAlike(std::vector<Alike> tasks) { alike = std::move(tasks); }
  void keep(Solution solution, const Choices &choices, const ListOptions &with);

private:
  /// The shortest solution with these options.
  struct Start {
    ListOptions options;
    Choices choices;
    int64_t makespan;
    /// For each task, how many of its parts run at once; empty if not known.
    std::vector<unsigned> mostAtOnce = {};
  };

  /// The number of runs in vain after which the search stops.
  size_t patience() const;
  struct Outcome;
  /// Keeps the outcome as a start of a descent if it is the best with such
  /// options. Returns its makespan, or `INT64_MAX` on overflow.
  int64_t noteStart(const ListOptions &with, const Choices &choices,
                    Outcome found);
  /// Calls `runOne` with these cuts and each of the few ways to start.
  void runFew(const Choices &choices,
              const std::function<void(const Problem &, const Plan &,
                                       const ListOptions &)> &runOne);
  void tryLevels(
      const std::function<unsigned(unsigned task, unsigned level)> &choiceAt,
      size_t levelsToTry);
  /// Tries these cuts for tryLevelsBriefly().
  void tryStreamsFirst(const Choices &choices);
  /// Tries these cuts with all habits.
  void tryHabits(const Choices &choices);
  /// Returns the choice with about as many parts for each engine as other tasks
  /// have at this level. Level 0 is the whole task.
  unsigned choiceAt(unsigned task, unsigned level) const;
  std::vector<bool> findStreams(const Plan &plan) const;
  std::vector<int64_t> comeFirst(const std::vector<bool> &tasks) const;
  /// Extra cycles of a task that comes first.
  static int64_t inFront(int64_t cycles);
  std::vector<bool> findCompany() const;
  void prepareDescent();
  void sortStarts();
  void sortAlike();
  void descendFrom(Start &start, int mostInVain);
  /// Runs the start as it now is. Returns whether it is shorter than it was.
  bool shorten(Start &start);
  /// Values to try, on both sides of `from`.
  struct Range {
    int64_t from, least, most, step;
  };
  /// Tries other values, and keeps the best one. Returns whether it makes the
  /// schedule shorter. Gives up in one direction after `mostInVain` tries in
  /// vain. Values that are `isKnown` to change nothing are not run.
  bool walk(Start &start, Range range, int mostInVain,
            const std::function<void(int64_t)> &set,
            const std::function<bool(int64_t)> &isKnown = nullptr);
  /// Tries other ways to cut these tasks.
  bool recut(Start &start, const Alike &tasks, int mostInVain);
  /// Returns whether no more than `mostParts` parts of these tasks would run at
  /// once anyway.
  static bool holdsBackNone(const Start &start, const Alike &tasks,
                            int64_t mostParts);
  /// Tries how many parts of these tasks may run at once, either while others
  /// are ready or always.
  bool limit(Start &start, const Alike &tasks, bool always);
  /// Tries whether these tasks, and what leads to them, should come first.
  bool reorder(Start &start, const Alike &tasks);
  /// Tries finer cuts, if these move about as many bytes.
  Choices cutForFetches(Choices choices) const;
  static std::vector<ListOptions> eagerOptions(const Problem &resolved);
  static std::vector<ListOptions> levelOptions(const Problem &resolved);
  static std::vector<ListOptions> fewOptions(const Problem &resolved);
  static std::vector<ListOptions>
  otherOptions(const Problem &resolved, const Plan &plan, bool isAsGiven);
  /// The outcome of one run.
  struct Outcome {
    size_t placed;                         ///< parts
    std::optional<int64_t> makespan;       ///< nothing on overflow
    std::vector<unsigned> mostAtOnce = {}; ///< see Start
    /// If it is set, the run gave up, since it could not be shorter than this.
    std::optional<int64_t> atLeast = std::nullopt;
  };
  void note(const Outcome &outcome);
  /// The limit of a run, for which the caller has a limit or none.
  std::optional<int64_t> limitOf(std::optional<int64_t> limit) const;
  /// How much of the effort's parts a run takes.
  size_t priceOf(const ListRun &listRun, const Plan &plan) const;
  /// Does one run, or returns its outcome if it is known, because a walk comes
  /// by the same run more than once. A run that is not below the limit may give
  /// up.
  Outcome evaluate(const Choices &choices, const ListOptions &options,
                   std::optional<int64_t> limit = std::nullopt);
  Outcome run(const Problem &resolved, const Plan &plan,
              const ListOptions &with, const Choices &choices,
              std::optional<int64_t> limit = std::nullopt);
  /// Returns the problem with these cuts. This is the problem itself if they
  /// change nothing, or else `copy`.
  const Problem &cut(const Choices &choices, Problem &copy) const;
  /// Does the same for one of many runs that hardly differ in their cuts. The
  /// next call changes what this one returns.
  const Problem &cutAgain(const Choices &choices);

  const Problem &problem;
  int64_t bound;
  SearchEffort effort;
  size_t placed = 0, runsInVain = 0;
  int64_t lastGain = INT64_MAX; ///< makespan of the last run that won much
  double mostWorth = 1;
  const TryReport &report;
  std::vector<unsigned> firstLevels; ///< of each task, see choiceAt()
  std::optional<Solution> shortest;
  Solution spare;  ///< of a run that was not kept
  Problem lastCut; ///< by `lastChoices`
  Choices lastChoices;
  ListOptions options;
  std::vector<Start> starts;
  std::map<std::vector<int64_t>, Outcome> outcomes; ///< by keyOf()
  std::vector<Alike> alike;
  std::vector<bool> hasCompany; ///< of each task: others run beside it
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_LISTSEARCH_H
