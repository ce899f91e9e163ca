//===- ChunkChoice.h - How many tokens are taken at once --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_CHUNKCHOICE_H
#define LLM_LIB_TRANSFORMS_CHUNKCHOICE_H

#include "KernelPrice.h"

namespace mlir::llm {

struct ChunkChange {
  int64_t given, chosen;
};

/// Gives linear attention that goes in chunks the chunk with the fewest cycles
/// and, of these, the fewest bytes. Returns nothing if the op is no such op,
/// has that chunk already, or runs as a kernel of a library.
std::optional<ChunkChange> chooseChunk(Operation *op, const Target &target,
                                       Prices &prices);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_CHUNKCHOICE_H
