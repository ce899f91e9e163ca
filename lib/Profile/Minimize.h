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

/// A point, and the range of each coordinate in which it is looked for.
struct SearchBox {
  std::vector<double> point, low, high;
};

/// Whether this build has NLopt, which minimize() needs.
bool canMinimize();

/// Moves the point to a minimum of `function` near it, within the box. It uses
/// the simplex of Nelder and Mead (1965), and starts it again with each of
/// `firstSteps` until that brings no more. It is deterministic. Returns the
/// least value.
double minimize(SearchBox &box, ArrayRef<double> firstSteps,
                unsigned evaluations,
                llvm::function_ref<double(ArrayRef<double>)> function);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_MINIMIZE_H
