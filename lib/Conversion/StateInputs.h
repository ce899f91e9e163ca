//===- StateInputs.h - Inputs of a state and of new tokens ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_STATEINPUTS_H
#define LLM_LIB_CONVERSION_STATEINPUTS_H

#include "Lowerings.h"

namespace mlir::llm {

/// Joins the inputs that a state has, [batch, rows, channels], and behind them
/// those of new tokens, [batch, tokens, channels], in the type of the
/// calculation.
Value joinInputs(LinalgLowering &lowering, Value state, Value tokens);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_STATEINPUTS_H
