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

/// Counts elements of a gathered buffer. Queries of a sequence may select the
/// same keys: together they touch no more than are stored.
static Count countGathered(const Workload &workload, const Buffer &buffer,
                           const MaskedBatch &masked, Box box) {
  auto [b, s, t] = MaskedLoops(workload);
  llvm::SmallBitVector loops = workload.loopsOf(buffer), others = loops;
  others.reset(s);
  others.reset(t);
  int64_t keys =
      cast<RankedTensorType>(buffer.value.getType()).getDimSize(1);
  Count sum = int64_t(0);
  SmallVector<Interval, 6> part(box);
  int64_t step = masked.isRagged() ? 1 : box[b].size();
  for (int64_t first = box[b].begin; first < box[b].end; first += step) {
    part[b] = {first, first + step};
    Count each = countMasked(workload, loops, masked, part),
          stored = timesBox(keys, others, part);
    if (succeeded(each) && succeeded(stored))
      each = std::min(*each, *stored);
    sum = plus(sum, succeeded(each) ? each : stored);
  }
  return sum;
}

Count mlir::llm::countMaskedElements(const Workload &workload, unsigned buffer,
                                     const MaskedBatch &masked, Box box) {
  const Buffer &counted = workload.buffers[buffer];
  if (counted.isGathered && workload.maskedLoops.any())
    return countGathered(workload, counted, masked, box);
  return countMasked(workload, workload.loopsOf(counted), masked, box);
}
