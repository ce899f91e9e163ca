//===- Assignment.cpp - Names and order together --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"
#include "StepOrder.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
class Assigner {
public:
  explicit Assigner(const ProgramPattern &pattern)
      : pattern(pattern), iterations(pattern.loops().size(), 0),
        lastSteps(pattern.loops().size()), lastNamedBy(pattern.ops().size()) {}

  AssignedPiece assign(const WorkPiece &piece, const PlacedPiece &placed);

private:
  void addSequence(const WorkPiece &piece, AssignedPiece &assigned) const;
  bool addNeighbours(unsigned op, size_t position, ArrayRef<std::string> kinds,
                     PatternOps &ops) const;
  bool beginsRun(const WorkPiece &piece, const PlacedPiece &placed,
                 const AssignedPiece &assigned);
  std::optional<unsigned> findBySizes(const WorkPiece &piece,
                                      PatternStep step) const;
  int64_t iterationOf(unsigned op, bool beginsRun);

  const ProgramPattern &pattern;
  std::vector<int64_t> iterations; ///< of loops that are written out
  std::vector<std::optional<unsigned>> lastSteps;
  /// For each op of the pattern, the event that named it, and the call that
  /// replayed that event.
  std::vector<std::optional<std::pair<uint32_t, uint32_t>>> lastNamedBy;
  PatternOps lastOps; ///< of the piece before
};
} // namespace

/// Adds the other ops of a kernel that is known as one of them. They are around
/// it in the program, in the order that the rule says.
bool Assigner::addNeighbours(unsigned op, size_t position,
                             ArrayRef<std::string> kinds,
                             PatternOps &ops) const {
  size_t count = pattern.ops().size();
  // The last op of a loop, one iteration back, is in front of the first one.
  auto before = [&](unsigned other) -> unsigned {
    unsigned step = pattern.ops()[other].step;
    for (const PatternLoop &loop : pattern.loops())
      if (pattern.steps()[loop.firstStep].firstOp == other &&
          loop.firstStep == step)
        return pattern.steps()[loop.endStep - 1].endOp - 1;
    return (other + count - 1) % count;
  };
  PatternOps added;
  unsigned at = op;
  for (size_t i = position; i-- > 0;) {
    at = before(at);
    if (!pattern.ops()[at].hasKind(kinds[i]))
      return false;
    added.push_back(at);
  }
  for (size_t i = position + 1; i < kinds.size(); ++i) {
    unsigned next = op + (i - position);
    if (next >= count || !pattern.ops()[next].hasKind(kinds[i]))
      return false;
    added.push_back(next);
  }
  llvm::append_range(ops, added);
  return true;
}

void Assigner::addSequence(const WorkPiece &piece,
                           AssignedPiece &assigned) const {
  if (!piece.rule || piece.rule->sequence.empty() || assigned.ops.size() != 1)
    return;
  ArrayRef<std::string> kinds = piece.rule->sequence;
  unsigned op = assigned.ops.front();
  for (auto [position, kind] : llvm::enumerate(kinds))
    if (pattern.ops()[op].hasKind(kind) &&
        addNeighbours(op, position, kinds, assigned.ops))
      return;
}

/// Whether the piece begins a run of its op. Among pieces under one range, the
/// first does. Other pieces do unless they follow one of the same ops.
bool Assigner::beginsRun(const WorkPiece &piece, const PlacedPiece &placed,
                         const AssignedPiece &assigned) {
  bool isPlaced = piece.ops.empty();
  if (isPlaced)
    return !placed.continues ||
           (assigned.isOneOfRow && lastOps != assigned.ops);
  std::optional<std::pair<uint32_t, uint32_t>> &last =
      lastNamedBy[assigned.ops.front()];
  std::pair namedBy(piece.namedBy, piece.replay);
  bool isByItself = piece.namedBy == piece.event;
  bool isSame = isByItself ? lastOps == assigned.ops : last == namedBy;
  last = namedBy;
  return !isSame;
}

/// Finds the iteration of layers that are written out and that no name tells
/// apart. It is one more each time that the walk is back at a step.
int64_t Assigner::iterationOf(unsigned op, bool beginsRun) {
  unsigned step = pattern.ops()[op].step;
  for (auto [i, loop] : llvm::enumerate(pattern.loops())) {
    if (step < loop.firstStep || step >= loop.endStep)
      continue;
    bool isBack = lastSteps[i] && (step < *lastSteps[i] ||
                                   (step == *lastSteps[i] && beginsRun));
    if (isBack)
      iterations[i] = (iterations[i] + 1) % loop.trips;
    lastSteps[i] = step;
    return iterations[i];
  }
  return 0;
}

