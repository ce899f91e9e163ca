//===- LaterWork.cpp - What engines have still to do ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/LaterWork.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"

using namespace mlir;
using namespace mlir::llm;
using ::llvm::BitVector;

namespace mlir::llm {
class LaterWorkFinder {
public:
  LaterWorkFinder(const Program &program, const Target &target,
                  LaterWork &result)
      : program(program), target(target), result(result) {}
  BitVector addGroups(ArrayRef<ProgramItem> items);
  void visitItems(ArrayRef<ProgramItem> items, BitVector behind);

private:
  void addGroup(StringRef engine, BitVector &groups) const;
  void addOp(unsigned op, BitVector &groups) const;

  const Program &program;
  const Target &target;
  LaterWork &result;
  DenseMap<const ProgramItem *, BitVector> groupsOf;
  std::vector<LaterWork::Loop> loops; ///< around the items that are visited
};
} // namespace mlir::llm

void LaterWorkFinder::addGroup(StringRef engine, BitVector &groups) const {
  for (auto [group, candidate] : ::llvm::enumerate(target.engines))
    if (candidate.name == engine)
      groups.set(group);
}

/// Adds the groups on which an op takes time.
void LaterWorkFinder::addOp(unsigned op, BitVector &groups) const {
  auto slots =
      program.ops()[op].op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
  for (SlotRunAttr run : slots.getRuns()) {
    if (run.getStartCycle() < run.getEndCycle()) {
      addGroup(run.getEngine(), groups);
      for (auto [engine, index] : run.getEnginesBeside(0))
        addGroup(engine, groups);
    }
    for (PrefetchAttr fetch : run.getPrefetches())
      if (fetch.getStartCycle() < fetch.getEndCycle())
        addGroup(fetch.getEngine(), groups);
  }
}

/// Returns the groups with work in the items, and notes those of each item.
BitVector LaterWorkFinder::addGroups(ArrayRef<ProgramItem> items) {
  BitVector all(target.engines.size());
  for (const ProgramItem &item : items) {
    BitVector groups = addGroups(item.body);
    for (unsigned op : item.ops)
      addOp(op, groups);
    all |= groups;
    groupsOf[&item] = std::move(groups);
  }
  return all;
}

void LaterWorkFinder::visitItems(ArrayRef<ProgramItem> items,
                                 BitVector behind) {
  for (const ProgramItem &item : ::llvm::reverse(items)) {
    if (item.isLoop()) {
      loops.push_back({item.trips, groupsOf[&item]});
      visitItems(item.body, behind);
      loops.pop_back();
    } else {
      result.places[&item] = {loops, behind};
    }
    behind |= groupsOf[&item];
  }
}

LaterWork::LaterWork(const Program &program, const Target &target) {
  LaterWorkFinder finder(program, target, *this);
  finder.addGroups(program.items());
  finder.visitItems(program.items(), BitVector(target.engines.size()));
}

bool LaterWork::isBehind(const ProgramItem &stretch,
                         ArrayRef<int64_t> iterations, unsigned group) const {
  const Place &place = placeOf(stretch);
  if (place.groups[group])
    return true;
  for (auto [loop, iteration] : ::llvm::zip_equal(place.loops, iterations))
    if (loop.groups[group] && iteration + 1 < loop.trips)
      return true;
  return false;
}

int64_t LaterWork::countLastRuns(const ProgramItem &stretch,
                                 unsigned group) const {
  const Place &place = placeOf(stretch);
  if (place.groups[group])
    return 0;
  int64_t runs = 1; // at most all runs of the stretch, which fit
  for (const Loop &loop : place.loops)
    if (!loop.groups[group])
      runs *= loop.trips;
  return runs;
}
