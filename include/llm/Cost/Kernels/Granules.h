//===- Granules.h - Products on arrays of whole granules --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multiply-accumulate array works on granules of gm rows, gn columns and gk
// terms. The last granule along an axis may be only partly filled, and takes as
// long as a full one. For engines whose units share an op as tiles,
// `UnitKernel` counts this for each tile; for all other engines it is counted
// here.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_KERNELS_GRANULES_H
#define LLM_COST_KERNELS_GRANULES_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// One stage of an op as a product on an engine's arrays.
class Granules {
public:
  /// Returns nothing if the engine's granules are single multiply-accumulates,
  /// if its units count them, or if the stage is no product of two operands.
  static std::optional<Granules> get(const OpOnTarget &context, unsigned stage);

  /// Returns how many multiply-accumulates full granules would do in the time
  /// in which the array does those at the stage's `points`, in tiles of these
  /// sizes. A tile that is not a whole number of granules takes one more. Fails
  /// if the number does not fit into 64 bits.
  Count countSlots(int64_t points, ArrayRef<int64_t> tileSizes) const;

  /// Returns the number of iterations of the loop that fill the array. Tiles
  /// whose sizes are multiples of it waste nothing. It is 1 for a loop that is
  /// no axis of the product.
  int64_t stepOf(unsigned loop) const;

private:
  /// The loops that count rows, columns or terms together.
  struct Axis {
    SmallVector<unsigned, 2> loops;
    int64_t granule = 1;
  };

  Granules(const OpOnTarget &context) : context(&context) {}
  bool findAxes(unsigned stage);
  Count padded(const Axis &axis, ArrayRef<int64_t> tileSizes) const;
  Count paddedSharedRows(int64_t tileSize) const;
  int64_t extentOf(const Axis &axis) const;

  const OpOnTarget *context;
  Axis rows, columns, terms;
  /// The operand whose slices (of experts) divide the rows. The rows of each
  /// slice are rounded up to whole granules.
  std::optional<unsigned> sharing;
};

} // namespace mlir::llm

#endif // LLM_COST_KERNELS_GRANULES_H
