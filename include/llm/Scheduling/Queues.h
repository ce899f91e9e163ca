//===- Queues.h - A schedule as what each engine does in turn ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule without its cycles, for a machine that does not start work at
// given times. Each engine works through its queue, and waits for what must end
// first on other engines. Counters are enough for that: one for each task, of
// its ended parts, and one for each queue, of its ended entries. So a part that
// depends on a task of a million parts waits for one number. docs/queues.md is
// the contract.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_QUEUES_H
#define LLM_SCHEDULING_QUEUES_H

#include "llm/Scheduling/Addresses.h"

namespace mlir::llm::scheduling {

/// A wait until `count` parts of a task, or the first `count` entries of a
/// queue, have ended.
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
/// has an entry in the queue of each. These entries start together, once the
/// entries before them have ended and the waits of the part are met. They end
/// together.
struct QueueEntry {
  size_t slot = 0; ///< index into `Solution::slots`
  /// The index into `Slot::prefetches`. Without it, the entry is the part
  /// itself.
  std::optional<unsigned> fetch;
  /// The index into `Slot::with`. If it is set, the entry is on that engine,
  /// and has no waits of its own.
  std::optional<unsigned> with;
  std::vector<Wait> waits;
};

/// The entries of an engine, one after the other. The queue without an engine
/// has the entries that take no time, and so need no engine.
struct Queue {
  std::optional<EngineId> engine;
  std::vector<QueueEntry> entries;
};

/// Makes the queues of a valid solution (`verify()`) of a problem without
/// alternatives, with its addresses. They are in the order of engines, and the
/// queue without an engine is last. Queues without entries are left out.
///
/// An entry starts once the one before it in its queue has ended (for a part,
/// in all of its queues) and all waits are met. Then no entry starts later than
/// in the solution, however early others start. Every part starts after what it
/// depends on and after its fetches, and nothing is written to private memory
/// that is still in use. No wait is implied by the others and the order of the
/// queues.
///
/// Takes time and memory in proportion to the slots times the engines in use,
/// plus the time to sort.
std::vector<Queue> makeQueues(const Problem &problem, const Solution &solution,
                              const Addresses &addresses);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_QUEUES_H
