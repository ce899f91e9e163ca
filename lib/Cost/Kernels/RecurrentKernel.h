//===- RecurrentKernel.h - Chunks that follow each other --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELS_RECURRENTKERNEL_H
#define LLM_LIB_COST_KERNELS_RECURRENTKERNEL_H

#include "llm/Cost/UnitKernel.h"

namespace mlir::llm {

/// A kernel with a carried value and several products in each iteration, such
/// as the chunks of linear attention. An item is what can run at once, such as
/// a head of a sequence, with all of its iterations. Its unit waits for
/// operands between products, because each product needs the result of the one
/// before it.
class RecurrentKernel : public UnitKernel {
public:
  /// Returns null if the workload carries no value, or contracts nothing.
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

  StringRef opClass() const override { return "contraction"; }
  UnitTile chooseTile(const KernelBytes &bytes,
                      const UnitMachine &machine) const override;

protected:
  KernelTime unlimitedTime(const UnitTile &tile, const KernelBytes &bytes,
                           const UnitMachine &machine) const override;

private:
  UnitTile item; ///< one iteration of what can run at once
  double items = 1;
  double chunks = 1;       ///< that follow each other in an item
  double operandBytes = 0; ///< that products load, of all items
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELS_RECURRENTKERNEL_H
