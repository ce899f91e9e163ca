//===- Queues.h - A schedule as what each engine does in turn ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule without its cycles, for a machine that keeps no time: each engine
// works through its queue, and what must come before from elsewhere is awaited.
// Counters are enough for that, one of the ended parts of each task and one of
// the ended entries of each queue: a part that depends on a task of a million
// parts waits for one number. docs/queues.md is the contract.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_QUEUES_H
#define LLM_SCHEDULING_QUEUES_H

#include "llm/Scheduling/Addresses.h"

namespace mlir::llm::scheduling {

/// Until `count` parts of a task, or the first `count` entries of a queue, have
/// ended.
struct Wait {
  enum class Counter { Task, Queue } counter = Counter::Task;
  unsigned index = 0; ///< of the task, or of the queue
  int64_t count = 0;
  bool operator==(const Wait &other) const {
    return counter == other.counter && index == other.index &&
           count == other.count;
  }
};

/// A part, or the fetch of a slice for one. A part that holds several engines
/// has an entry in the queue of each: they start together, once what is before
/// each of them has ended and the waits of the part are met, and end together.
struct QueueEntry {
  size_t slot = 0; ///< in `Solution::slots`
  /// In `Slot::prefetches`; nothing: the part itself.
  std::optional<unsigned> fetch;
  /// In `Slot::with`: the entry is on that engine, and has no waits of its own.
  std::optional<unsigned> with;
  std::vector<Wait> waits;
};

/// What an engine does, one after the other. The queue without an engine holds
/// what takes no time and so no engine.
struct Queue {
  std::optional<EngineId> engine;
  std::vector<QueueEntry> entries;
};

/// The queues of a solution that `verify()` finds nothing wrong with, of a
/// problem without alternatives, with its addresses: by engine, then the queue
/// without an engine; those without entries are left out.
///
/// An entry that starts once the one before it in its queue has ended (of a
/// part, in all of its queues), and all waits are met, never starts later than
/// in the solution, however many do so early; then every part starts after what
/// it depends on and after its fetches, and nothing is written to private
/// memory that is still in use. No wait is implied by the others and the order
/// of the queues.
///
/// Time and memory are those of the slots times the engines that are in use,
/// and of sorting.
std::vector<Queue> makeQueues(const Problem &problem, const Solution &solution,
                              const Addresses &addresses);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_QUEUES_H
