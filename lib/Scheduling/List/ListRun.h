//===- ListRun.h - One run of the list scheduler ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_LISTRUN_H
#define LLM_LIB_SCHEDULING_LIST_LISTRUN_H

#include "Cutoff.h"
#include "Habit.h"
#include "MachineState.h"
#include "Plan.h"
#include "Prefetcher.h"

#include <map>

namespace mlir::llm::scheduling {

/// One run over a problem without alternatives, event by event.
class ListRun {
public:
  /// Gives up once the makespan cannot be below the limit, if there is one.
  /// `spare` is as for MachineState.
  ListRun(const Problem &problem, const Plan &plan, const ListOptions &options,
          std::optional<int64_t> limit = std::nullopt, Solution spare = {});
  /// Returns nothing on overflow, or if it gave up.
  std::optional<Solution> run();
  bool hasGivenUp() const { return cutoff && cutoff->isReached(); }
  /// Takes the memory of a run that returned nothing, as `spare` of another
  /// run.
  Solution takeSpare() { return machine.takeSolution(); }
  /// Returns for each task the most of its parts that ran at once.
  std::vector<unsigned> takeMostAtOnce() { return std::move(mostAtOnce); }
  /// Returns how many parts the run has started, even if it gave up.
  size_t startedParts() const { return started; }

private:
  struct Choice {
    EngineId engine;
    int64_t length;
    const int64_t *lanes; ///< of the plan, or `chosen`
  };
  /// Ready parts, by their position in the plan's order.
  struct ReadyQueue {
    explicit ReadyQueue(size_t partCount) : parts(partCount) {}
    void rewind() {
      next = parts.next(0);
      refused = 0;
    }
    void pass(size_t to) { next = parts.next(to); }

    IndexSet parts;
    size_t next = IndexSet::none; ///< where the scan of this event stands
    unsigned refused = 0;         ///< parts that it could not start
  };

  /// Queues the parts of tasks whose predecessors have ended, and clears these.
  void release(std::vector<unsigned> &tasks);
  void releasePart(size_t part, std::vector<unsigned> &tasks);
  /// Ends a part, and adds the tasks that can now start to `released`.
  void endPart(size_t part, std::vector<unsigned> &released);
  void queuePart(size_t part);
  ReadyQueue &queueOf(EngineId target);
  /// Makes the processor load what is needed by the parts some places behind
  /// this one in the plan's order. Parts that nothing waits for are in the
  /// order of their lengths there, so they are spread over a memory that is
  /// larger than any cache. Of a million parts, a fifth would wait for one
  /// cache line after the other.
  void loadAhead(size_t position) const;
  void start(size_t part, const Choice &choice);
  /// Starts parts with the habits that hold as long as others are ready, or
  /// without those.
  void startWhatFits(bool withLimits);
  bool isLimited() const;
  /// Whether as many parts of the task already run as its habit allows.
  bool isOneTooMany(size_t part, bool withLimits) const;
  /// Whether the part is longer because its sources were not fetched.
  bool streams(size_t part) const;
  void startFetches();
  ReadyQueue *firstCandidate(bool mayStream);
  /// Whether all parts of its shape start under the same conditions.
  bool isLikeOthers(size_t part) const;
  void noteRefused(size_t part);
  /// Whether an equal part could not start, and nothing has started since.
  bool wasRefused(size_t part) const;
  std::optional<Choice> choose(size_t part);
  /// Whether the engine soon has a slice to start with, see Habit::waitPercent.
  bool awaitsFetch(size_t part, const Choice &choice) const;
  std::optional<Choice> chooseBound(size_t part, EngineId engine);
  std::optional<Choice> choosePatiently(const PartTable::Shape &shape);
  std::optional<Choice> chooseEagerly(const PartTable::Shape &shape,
                                      int64_t shares);
  /// Returns into how many equal shares the lanes are divided for the part, see
  /// Habit::shares. A part that joins others runs alone, so it may have all
  /// lanes.
  int64_t sharesFor(size_t part) const;
  /// The available lanes with which one engine may stream.
  const std::vector<int64_t> &within(int64_t shares,
                                     const std::vector<int64_t> &available);
  /// Idle engines that have something to start.
  int64_t countStarters() const;
  /// Whether a length `now`, which is more than with the lanes `wanted`, is
  /// worse than waiting for lanes. `later` says how long the part is with given
  /// free lanes.
  template <typename Later>
  bool shouldWait(Manner manner, int64_t now, const int64_t *wanted,
                  Later later);

  /// Parts of one queue that an event looks at in vain before it gives up. This
  /// keeps a run near linear, however many parts wait for lanes.
  static constexpr unsigned scanDepth = 8;

  const Problem &problem;
  const Plan &plan;
  const ListOptions &options;
  const std::vector<int64_t> lanes; ///< all that there are
  MachineState machine;
  std::optional<Cutoff> cutoff;
  std::optional<Prefetcher> prefetcher;
  std::vector<ReadyQueue> queues; ///< by groups
  /// Parts that wait for one engine, which holds what was fetched for them.
  std::map<std::pair<unsigned, int64_t>, ReadyQueue> bound;
  /// The queues in `bound` of idle engines, where parts to start are now looked
  /// for.
  std::vector<std::pair<EngineId, ReadyQueue *>> idleBound;
  std::vector<bool> released; ///< of each part; empty if nothing is fetched
  std::vector<unsigned>
      tasksAhead; ///< of each task: predecessors that still run
  std::vector<unsigned> partsLeft; ///< of each task: parts that have not ended
  std::vector<int64_t> freeThen;   ///< room for what shouldWait() asks for
  std::vector<int64_t> share;      ///< for what within() returns
  std::vector<int64_t> chosen;     ///< for lanes of a choice
  std::vector<int64_t> bytesLeft;  ///< for the bytes that a part has left
  size_t started = 0, ready = 0;   ///< number of such parts
  /// The shape of the last part that could not start, and how many parts had
  /// started then.
  struct Refused {
    unsigned shape;
    size_t startedParts;
  };
  std::optional<Refused> refused;
  int64_t streaming = 0;                     ///< parts that stream now
  std::vector<unsigned> running, mostAtOnce; ///< parts of each task
  bool limitsParts = false;                  ///< a habit has `mostParts`
  unsigned latest = 0; ///< the task that was released last
  bool overflow = false;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_LISTRUN_H
