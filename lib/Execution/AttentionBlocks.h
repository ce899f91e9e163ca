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

/// Attention becomes loops over sequences, KV heads and blocks of queries, of
/// which each reads the keys that its queries see, and no more. Whole
/// attention writes down the scores of all.
std::unique_ptr<Pass> createAttentionBlocksPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_ATTENTIONBLOCKS_H
