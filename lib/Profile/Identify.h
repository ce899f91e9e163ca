//===- Identify.h - How well residuals determine parameters -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_IDENTIFY_H
#define LLM_LIB_PROFILE_IDENTIFY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace mlir::llm {

/// Returns the derivatives of each element of `function` by each coordinate, by
/// differences: `result[coordinate][element]`.
std::vector<std::vector<double>> differentiate(
    ArrayRef<double> point,
    llvm::function_ref<std::vector<double>(ArrayRef<double>)> function);

/// Returns the standard error of each coordinate of `point` in a least-squares
/// fit, sigma sqrt((J^T J)^-1), with J of `differentiate`. Sigma is 1.4826 times
/// the median magnitude of the residuals at `point`, so that outliers hardly
/// count. The error is infinite for a coordinate that no residual depends on,
/// or that others can stand in for.
std::vector<double> standardErrors(
    ArrayRef<double> point,
    llvm::function_ref<std::vector<double>(ArrayRef<double>)> residuals);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_IDENTIFY_H
