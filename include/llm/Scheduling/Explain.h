//===- Explain.h - What holds a schedule back -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_EXPLAIN_H
#define LLM_SCHEDULING_EXPLAIN_H

#include "llm/Scheduling/Problem.h"

#include <array>
#include <string_view>

namespace mlir::llm::scheduling {

/// Why a slot does not start a cycle earlier; the first that holds. An engine
/// is idle, or has room, when it is so in the cycle before the start: engines
/// of a group are interchangeable, but a part whose slices were fetched runs
/// where they lie.
enum class Cause : uint8_t {
  None,       ///< it starts when everything does
  Dependence, ///< what it waits for (S5; a fetch: S8) ended at its start
  Fetch,      ///< one of its own fetches ended at its start
  Engine,     ///< an engine that it needs was not idle
  Bandwidth,  ///< fewer lanes were free than it holds
  Memory,     ///< no idle engine had room (a fetch: the engine of its part)
  Choice,     ///< nothing: it could run a cycle earlier
  /// Not found here, but by who knows of several problems, one behind the
  /// other: it starts when its problem does, behind another one; of idle
  /// engines as NoWork, but something starts on their group in a later problem.
  LayerBoundary,
  NoWork, ///< of idle engines only: nothing starts on their group any more
};
inline constexpr std::array<Cause, 9> allCauses = {
    Cause::None,   Cause::Dependence,    Cause::Fetch,
    Cause::Engine, Cause::Bandwidth,     Cause::Memory,
    Cause::Choice, Cause::LayerBoundary, Cause::NoWork};

/// The spelling in reports: "none", "dependence", .., "no_work".
std::string_view stringify(Cause cause);

/// A task in a schedule.
///
/// Slack (total float) is that of the graph of slots: each starts when it does,
/// or after what it waits for (S5, S8) and the slot ahead of it on its engine
/// have ended, and keeps its length. Lanes and private memory do not count. All
/// parts of the task may start `slackCycles` later, and no more, before the
/// makespan moves.
struct TaskExplanation {
  int64_t slackCycles = 0;
  Cause heldBackBy = Cause::None; ///< of the part that starts first

  /// Then slots follow it without a gap in that graph, up to the end.
  bool isCritical() const { return slackCycles == 0; }
};

using CyclesByCause = std::array<int64_t, allCauses.size()>;

/// Up to this cycle, from the end of the span before.
struct CauseSpan {
  int64_t endCycle = 0;
  Cause cause = Cause::None;
};

/// The engines of one group together, in engine cycles up to the makespan: busy
/// and idle ones are all that there are. Engines are idle for the sake of the
/// slot that starts next on one of them, so in `idleCycles` the entry of None
/// is 0, and that of Engine too, but where a part waits for an engine of
/// another group that it holds beside its own (`Task::with`); of several, the
/// first cause counts. (Where that slot waits for a busy one as its slices lie
/// there, the others are idle by choice.)
struct GroupExplanation {
  int64_t busyCycles = 0;
  CyclesByCause idleCycles = {};
  /// What an idle engine waits for, one behind the other from 0 to the
  /// makespan.
  std::vector<CauseSpan> waits;
};

struct Explanation {
  std::vector<TaskExplanation> tasks;
  std::vector<GroupExplanation> engines; ///< as `Problem::engines`
};

/// Explains a solution that `verify()` finds nothing wrong with, of a problem
/// without alternatives (`resolve`). O(n log n). Nothing where engines times
/// cycles overflow.
std::optional<Explanation> explain(const Problem &problem,
                                   const Solution &solution);

/// An engine is idle in [startCycle, endCycle), for the sake of what starts
/// next on its group, which may change meanwhile.
struct IdleGap {
  EngineId engine;
  int64_t startCycle = 0, endCycle = 0;
  CyclesByCause cycles = {};

  /// The cause of most of its cycles, of equals the first.
  Cause mainCause() const;
};

/// All gaps of all engines, by engine and time: with the slots they fill the
/// makespan, and over a group their cycles are its `idleCycles`. `explanation`
/// is that of the solution. O(n log n) in slots and engines.
std::vector<IdleGap> findIdleGaps(const Problem &problem,
                                  const Solution &solution,
                                  const Explanation &explanation);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_EXPLAIN_H
