//===- SmallFloats.h - Floats that no CPU reads -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_SMALLFLOATS_H
#define LLM_LIB_EXECUTION_SMALLFLOATS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Replaces ops of floats of at most 8 bits, which LLVM does not know, by
/// lookups in a table of their numbers. Rounding to them is done in whole
/// numbers. Numbers above the largest become infinity or, in a type without it,
/// NaN, as in upstream's APFloat.
std::unique_ptr<Pass> createSmallFloatsPass();

/// The function that LLVM calls to round to bf16 where a CPU cannot, as for
/// values that live on from block to block. Compilers' own libraries have it
/// since GCC 13. It returns the bits of `roundToBf16` as the low half of the
/// register of a float.
constexpr char returnBf16Symbol[] = "__truncsfbf2";
float returnBf16(float number);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_SMALLFLOATS_H
