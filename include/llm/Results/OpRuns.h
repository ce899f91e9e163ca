//===- OpRuns.h - Slots of an op that follow each other ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPRUNS_H
#define LLM_RESULTS_OPRUNS_H

#include "llm/Results/PartCosts.h"

namespace mlir::llm {

/// Slots of one run of an op that follow each other on an engine without a gap,
/// or such fetches of one buffer. Cycles are relative to the iteration.
struct OpRun {
  StringAttr engine;
  int64_t index = 0;
  int64_t startCycle = 0, endCycle = 0;
  int64_t parts = 1;
  DictionaryAttr lanes; ///< lanes of each slot; null if they change
  StringAttr buffer;    ///< the buffer that is fetched; null for slots
  /// If costs are known: how many of the parts have each record of the cost,
  /// and for slots, the bytes that are fetched for them.
  std::map<size_t, int64_t> records;
  MemoryBytes fetchedBytes;
  /// For fetches: whether all of them end before the slots begin that the first
  /// fetch is for.
  bool endsBeforeUse = false;
  /// For fetches: where and when the part runs that the first of them is for.
  StringAttr partEngine;
  int64_t partIndex = 0, partStartCycle = 0;
};

/// All runs of slots and fetches of an op. They are sorted by start, then by
/// engine.
struct OpRuns {
  std::vector<OpRun> slots, fetches;
  /// The same slots on the further engines that they hold, without costs.
  std::vector<OpRun> beside;
  /// For each of `slots`: the `fetches` that end before it begins, and whose
  /// first fetch is for it.
  std::vector<SmallVector<unsigned, 1>> fetchesInto;
};

/// Finds all runs. Takes no more memory than the result, however many slots it
/// has.
OpRuns findOpRuns(SlotsAttr slots, const PartCosts &costs);

/// Returns the runs of several slots, without fetches and costs.
std::vector<OpRun> findLongOpRuns(SlotsAttr slots);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPRUNS_H
