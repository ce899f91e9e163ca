//===- AttentionKernel.h - Fused attention on many units --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELS_ATTENTIONKERNEL_H
#define LLM_LIB_COST_KERNELS_ATTENTIONKERNEL_H

#include "llm/Cost/UnitKernel.h"
#include "llm/Cost/WorkSums.h"

#include <map>

namespace mlir::llm {

/// Two contractions with the scores between them, which never leave a unit
/// (Dao, FlashAttention-2, 2023; with keys cut into parts, Dao et al.,
/// Flash-Decoding, 2023). An item is a tile of query rows of one sequence and
/// head, or of all heads that share keys, and a run of blocks of keys.
class AttentionKernel : public UnitKernel {
public:
  /// Returns null if the workload is not of this form. `op` must outlive the
  /// kernel.
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

  StringRef opClass() const override { return className; }
  UnitTile chooseTile(const KernelBytes &bytes,
                      const UnitMachine &machine) const override;

protected:
  KernelTime unlimitedTime(const UnitTile &tile, const KernelBytes &bytes,
                           const UnitMachine &machine) const override;

private:
  using Loops = SmallVector<unsigned, 3>;
  /// Items of which each has the same number of blocks of keys.
  struct ItemClass {
    double blocks, tiles;
  };
  /// How a machine's kernel cuts the op, whatever the split of the keys.
  struct Layout {
    bool isPacked;
    int64_t rows;                   ///< of one lane
    int64_t queryTile;              ///< rows of an item
    double lanes;                   ///< sequences times heads, or kv heads
    double tiles;                   ///< of one lane
    std::vector<ItemClass> classes; ///< most blocks first
  };

  /// Keys that the queries of a box see in a buffer of them, of one lane.
  double countVisible(unsigned buffer, Box box) const;
  void findKeysAndValues(unsigned scoresStage);
  /// Of so many queries of a sequence, behind keys.
  StringRef classOfStep(int64_t queries) const;
  const Layout &layoutOf(const UnitMachine &machine) const;
  std::vector<ItemClass> countClasses(const Layout &layout, int64_t keyTile,
                                      bool skipsMasked) const;
  KernelTime timeOf(const Layout &layout, int64_t splits,
                    const KernelBytes &bytes, const UnitMachine &machine) const;
  double fillCycles(const Layout &layout, const UnitMachine &machine) const;
  /// Returns the cycles in which all items are done, with at most `inUnit` in a
  /// unit at a time.
  double unitCycles(const Layout &layout, int64_t splits, double inUnit,
                    const UnitMachine &machine) const;
  /// Does the same with the best number of items in a unit, among those that
  /// fit.
  double unitCycles(const Layout &layout, int64_t splits,
                    const UnitMachine &machine) const;
  int64_t chooseSplits(const Layout &layout, const KernelBytes &bytes,
                       const UnitMachine &machine) const;
  UnitTile tileOf(const Layout &layout, int64_t splits,
                  const UnitMachine &machine) const;
  int64_t extentOf(const Loops &loops) const;

  WorkloadOpInterface op;
  Workload workload;
  unsigned keysBuffer = 0, keyLoop = 0;
  /// Buffers of further keys, which are seen beside those.
  SmallVector<unsigned, 1> furtherKeys;
  bool hasValues = false; ///< apart from the keys
  Loops lanes;       ///< loops that keys use: sequences, kv heads
  Loops groups;      ///< heads that share keys
  Loops queries;     ///< one, or none where each query reads keys of its own
  double scores = 0; ///< that are not masked, of all heads
  double slots = 0;  ///< of a selection of keys, seen or not
  double macsPerScore = 0, valueDim = 0, outRows = 0;
  /// Libraries have kernels of their own for steps, which have few queries of a
  /// sequence and keys before them, and for those whose heads share no keys.
  StringRef className = "attention";
  bool hasWindow = false;  ///< of keys that a query sees
  double operandBytes = 2; ///< of one element of the keys
  double outBytes = 2;     ///< of one of the output, and of the queries
  mutable std::map<std::array<int64_t, 5>, Layout> layouts;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELS_ATTENTIONKERNEL_H
