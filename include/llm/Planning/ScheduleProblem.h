//===- ScheduleProblem.h - From the IR to a problem and back ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_SCHEDULEPROBLEM_H
#define LLM_PLANNING_SCHEDULEPROBLEM_H

#include "llm/Cost/CostModel.h"
#include "llm/Planning/SplitChoices.h"
#include "llm/Program/Program.h"
#include "llm/Scheduling/Problem.h"

#include <map>

namespace mlir::llm {

/// Checks that every op of the program has a cost that is not stale. Fails at
/// the first op for which that does not hold.
LogicalResult checkCosts(const Program &program, const Target &target,
                         Reasons reasons = {});

/// The private memory of a part that a source takes: the room of its slice if
/// it is fetched ahead, and the room in the working set that is then free.
struct SourceRoom {
  std::string buffer;
  int64_t sliceBytes, stagingBytes;
  FetchWaits waits;
};

/// Finds the rooms of each part of an op. Parts of equal shape have the same
/// rooms.
class SourceRoomFinder {
public:
  /// The arguments must outlive the finder.
  SourceRoomFinder(const OpOnTarget &context, TileAttr tile, const Split &split)
      : context(context), tile(tile), split(split) {}

  /// Returns the room of each buffer that may be fetched ahead for the part.
  /// The part that joins the others has none.
  ArrayRef<SourceRoom> roomsOf(int64_t part);

private:
  using Rooms = SmallVector<SourceRoom, 4>;
  Rooms find(int64_t part) const;

  const OpOnTarget &context;
  TileAttr tile;
  const Split &split;
  std::map<SmallVector<int64_t, 12>, Rooms> known; ///< by Split::shapeOf
};

/// A problem in which the solver chooses how tasks are cut. Choice c of task i
/// (see `scheduling::Task::partsOf`) is `choices[i][c]`.
struct SplitProblem {
  scheduling::Problem problem;
  std::vector<SmallVector<CostedTile>> choices;
};

/// Makes the problems of stretches of ops between loop boundaries. Task i is
/// `stretch[i]`. Dependences from outside the stretch are met, because its
/// boundary is a barrier. What is found about an op is kept for equal ops, also
/// in other stretches and later problems.
///
/// A problem is made for `target`, or for one that differs from it only in the
/// numbers of engines. If `Problem::check` finds fault with it, there is an
/// error at the first such op, or at the function.
class ProblemMaker {
public:
  /// The arguments must outlive the maker.
  ProblemMaker(const Program &program, const Target &target,
               Reasons reasons = {});
  ~ProblemMaker();

  /// Makes the problem of ops that are cut as their tiles say.
  FailureOr<scheduling::Problem> makeAsTiled(ArrayRef<unsigned> stretch,
                                             const Target &own);
  /// Makes the problem with all ways to cut the ops (`SplitChoices`). It
  /// ignores the splits that their tiles have now.
  FailureOr<SplitProblem> makeSplit(ArrayRef<unsigned> stretch,
                                    const Target &own,
                                    bool cutsReductions = true);

private:
  struct Kind;
  struct Waits;
  FailureOr<Kind *> kindOf(WorkloadOpInterface op, const Waits &waits);
  static FailureOr<std::vector<scheduling::LeastWork>>
  leastOf(Kind &kind, const OpOnTarget &context);
  static FailureOr<SmallVector<CostedTile>>
  choicesOf(Kind &kind, const OpOnTarget &context, bool cutsReductions);
  FailureOr<SplitProblem> make(ArrayRef<unsigned> stretch, const Target &own,
                               function_ref<FailureOr<SmallVector<CostedTile>>(
                                   Kind &kind, const OpOnTarget &context)>
                                   choicesOf);

  const Program &program;
  const Target &target;
  Reasons reasons;
  StampTexts texts;
  /// The kinds of ops, by cost and by which buffers can be fetched ahead.
  std::map<std::pair<const void *, std::string>, std::unique_ptr<Kind>> kinds;
};

/// Makes one problem, of ops that are cut as their tiles say.
FailureOr<scheduling::Problem> makeProblem(const Program &program,
                                           ArrayRef<unsigned> stretch,
                                           const Target &target,
                                           Reasons reasons = {});

/// Returns the index of the engine group of that name.
std::optional<unsigned> findGroup(const scheduling::Problem &problem,
                                  StringAttr name);

/// Makes an attribute of the slots of one op, shifted by `offsetCycles`. Parts
/// that repeat at equal distances, with their prefetches, become one run.
SlotsAttr makeSlots(MLIRContext *context, const scheduling::Problem &problem,
                    ArrayRef<const scheduling::Slot *> slots,
                    int64_t offsetCycles);

/// Reads the slots of all ops of a stretch that starts at `startCycle`.
/// `makeProblem` made `problem` of this stretch. Fails if slots name an engine,
/// a memory or a source that does not exist, or more parts than the cost has.
/// Rules are not checked.
FailureOr<scheduling::Solution> readSolution(const Program &program,
                                             ArrayRef<unsigned> stretch,
                                             const scheduling::Problem &problem,
                                             int64_t startCycle,
                                             Reasons reasons = {});

} // namespace mlir::llm

#endif // LLM_PLANNING_SCHEDULEPROBLEM_H
