//===- ViewsOfBlocks.h - Views of block-scaled tensors ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_VIEWSOFBLOCKS_H
#define LLM_LIB_CONVERSION_VIEWSOFBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::llm {

/// Slices, reshapes and concatenations of block-scaled tensors show numbers of
/// f32 instead, and what loops write piece by piece holds such: a piece may
/// begin inside of a block, and has then no scales of its own. For the time
/// until all is lowered, llm.quantize makes these. Fails, with an error, where
/// a function gives such numbers.
LogicalResult showNumbersOfBlocks(func::FuncOp function);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_VIEWSOFBLOCKS_H
