//===- OpShapes.h - What an op reads and makes, in short --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPSHAPES_H
#define LLM_RESULTS_OPSHAPES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::llm {

/// Returns the operands in their order, then what a kernel of several ops reads
/// from outside.
SmallVector<Value> inputsOf(Operation *op);

/// Writes `1x2048xbf16` for each tensor, and other types as MLIR prints them.
std::string shapeOf(Type type);
/// Returns the shapes of the inputs.
SmallVector<std::string> inputShapes(Operation *op);
/// Returns the shapes of the results.
SmallVector<std::string> outputShapes(Operation *op);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPSHAPES_H