/// Finds the only rope of a row of ropes that has the sizes of the piece.
/// Queries have more heads than keys.
std::optional<unsigned> Assigner::findBySizes(const WorkPiece &piece,
                                              PatternStep step) const {
  if (!piece.operands || step.endOp - step.firstOp < 2)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned op = step.firstOp; op < step.endOp; ++op) {
    if (!pattern.ops()[op].extents.explain(*piece.operands, /*isWhole=*/false))
      continue;
    if (found)
      return std::nullopt;
    found = op;
  }
  return found;
}

AssignedPiece Assigner::assign(const WorkPiece &piece,
                               const PlacedPiece &placed) {
  AssignedPiece assigned;
  if (piece.isAround) {
    assigned.whyNot = "around other work";
    return assigned;
  }
  assigned.ops = piece.ops;
  bool isBySizes = placed.isBySizes;
  if (piece.ops.empty())
    for (unsigned step : placed.steps) {
      PatternStep own = pattern.steps()[step];
      if (std::optional<unsigned> only = findBySizes(piece, own)) {
        own = {*only, *only + 1};
        isBySizes = assigned.isOneOfRow = true;
      }
      for (unsigned op = own.firstOp; op < own.endOp; ++op)
        assigned.ops.push_back(op);
    }
  if (assigned.ops.empty()) {
    assigned.whyNot = piece.isOfOtherLayer ? "in a layer that is not here"
                      : piece.rule         ? "no op of its kind has this place"
                                           : "no rule knows the name";
    lastOps.clear();
    return assigned;
  }
  addSequence(piece, assigned);
  assigned.beginsRun = beginsRun(piece, placed, assigned);
  assigned.evidence =
      piece.ops.empty()
          ? (isBySizes ? MatchEvidence::Shape : MatchEvidence::Order)
          : (piece.isByRule ? MatchEvidence::Rule : MatchEvidence::Name);
  lastOps = assigned.ops;
  for (unsigned op : assigned.ops)
    assigned.programOps.push_back(
        pattern.findOp(op, piece.layer, iterationOf(op, assigned.beginsRun)));
  return assigned;
}

std::vector<AssignedPiece>
mlir::llm::assignPieces(ArrayRef<WorkPiece> pieces,
                        const ProgramPattern &pattern) {
  std::vector<PlacedPiece> placed =
      OrderAlignment(pattern, findStepOrder(pattern, pieces)).place(pieces);
  Assigner assigner(pattern);
  std::vector<AssignedPiece> assigned;
  assigned.reserve(pieces.size());
  for (auto [piece, place] : llvm::zip_equal(pieces, placed))
    assigned.push_back(assigner.assign(piece, place));
  return assigned;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// The runs that each op of the program has in the trace.
static std::vector<int64_t> countRuns(ArrayRef<AssignedPiece> pieces,
                                      size_t ops) {
  std::vector<int64_t> runs(ops);
  for (const AssignedPiece &piece : pieces)
    if (piece.beginsRun)
      for (unsigned op : piece.programOps)
        ++runs[op];
  return runs;
}

/// Whether all ops that are seen are seen equally often, so that no run is
/// missing or too many.
static bool areEven(ArrayRef<int64_t> runs, const Program &program) {
  std::optional<int64_t> passes;
  for (auto [count, op] : llvm::zip_equal(runs, program.ops())) {
    if (count == 0)
      continue;
    if (count % op.count ||
        count / op.count != passes.value_or(count / op.count))
      return false;
    passes = count / op.count;
  }
  return passes.has_value();
}

/// If runs are missing, a pass ends at the first op that it already has all
/// runs of. Otherwise the number of a run gives its pass, in whichever order
/// streams ran.
std::vector<unsigned> mlir::llm::findPasses(ArrayRef<AssignedPiece> pieces,
                                            const Program &program) {
  ArrayRef<ProgramOp> ops = program.ops();
  bool isEven = areEven(countRuns(pieces, ops.size()), program);
  std::vector<int64_t> runs(ops.size()); ///< in this pass, or in all so far
  std::vector<unsigned> passes;
  unsigned pass = 0, ofPiece = 0;
  for (const AssignedPiece &piece : pieces) {
    if (piece.beginsRun) {
      bool isFull = llvm::any_of(piece.programOps, [&](unsigned op) {
        return runs[op] >= ops[op].count;
      });
      if (!isEven && isFull) {
        ++pass;
        std::fill(runs.begin(), runs.end(), 0);
      }
      unsigned first = piece.programOps.front();
      ofPiece = isEven ? runs[first] / ops[first].count : pass;
      for (unsigned op : piece.programOps)
        ++runs[op];
    }
    passes.push_back(ofPiece);
  }
  return passes;
}
