//===- LayerRuns.cpp - Equal layers in a row ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerRuns.h"

#include <algorithm>

namespace mlir::llm {

/// The longest period, as no model repeats itself in longer ones (Gemma 3: 6).
static constexpr int64_t longestPeriod = 16;

static int64_t countRepeats(llvm::ArrayRef<LayerConfig> layers,
                            int64_t period) {
  int64_t equal = period;
  while (equal < static_cast<int64_t>(layers.size()) &&
         layers[equal] == layers[equal - period])
    ++equal;
  return equal / period;
}

std::vector<LayerRun> findLayerRuns(llvm::ArrayRef<LayerConfig> layers) {
  std::vector<LayerRun> runs;
  int64_t first = 0, count = layers.size();
  while (first < count) {
    llvm::ArrayRef<LayerConfig> rest = layers.drop_front(first);
    LayerRun best{first, 1, countRepeats(rest, 1)};
    for (int64_t period = 2;
         period <= std::min(longestPeriod, (count - first) / 2); ++period) {
      int64_t repeats = countRepeats(rest, period);
      if (repeats > 1 && period * repeats > best.period * best.repeats)
        best = {first, period, repeats};
    }
    runs.push_back(best);
    first += best.period * best.repeats;
  }
  return runs;
}

} // namespace mlir::llm
