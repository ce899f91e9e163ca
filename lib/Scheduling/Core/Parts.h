//===- Parts.h - Where and how fast each part can run -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_PARTS_H
#define LLM_LIB_SCHEDULING_CORE_PARTS_H

#include "llm/Scheduling/Problem.h"

#include <functional>

namespace mlir::llm::scheduling {

/// One way to run a part, at its shortest on an engine of this group.
struct Mode {
  unsigned group;
  int64_t length;
};

/// The ways to run equal parts, by group.
struct Modes {
  const Mode *first, *last;
  const Mode *begin() const { return first; }
  const Mode *end() const { return last; }
  const Mode &front() const { return *first; }
};

/// All parts of a problem, which must outlive this, in a row. Those of task t
/// are [first[t], first[t + 1]). What every start needs stands in rows, too, so
/// that a million parts are read from few places.
struct PartTable {
  struct Entry {
    unsigned task, part;
    unsigned shape; ///< index into `shapes`
  };
  std::vector<Entry> parts;
  std::vector<size_t> first;
  std::vector<bool> lastCombines; ///< of each task, see Task::lastCombines
  std::vector<Chains> chains;     ///< of each task; empty: none has any
  struct Shape {
    const Part *part;
    int64_t workingSetBytes;
    int64_t shortest; ///< length, of all modes
    bool streams;     ///< whether that is longer than its compute
    unsigned queue;   ///< of Plan::queues, once there is a plan
    /// `Task::with`; null: it needs its own engine only.
    const std::vector<unsigned> *with;
    size_t firstMode, modesEnd; ///< in `modes`
  };
  std::vector<Shape> shapes;
  std::vector<Mode> modes;
  std::vector<int64_t> lanes; ///< of each mode, in a row as well
  size_t resourceCount = 0;
  bool hasSources = false; ///< at least one part has some

  const Shape &shapeOf(size_t index) const {
    return shapes[parts[index].shape];
  }
  Modes modesOf(const Shape &shape) const {
    return {modes.data() + shape.firstMode, modes.data() + shape.modesEnd};
  }
  Modes modesOf(size_t index) const { return modesOf(shapeOf(index)); }
  const Part &partOf(size_t index) const { return *shapeOf(index).part; }
  /// The mode must be one of `modes`.
  const int64_t *lanesOf(const Mode &mode) const {
    return lanes.data() + (&mode - modes.data()) * resourceCount;
  }
  size_t countOf(unsigned task) const { return first[task + 1] - first[task]; }
  /// Whether nothing but the predecessors of its task holds it back.
  bool isFree(size_t index) const {
    const Entry &entry = parts[index];
    return !combines(index) &&
           (chains.empty() || chains[entry.task].isFirst(entry.part));
  }
  /// The part that waits for this one in a chain.
  std::optional<size_t> nextInChain(size_t index) const {
    if (chains.empty())
      return std::nullopt;
    const Entry &entry = parts[index];
    const Chains &own = chains[entry.task];
    if (own.isLast(entry.part))
      return std::nullopt;
    return index + own.stride;
  }
  /// Whether it starts when the other parts of its task have ended.
  bool combines(size_t index) const {
    unsigned task = parts[index].task;
    return lastCombines[task] && index + 1 == first[task + 1];
  }
};

/// Returns the task cut in one of its ways.
Task cutTask(const Task &task, unsigned choice);

/// The kinds that the task needs and the engines beside its own do not have.
EngineKindSet ownKinds(const Problem &problem, const Task &task);

/// Whether the engines of the group have the kinds that the task needs and the
/// engines beside its own do not have, and its cycles hold for them (S4).
bool isEligible(const Problem &problem, unsigned group, const Task &task);

/// Whether the group is eligible, and has the private memory that the part
/// needs.
bool canRun(const Problem &problem, unsigned group, const Task &task,
            const Part &part);

/// The bytes of private memory that the part needs besides slices once all its
/// sources were fetched. This is the least that it needs, whether the slices
/// fit or not. Returns 0 if the part then takes no time.
int64_t leastNeedOf(const Problem &problem, const Part &part);
bool mayRun(const Problem &problem, unsigned group, const Task &task,
            const Part &part);

bool hasMemoryEngine(const Problem &problem);
/// How many parts of the task run at once on so many engines of its own. Each
/// part holds one of each group of `Task::with`, too.
int64_t countTeams(const Problem &problem, const Task &task, int64_t engines);

/// The number of engines in the groups for which `holds` is true; at most
/// `maxCount`.
int64_t countEngines(const Problem &problem,
                     const std::function<bool(unsigned group)> &holds);
int64_t countMemoryEngines(const Problem &problem);
/// The number of engines without the kind Memory.
int64_t countComputeEngines(const Problem &problem);

/// Makes the table of a sound problem. Returns nothing on overflow.
std::optional<PartTable> listParts(const Problem &problem);

/// A lower bound of each task's cycles from its first start to its last end,
/// with these cycles of each entry of the parts. It is its longest part, or all
/// parts divided by the engines that can run them at once (one part of each
/// chain), and the joining part behind them.
std::optional<int64_t> spanOf(const Problem &problem, const Task &task,
                              unsigned choice,
                              const std::vector<int64_t> &cycles);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_PARTS_H
