//===- RegisterTiles.h - Sums that stay in registers ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_REGISTERTILES_H
#define LLM_LIB_EXECUTION_REGISTERTILES_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Makes loops of linalg ops in buffers that sum (or reduce otherwise) along
/// their last loop: several elements of the result at once, in values that the
/// innermost loop carries, so that what one of them reads serves others, too,
/// and LLVM finds sums to vectorise. The order of each sum stays. Other ops are
/// left as they are.
std::unique_ptr<Pass> createRegisterTilesPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_REGISTERTILES_H
