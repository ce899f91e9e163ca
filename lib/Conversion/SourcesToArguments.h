//===- SourcesToArguments.h - Weights and caches as arguments ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_SOURCESTOARGUMENTS_H
#define LLM_LIB_CONVERSION_SOURCESTOARGUMENTS_H

#include "llm/Conversion/LinalgLowering.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::llm {

/// Makes arguments of the weights, caches and open sizes of a function, and
/// results of the last states of its caches, of the types of `converter`. Casts
/// connect them with the values that they replace. Loops whose index is in a
/// name are unrolled first.
LogicalResult makeSourcesArguments(func::FuncOp function,
                                   const TypeConverter &converter);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_SOURCESTOARGUMENTS_H
