//===- ElementwiseKernel.h - Norms and elementwise ops on units -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELS_ELEMENTWISEKERNEL_H
#define LLM_LIB_COST_KERNELS_ELEMENTWISEKERNEL_H

#include "llm/Cost/UnitKernel.h"
#include "llm/Cost/WorkSums.h"

namespace mlir::llm {

/// Sweeps over rows without a contraction. An item is one row (a token with all
/// of its features), or a piece of it where the kernel cuts rows.
class ElementwiseKernel : public UnitKernel {
public:
  /// Returns null if the workload contracts.
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

  StringRef opClass() const override { return "elementwise"; }
  UnitTile chooseTile(const KernelBytes &bytes,
                      const UnitMachine &machine) const override;
  int64_t readsOf(unsigned buffer, const UnitMachine &machine) const override;

protected:
  KernelTime unlimitedTime(const UnitTile &tile, const KernelBytes &bytes,
                           const UnitMachine &machine) const override;

private:
  /// Returns the size of a loop in an item, if `elements` are inside of the
  /// loop.
  int64_t sizeInItem(size_t loop, int64_t elements,
                     const UnitMachine &machine) const;

  SmallVector<int64_t, 6> extents;
  SmallVector<bool, 6> isTileable;
  unsigned loopsOfRow = 1; ///< the innermost ones
  /// For each buffer that is read, the number of stages that sweep over all of
  /// it.
  SmallVector<int64_t, 4> sweeps;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELS_ELEMENTWISEKERNEL_H
