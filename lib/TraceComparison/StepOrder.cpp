//===- StepOrder.cpp - In which order a framework runs the steps ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"
#include "OrderAlignment.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace mlir::llm;

/// The pieces that judge an order: several layers, each of some sixty kernels.
static constexpr size_t sampledPieces = 512;
/// A stretch with more steps is no layer. It keeps its order, since the search
/// tries each step at each place.
static constexpr size_t mostSteps = 64;

namespace {
class OrderSearch {
public:
  OrderSearch(const ProgramPattern &pattern, ArrayRef<WorkPiece> pieces)
      : pattern(pattern), sample(pieces.take_front(sampledPieces)),
        order(pattern.steps().size()) {
    std::iota(order.begin(), order.end(), 0);
  }

  std::vector<unsigned> run();

private:
  void readProducers();
  std::vector<std::pair<unsigned, unsigned>> listStretches() const;
  bool improve(unsigned first, unsigned end);
  bool tryPlaces(unsigned from, unsigned first, unsigned end);
  bool moveIfBetter(unsigned from, unsigned to);
  int64_t score() const {
    return OrderAlignment(pattern, order).scoreOf(sample);
  }

  const ProgramPattern &pattern;
  ArrayRef<WorkPiece> sample;
  std::vector<unsigned> order;
  std::vector<std::set<unsigned>> producersOf; ///< by step
  int64_t best = 0;
};
} // namespace

void OrderSearch::readProducers() {
  ArrayRef<ProgramOp> ops = pattern.program().ops();
  DenseMap<unsigned, unsigned> stepOf; ///< by op of the program
  for (const PatternOp &op : pattern.ops())
    for (unsigned number : op.ops)
      stepOf[number] = op.step;
  producersOf.resize(order.size());
  for (const PatternOp &op : pattern.ops())
    for (unsigned before : ops[op.ops.front()].dependences)
      producersOf[op.step].insert(stepOf.at(before));
}

/// Lists the rows of steps that no loop begins or ends between.
std::vector<std::pair<unsigned, unsigned>> OrderSearch::listStretches() const {
  std::set<unsigned> borders = {0, unsigned(order.size())};
  for (const PatternLoop &loop : pattern.loops())
    borders.insert({loop.firstStep, loop.endStep});
  std::vector<std::pair<unsigned, unsigned>> stretches;
  for (auto border = borders.begin(); std::next(border) != borders.end();
       ++border)
    stretches.push_back({*border, *std::next(border)});
  return stretches;
}

bool OrderSearch::moveIfBetter(unsigned from, unsigned to) {
  std::vector<unsigned> before = order;
  unsigned step = order[from];
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, step);
  int64_t moved = score();
  if (moved > best) {
    best = moved;
    return true;
  }
  order = std::move(before);
  return false;
}

/// Tries the places before and behind that of a step, up to those of the steps
/// that it reads and of those that read it.
bool OrderSearch::tryPlaces(unsigned from, unsigned first, unsigned end) {
  unsigned step = order[from];
  for (unsigned to = from;
       to > first && !producersOf[step].count(order[to - 1]);)
    if (moveIfBetter(from, --to))
      return true;
  for (unsigned to = from + 1;
       to < end && !producersOf[order[to]].count(step); ++to)
    if (moveIfBetter(from, to))
      return true;
  return false;
}

bool OrderSearch::improve(unsigned first, unsigned end) {
  bool isBetter = false;
  for (unsigned from = first; from < end; ++from)
    isBetter |= tryPlaces(from, first, end);
  return isBetter;
}

std::vector<unsigned> OrderSearch::run() {
  // If names tell each op, or nothing does, its place does not matter.
  bool isOrderAsked = llvm::any_of(sample, [](const WorkPiece &piece) {
    return piece.ops.empty() && piece.rule;
  });
  if (!isOrderAsked)
    return std::move(order);
  readProducers();
  best = score();
  for (auto [first, end] : listStretches()) {
    // Each improvement raises the score, which has an upper limit.
    while (end - first > 1 && end - first <= mostSteps && improve(first, end))
      ;
  }
  return std::move(order);
}

std::vector<unsigned>
mlir::llm::findStepOrder(const ProgramPattern &pattern,
                         ArrayRef<WorkPiece> pieces) {
  return OrderSearch(pattern, pieces).run();
}
