//===- SlotSweep.h - Starts and ends of slots in order ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of slots is two series of equal steps, of starts and of ends. Merging
// the series of all runs visits the slots in the order of time without a list
// of them: memory is that of the runs, as the IR holds them.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_SLOTSWEEP_H
#define LLM_LIB_EXPORT_SLOTSWEEP_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace mlir::llm {

/// `count` slots of one length at equal distances, numbered by `use`: what they
/// hold.
struct SlotSeries {
  int64_t startCycle = 0, endCycle = 0; ///< of the first one
  int64_t stride = 0, count = 1;
  unsigned use = 0;
};

class SlotSweep {
public:
  explicit SlotSweep(std::vector<SlotSeries> series);

  /// Calls `visit` with the cycle, the use and +1 at each start and -1 at each
  /// end, in the order of cycles. O(log n) each for n series under way.
  void run(::llvm::function_ref<void(int64_t cycle, unsigned use, int sign)>
               visit) const;

private:
  std::vector<SlotSeries> all; ///< by start
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_SLOTSWEEP_H
