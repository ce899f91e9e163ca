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

/// Makes slices, reshapes and concatenations of block-scaled tensors show
/// numbers of f32, and so do tensors that loops write piece by piece. A piece
/// may begin inside of a block, and then has no scales of its own. An
/// llm.quantize, which is lowered with all else, makes the numbers. Fails, with
/// an error, if a function returns such numbers.
LogicalResult showNumbersOfBlocks(func::FuncOp function);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_VIEWSOFBLOCKS_H
