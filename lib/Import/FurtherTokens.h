//===- FurtherTokens.h - Modules that predict further tokens ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multi-token prediction (DeepSeek-V3, arXiv 2412.19437): behind the last layer
// stand modules, each of which predicts one token more than what is before it.
// A module joins the hidden state of each token with the embedding of the next
// one, and has a layer and a norm of its own. Embedding and head are those of
// the model.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_FURTHERTOKENS_H
#define LLM_LIB_IMPORT_FURTHERTOKENS_H

#include "LayerBuilder.h"

namespace mlir::llm {

/// Returns the token behind each of `tokens`, which has a number for each new
/// token: the next one of its sequence and, behind the last, what was sampled.
/// `sampled` has one for each sequence or, if drafts are verified, for each new
/// token, and is returned then.
Value tokensBehind(OpsBuilder &ops, Value tokens, Value sampled);

/// Returns the normed hidden states [tokens, hidden] of the module `number`,
/// of those before it and of the embeddings of the tokens behind.
Value buildFurtherModule(OpsBuilder &ops, const ImportOptions &options,
                         int64_t number, Value hidden, Value embedded);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_FURTHERTOKENS_H
