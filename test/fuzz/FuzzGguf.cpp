//===- FuzzGguf.cpp - Fuzz the importer of GGUF files ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportOracle.h"
#include "llm/Import/Checkpoints.h"
#include "llm/InitAll/InitAll.h"

namespace mlir::llm::fuzz {

void runGguf(StringRef bytes) {
  if (bytes.size() > maxInputBytes)
    return;
  DialectRegistry registry;
  llm::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  DiagnosticJudge judge(&context);
  ImportOptions options;
  options.layers = std::nullopt;
  checkImported(importGguf(bytes, "model.gguf", options, &context), judge);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {"GGUF",
                                            "llama",
                                            "qwen2",
                                            "qwen3moe",
                                            "general.architecture",
                                            "llama.block_count",
                                            "llama.embedding_length",
                                            "llama.feed_forward_length",
                                            "llama.attention.head_count",
                                            "llama.attention.head_count_kv",
                                            "llama.attention.key_length",
                                            "llama.attention.sliding_window",
                                            "llama.expert_count",
                                            "llama.expert_used_count",
                                            "llama.rope.freq_base",
                                            "general.alignment",
                                            "token_embd.weight",
                                            "output.weight",
                                            "blk.0.attn_q.weight",
                                            "blk.0.attn_q.bias",
                                            "blk.0.ffn_gate_exps.weight"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runGguf, words)
