//===- AttentionBlocks.h - Attention whose scores stay in a cache -*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_ATTENTIONBLOCKS_H
#define LLM_LIB_EXECUTION_ATTENTIONBLOCKS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Makes attention loops over sequences, KV heads and blocks of queries. Each
/// block reads only the keys that its queries see. Attention as a whole would
/// write the scores of all queries to memory.
std::unique_ptr<Pass> createAttentionBlocksPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_ATTENTIONBLOCKS_H
