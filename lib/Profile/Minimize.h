//===- Minimize.h - Least value of a function without gradients -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_MINIMIZE_H
#define LLM_LIB_PROFILE_MINIMIZE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace mlir::llm {

/// Moves `point` to a minimum of `function` near it, each coordinate within
/// `reach` of where it was: the simplex of Nelder and Mead (1965), started
/// again with other first steps until that brings no more. Deterministic.
/// Returns the least value.
double minimize(std::vector<double> &point, double reach, unsigned evaluations,
                llvm::function_ref<double(ArrayRef<double>)> function);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_MINIMIZE_H
