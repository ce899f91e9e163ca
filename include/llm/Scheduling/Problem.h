//===- Problem.h - The scheduling problem, in plain numbers -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scheduling of tasks on engines that share memories: the problem, the
// solution, and the checks of both, `check()` and `verify()`. It is plain C++17
// on numbers. No MLIR type appears, so that this library can be embedded alone.
//
// The rules S1 to S9 are those of dialects/llm/Spec.md, section "Schedules".
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_PROBLEM_H
#define LLM_SCHEDULING_PROBLEM_H

#include "llm/Support/Kinds.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::llm::scheduling {

/// A memory or link that tasks share. Its bandwidth is cut into `lanes` equal
/// lanes.
struct Resource {
  std::string name;
  int64_t bytesPerSecond = 0;
  int64_t lanes = 1024;
};

/// A group of `count` identical engines, named name[0] .. name[count - 1].
struct EngineGroup {
  std::string name;
  EngineKindSet kinds;
  int64_t count = 1;
  /// The most lanes of each resource that one engine can hold (its port).
  std::vector<int64_t> portLanes;
  /// The private memory of one engine, in bytes. Working sets and fetched
  /// slices share it.
  int64_t privateBytes = 0;
  /// The bytes per second of each resource that the port passes. This is at
  /// most what `portLanes` lanes carry, and more than what one lane less
  /// carries. If it is empty, the port passes what its lanes carry.
  std::vector<int64_t> portBytesPerSecond = {};
};

/// Bytes that a part streams from one source (a weight, a cache) and that a
/// memory engine may fetch into private memory beforehand.
struct Source {
  std::string name;
  std::vector<int64_t> bytes; ///< per resource; `Part::bytes` includes them
  int64_t sliceBytes = 0;     ///< private memory that the fetched slice takes
  /// The room in the working set through which the source is streamed. A part
  /// does not need it if the slice was fetched.
  int64_t stagingBytes = 0;
  /// Predecessors of the part's task that write to the source (the newest rows
  /// of a cache) or compute which of it is read (the experts of the tokens). A
  /// fetch starts after they have ended.
  std::vector<unsigned> predecessors = {};
};

/// An indivisible piece of a task, or `count` equal pieces. Each piece has
/// exactly one slot (S1).
struct Part {
  int64_t overheadCycles = 0;  ///< before anything else starts (launch)
  int64_t serialCycles = 0;    ///< what does not overlap with streaming
  int64_t computeCycles = 0;   ///< arithmetic, overlapped with streaming
  std::vector<int64_t> bytes;  ///< streamed, per resource
  int64_t workingSetBytes = 0; ///< private memory while it runs
  std::vector<Source> sources;
  int64_t count = 1;
};

/// Returns the number of parts. Equal parts count one by one.
int64_t countParts(const std::vector<Part> &parts);

/// The order of parts that carry a value from one to the next (the state of a
/// recurrence). The parts form chains of equal length. Part p starts when part
/// p - `stride` has ended, unless it is the first of its chain.
struct Chains {
  int64_t length = 1; ///< parts of a chain; 1: all parts may run at once
  int64_t stride = 1;

  bool areThere() const { return length > 1; }
  bool isFirst(int64_t part) const { return part / stride % length == 0; }
  bool isLast(int64_t part) const {
    return part / stride % length == length - 1;
  }
  bool operator==(const Chains &other) const {
    return length == other.length && stride == other.stride;
  }
};

/// One way to cut a task. The parts may run at once, or in chains. If
/// `lastCombines`, the last part joins the results of the others (partial
/// sums), and runs after them.
struct Split {
  std::vector<Part> parts;
  bool lastCombines = false;
  Chains chains = {};
};

/// A lower bound of the work for a set of ways to cut a task, also for ways
/// that are not among its alternatives. All parts together compute and stream
/// no less than this.
struct LeastWork {
  int64_t overheadCycles = 0; ///< of each part
  int64_t computeCycles = 0;  ///< of all parts
  std::vector<int64_t> bytes; ///< of all parts, per resource
  /// The sources of all parts. Only their `bytes` count, because slices may
  /// have any size.
  std::vector<Source> sources;
  /// Those of `bytes` that are streamed again, from sources or from other
  /// buffers.
  std::vector<int64_t> againBytes;
  /// Some part does at least 1 / `mostParts` of all the work.
  int64_t mostParts = 1;
  /// A share of the task. The task is like several smaller ones that are done
  /// together. A part that does a share of the arithmetic of one of these also
  /// streams at least the same share of its bytes. If there are no shares, a
  /// part may compute much and stream little.
  struct EvenShare {
    double work, sources; ///< its shares of `evenCycles` and of sources' bytes
  };
  /// The cycles of `computeCycles` for which the shares hold.
  int64_t evenCycles = 0;
  std::vector<EvenShare> evenShares;
};

