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

/// Why a slot or a fetch does not start a cycle earlier. The first cause that
/// holds counts. Whether an engine is idle, or has room, is judged in the cycle
/// before the start. Engines of a group are interchangeable, but a part whose
/// slices were fetched runs where they lie.
enum class Cause : uint8_t {
  None,       ///< it starts when the problem starts
  Dependence, ///< what it waits for (S5, or S8 for a fetch) ended just then
  Fetch,      ///< one of its own fetches ended just then
  Engine,     ///< an engine that it needs was busy
  Bandwidth,  ///< fewer lanes were free than it holds
  Memory,     ///< no idle engine (for a fetch: that of its part) had room
  Choice,     ///< nothing holds it back: it could run a cycle earlier
  /// A slot starts when its problem starts, after another problem has ended.
  /// Only callers that know several problems in a row find this cause. For idle
  /// engines, it means that something starts on their group in a later problem.
  LayerBoundary,
  NoWork, ///< only for idle engines: nothing more starts on their group
};
inline constexpr std::array<Cause, 9> allCauses = {
    Cause::None,   Cause::Dependence,    Cause::Fetch,
    Cause::Engine, Cause::Bandwidth,     Cause::Memory,
    Cause::Choice, Cause::LayerBoundary, Cause::NoWork};

/// Returns the spelling in reports: "none", "dependence", .., "no_work".
std::string_view stringify(Cause cause);

/// The explanation of a task in a schedule.
///
/// Slack (total float) is that of the graph of slots. In this graph a slot
/// keeps its length. It starts when it does in the schedule, or after what it
/// waits for (S5, S8) and the slot ahead of it on its engine have ended. Lanes
/// and private memory do not count. All parts of the task may start up to
/// `slackCycles` later without a longer makespan.
struct TaskExplanation {
  int64_t slackCycles = 0;
  Cause heldBackBy = Cause::None; ///< of the part that starts first

  /// Says whether in that graph, slots follow the task without a gap up to the
  /// end.
  bool isCritical() const { return slackCycles == 0; }
};

using CyclesByCause = std::array<int64_t, allCauses.size()>;

/// A span of time with one cause. It begins where the span before it ends.
struct CauseSpan {
  int64_t endCycle = 0;
  Cause cause = Cause::None;
};

/// The engines of one group together, in engine cycles up to the makespan.
/// Every cycle is busy or idle. The cause of idle cycles is that of the slot
/// that starts next on one of the engines. If several start then, the first of
/// their causes in the list counts. So the entry of None in `idleCycles` is 0.
/// That of Engine is 0, too, unless a part waits for an engine of another group
/// that it also needs (`Task::with`). (If the slot waits for a busy engine
/// because its slices lie there, the others are idle by choice.)
struct GroupExplanation {
  int64_t busyCycles = 0;
  CyclesByCause idleCycles = {};
  /// What an idle engine waits for, as spans that follow each other from 0 to
  /// the makespan.
  std::vector<CauseSpan> waits;
};

struct Explanation {
  std::vector<TaskExplanation> tasks;
  std::vector<GroupExplanation> engines; ///< one for each of the problem's
};

/// Explains a valid solution (`verify()`) of a problem without alternatives
/// (`resolve`), in O(n log n). Returns nothing if engines times cycles
/// overflow.
std::optional<Explanation> explain(const Problem &problem,
                                   const Solution &solution);

/// The cycles [startCycle, endCycle) in which an engine is idle. The cause is
/// that of what starts next on its group, and may change during the gap.
struct IdleGap {
  EngineId engine;
  int64_t startCycle = 0, endCycle = 0;
  CyclesByCause cycles = {};

  /// Returns the cause of most of its cycles, or the first one if several are
  /// equal.
  Cause mainCause() const;
};

/// Finds all gaps of all engines, sorted by engine and time. Gaps and slots
/// together fill the makespan. The cycles of all gaps of a group are its
/// `idleCycles`. `explanation` must be that of the solution. Takes O(n log n)
/// in slots and engines.
std::vector<IdleGap> findIdleGaps(const Problem &problem,
                                  const Solution &solution,
                                  const Explanation &explanation);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_EXPLAIN_H
