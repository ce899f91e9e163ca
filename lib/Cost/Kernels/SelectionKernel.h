//===- SelectionKernel.h - Scores of keys and the best of them --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELS_SELECTIONKERNEL_H
#define LLM_LIB_COST_KERNELS_SELECTIONKERNEL_H

#include "llm/Cost/UnitKernel.h"

#include <map>

namespace mlir::llm {

/// The scores of an indexer, and the keys that have the largest ones
/// (DeepSeek-V3.2, 2025). These are two kernels, because a row of scores must
/// be complete before the best are known. An item of the first is a tile of
/// queries with all of their heads, which goes through the keys that its last
/// query sees (DeepGEMM, fp8_mqa_logits). An item of the second is a row of
/// scores, which lie in memory between the two.
class SelectionKernel : public UnitKernel {
public:
  /// Returns null if the workload is not of this form. `op` must outlive the
  /// kernel.
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

  StringRef opClass() const override { return "selection"; }
  UnitTile chooseTile(const KernelBytes &bytes,
                      const UnitMachine &machine) const override;

protected:
  KernelTime unlimitedTime(const UnitTile &tile, const KernelBytes &bytes,
                           const UnitMachine &machine) const override;
  double countMacs(const UnitMachine &machine) const override {
    return machine.scoresKeys ? work.macs : 0;
  }

private:
  /// The tiles of queries of all sequences, and the keys that they go through.
  struct Tiles {
    double count = 0, mostKeys = 0, allKeys = 0;
  };

  /// Returns the points of a stage, of the queries in [begin, end).
  double countPoints(unsigned stage, int64_t begin, int64_t end) const;
  void readRows();
  const Tiles &tilesOf(int64_t queries) const;
  void addScoring(int64_t queries, const KernelBytes &bytes,
                  const UnitMachine &machine, KernelTime &time) const;
  void addSelecting(const UnitMachine &machine, KernelTime &time) const;

  WorkloadOpInterface op;
  Workload workload;
  unsigned scoreStage = 0, selectStage = 0, queryLoop = 0;
  SmallVector<unsigned, 2> sequenceLoops;
  double sequences = 1, heads = 1, macsPerScore = 1; ///< of one head
  /// What makes one score of those of all heads, of a query and a key.
  double aluPerPair = 0;
  /// The rows from which keys are selected, the scores of all of them, and
  /// those of the longest one.
  double rows = 1, scores = 0, longestRow = 0;
  mutable std::map<int64_t, Tiles> tiles;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELS_SELECTIONKERNEL_H