/// A task (an op): its parts, and the tasks that must end before any part
/// starts.
struct Task {
  std::string name;
  EngineKindSet kinds; ///< its engines together must have all of these
  /// The only engine group for which its cycles hold. If it is not set, every
  /// group that has the kinds runs the task in the same cycles.
  std::optional<unsigned> group = std::nullopt;
  std::vector<Part> parts;
  std::vector<unsigned> predecessors; ///< indices of tasks; a DAG, any order
  /// Whether the last part starts when the others have ended.
  bool lastCombines = false;
  /// Other ways to cut the task than `parts`. A solution takes one of them or
  /// none.
  std::vector<Split> alternatives = {};

  /// Each possible way to cut the task, whether it is offered above or not,
  /// takes no less than one of these. If it is empty, only the offered ways
  /// exist. Bounds hold for all ways.
  std::vector<LeastWork> least = {};

  /// Further groups, each once. A part also holds an engine of each of these,
  /// from its start to its end. The part works in the private memory of its own
  /// engine, and streams through that engine's port.
  std::vector<unsigned> with = {};
  Chains chains = {}; ///< of length 1 if the last part combines

  /// These return the parts of a choice and their order. Choice 0 is the task
  /// as it is, and choice i is alternative i - 1.
  const std::vector<Part> &partsOf(unsigned choice) const {
    return choice == 0 ? parts : alternatives[choice - 1].parts;
  }
  bool lastCombinesOf(unsigned choice) const {
    return choice == 0 ? lastCombines : alternatives[choice - 1].lastCombines;
  }
  const Chains &chainsOf(unsigned choice) const {
    return choice == 0 ? chains : alternatives[choice - 1].chains;
  }
};

struct Problem {
  int64_t clockHz = 0;
  std::vector<Resource> resources;
  std::vector<EngineGroup> engines;
  std::vector<Task> tasks;

  /// Returns a sentence for everything that makes the problem meaningless: a
  /// dangling predecessor, a cycle, a negative number, a task that no engine
  /// can run, vectors of the wrong length. It is empty if the problem is sound.
  /// All functions below assume a sound problem.
  std::vector<std::string> check() const;
};

struct EngineId {
  unsigned group = 0;
  int64_t index = 0;
  bool operator==(const EngineId &other) const {
    return group == other.group && index == other.index;
  }
};

/// The fetch of one source's slice ahead of the part that consumes it (S8).
struct PrefetchSlot {
  unsigned source = 0; ///< index into Part::sources
  EngineId engine;     ///< of kind Memory
  int64_t start = 0, end = 0;
  std::vector<int64_t> lanes;
};

/// Returns the private memory that a part needs besides slices. It is its
/// working set, less the staging room of the sources that were fetched.
int64_t workingSetWith(const Part &part,
                       const std::vector<PrefetchSlot> &fetches);

/// When and where a part runs: cycles [start, end), with `lanes` of each
/// resource. A slot without length (a part without work) occupies nothing and
/// overlaps nothing.
struct Slot {
  unsigned task = 0, part = 0; ///< equal parts are numbered one by one
  EngineId engine;
  int64_t start = 0, end = 0;
  std::vector<int64_t> lanes;
  std::vector<PrefetchSlot> prefetches;
  std::vector<EngineId> with = {}; ///< an engine of each group of `Task::with`
};

struct Solution {
  std::vector<Slot> slots;
  int64_t makespan = 0;
  /// How each task is cut (`Task::partsOf`). If it is empty, all tasks have
  /// choice 0.
  std::vector<unsigned> choices = {};

  unsigned choiceOf(unsigned task) const {
    return task < choices.size() ? choices[task] : 0;
  }
};

/// Returns the problem with each task cut as the solution says, and without
/// alternatives.
Problem resolve(const Problem &problem, const Solution &solution);

/// A broken rule, the task that breaks it, and a sentence that says what was
/// expected and what was found.
struct Violation {
  /// "S1" .. "S9", or "S0" if check() finds fault with the problem.
  std::string rule;
  unsigned task = 0; ///< as the slot names it; such a task need not exist
  std::string message;
};

/// Re-derives every rule from the problem and the solution alone, in O(n log
/// n), and knows nothing of solvers. The result is empty if the schedule is
/// valid. It has at most `limit` violations, but always one if a rule is
/// broken. The solution may have any numbers.
std::vector<Violation> verify(const Problem &problem, const Solution &solution,
                              size_t limit = 16);

/// Returns the shortest length of a part with the given lanes (S2) on an engine
/// of the group. Without a group, the port passes what the lanes carry. Returns
/// nothing on overflow, or if a resource is streamed with no lane.
std::optional<int64_t> lengthWithLanes(const Problem &problem,
                                       const std::vector<int64_t> &bytes,
                                       int64_t fixedCycles,
                                       int64_t computeCycles,
                                       const std::vector<int64_t> &lanes,
                                       const EngineGroup *engine = nullptr);

/// The shortest length of a part on an engine group if it gets at most
/// `available` lanes of every resource (and at most those of its port), and the
/// fewest lanes with which it has this length (S3). chooseLanes() returns
/// nothing if lengthWithLanes() does.
struct LaneChoice {
  int64_t length = 0;
  std::vector<int64_t> lanes;
};
std::optional<LaneChoice> chooseLanes(const Problem &problem, const Part &part,
                                      const EngineGroup &engine,
                                      const std::vector<int64_t> &available);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_PROBLEM_H
