//===- ContractionKernel.h - Products on many units -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELS_CONTRACTIONKERNEL_H
#define LLM_LIB_COST_KERNELS_CONTRACTIONKERNEL_H

#include "llm/Cost/UnitKernel.h"
#include "llm/Cost/WorkSums.h"

#include <map>

namespace mlir::llm {

/// One contraction, out[b, m, n] = sum_k lhs[b, m, k] rhs[b, k, n], where each
/// letter stands for any number of loops.
class ContractionKernel : public UnitKernel {
public:
  /// Returns null if the workload has no contraction, several, or one of
  /// another form.
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

  StringRef opClass() const override { return "contraction"; }
  UnitTile chooseTile(const KernelBytes &bytes,
                      const UnitMachine &machine) const override;
  std::string excessOf(const UnitTile &tile,
                       const UnitMachine &machine) const override;

protected:
  KernelTime unlimitedTime(const UnitTile &tile, const KernelBytes &bytes,
                           const UnitMachine &machine) const override;

private:
  /// The edges of an item, and the number of parts of the reduction.
  struct Cut {
    int64_t m, n, splits;
    /// Of a tile that a library has: how many of them start together, one below
    /// the other. 0: it is one of those that all libraries ship.
    int64_t clusterRows = 0;
  };
  static Cut cutOf(const ProductTile &own) {
    return {own.rows, own.columns, /*splits=*/1, own.clusterRows};
  }
  /// What the units take for all items, and that together with the stream.
  struct Run {
    double unitSeconds, totalSeconds;
  };
  using Loops = SmallVector<unsigned, 2>;

  KernelTime timeOf(Cut cut, const KernelBytes &bytes,
                    const UnitMachine &machine) const;
  /// Returns what so many rows of the product take.
  Run runOf(Cut cut, int64_t rows, double streamSeconds,
            const UnitMachine &machine) const;
  /// Whether the product has a library's own tiles. Products of experts, and of
  /// rows that are kept, are other kernels.
  bool takesOwnTiles(const UnitMachine &machine) const;
  /// Returns the library's tiles for the rows of the product.
  ArrayRef<ProductTile> ownTiles(const UnitMachine &machine) const;
  /// Returns the least seconds in which the library multiplies as many rows as
  /// its tiles for fewer rows are for. More rows take no less, although larger
  /// tiles may be faster.
  double fewerRowsSeconds(double streamSeconds,
                          const UnitMachine &machine) const;
  /// Returns the seconds in which all bytes come and go. They do not depend on
  /// the cut.
  double streamSeconds(const KernelBytes &bytes,
                       const UnitMachine &machine) const;
  /// Whether rows of the left operand are prepared whole (by a norm), so that
  /// an item keeps them until its last column is done.
  bool keepsRows() const;
  /// Whether items of a few rows are tried. They are if rows are kept, and if
  /// columns that are never cut leave too little room for more rows.
  bool hasShortItems() const;
  /// Returns the cycles in which an item prepares such rows, before it can
  /// multiply.
  double prepareCycles(Cut cut, const UnitMachine &machine) const;
  /// Counts tiles of `size` rows. If experts share the rows, a tile counts once
  /// for each expert that it meets.
  double rowTiles(int64_t size) const;
  /// Counts the tiles of the whole result.
  double countTiles(int64_t m, int64_t n) const;
  /// Counts the items of so many rows.
  double countItems(Cut cut, int64_t rows) const;
  Cut cutOf(const UnitTile &tile) const;
  UnitTile tileOf(Cut cut) const;
  int64_t extentOf(const Loops &loops) const;
  /// Cuts `size` iterations out of loops, first out of the innermost.
  void cutLoops(const Loops &loops, int64_t size, UnitTile &tile) const;

  SmallVector<int64_t, 6> extents;
  SmallVector<bool, 6> isTileable;
  Loops batch, rows, columns, terms;
  double lhsBytes = 0, rhsBytes = 0; ///< of one element
  double writtenBytes = 0;           ///< of all results
  WorkSums rowWork;                  ///< of stages over the left operand alone
  std::vector<WorkSums> rowStages;   ///< of each such stage
  /// If experts share the rows, the number of tiles by size: for all sizes that
  /// are tried, and for all rows as one tile.
  std::map<int64_t, double> sharedRowTiles;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELS_CONTRACTIONKERNEL_H
