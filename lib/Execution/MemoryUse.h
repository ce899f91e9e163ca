//===- MemoryUse.h - What a program takes between ops -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_MEMORYUSE_H
#define LLM_LIB_EXECUTION_MEMORYUSE_H

#include "llm/Execution/Executable.h"

namespace mlir::llm {

/// Finds the place of a function of buffers where the most bytes are allocated
/// at once; nothing if it allocates none. Buffers of open sizes count as none.
std::optional<MemoryPeak> findMemoryPeak(func::FuncOp function);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_MEMORYUSE_H
