//===- Visibility.cpp - Which pairs attention computes --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Visibility.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

/// Counts the points or elements of queries and keys of one sequence.
/// `hasQueries` and `hasKeys` say which of them count.
static Count countOfSequence(const Visibility &visible, Interval queries,
                             Interval keys, bool hasQueries, bool hasKeys) {
  if (hasQueries && hasKeys)
    return visible.countPairs(queries, keys);
  if (hasKeys)
    return visible.countKeys(queries, keys);
  int64_t seeing = visible.countQueries(queries, keys);
  return hasQueries ? seeing : int64_t(seeing > 0);
}

static Count timesBox(Count count, const llvm::SmallBitVector &loops, Box box) {
  for (unsigned loop : loops.set_bits())
    count = times(count, box[loop].size());
  return count;
}

namespace {
/// The loops that a mask couples.
struct MaskedLoops {
  unsigned b = 0, s = 0, t = 0;

  // Every way to cut an op asks for this, so it is one walk.
  explicit MaskedLoops(const Workload &workload) {
    for (auto [index, loop] : llvm::enumerate(workload.loops)) {
      if (loop.name.size() != 1)
        continue;
      unsigned other;
      char name = loop.name.front();
      (name == 'b' ? b : name == 's' ? s : name == 't' ? t : other) = index;
    }
  }
};
} // namespace

Count mlir::llm::countMasked(const Workload &workload,
                             const llvm::SmallBitVector &loops,
                             const MaskedBatch &masked, Box box) {
  if (workload.maskedLoops.none()) // a step that joins partial results
    return timesBox(int64_t(1), loops, box);
  auto [b, s, t] = MaskedLoops(workload);
  auto countOf = [&](int64_t sequence) {
    return countOfSequence(masked.of(sequence), box[s], box[t], loops[s],
                           loops[t]);
  };
  Count count = int64_t(0);
  if (!masked.isRagged())
    count = times(countOf(0), loops[b] ? box[b].size() : 1);
  else if (loops[b])
    for (int64_t sequence = box[b].begin; sequence < box[b].end; ++sequence)
      count = plus(count, countOf(sequence));
  else // a buffer that all sequences share
    for (int64_t sequence = box[b].begin; sequence < box[b].end; ++sequence)
      if (Count ofOne = countOf(sequence); succeeded(count))
        count = succeeded(ofOne) ? Count(std::max(*count, *ofOne)) : ofOne;
  llvm::SmallBitVector others = loops;
  for (unsigned loop : {b, s, t})
    others.reset(loop);
  return timesBox(count, others, box);
}

/// Counts the elements of all stored keys of a gathered buffer, of the
/// sequences, heads and features of the box.
static Count countStored(const Workload &workload, const Buffer &buffer,
                         Box box) {
  auto [b, s, t] = MaskedLoops(workload);
  llvm::SmallBitVector others = workload.loopsOf(buffer);
  others.reset(s);
  others.reset(t);
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(buffer.value.getType()).getShape();
  return timesBox(shape[1], others, box);
}

Count mlir::llm::countMaskedElements(const Workload &workload, unsigned buffer,
                                     const MaskedBatch &masked, Box box) {
  const Buffer &counted = workload.buffers[buffer];
  llvm::SmallBitVector loops = workload.loopsOf(counted);
  Count count = countMasked(workload, loops, masked, box);
  if (!counted.isGathered || workload.maskedLoops.none())
    return count;
  // Queries may select the same keys: together they touch no more than there
  // are.
  Count stored = countStored(workload, counted, box);
  if (failed(count) || failed(stored))
    return failed(count) ? stored : count;
  return std::min(*count, *stored);
}
