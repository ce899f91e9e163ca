//===- GgmlNames.cpp - What GGUF files call weights -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are those of llama.cpp's gguf-py (constants.py).
//
//===----------------------------------------------------------------------===//

#include "llm/Import/GgmlNames.h"
#include "llm/Import/WeightNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

namespace mlir::llm {

llvm::ArrayRef<llvm::StringLiteral> knownGgufArchitectures() {
  static constexpr llvm::StringLiteral known[] = {"llama", "qwen2", "qwen3",
                                                  "qwen3moe"};
  return known;
}

/// Returns the name of a module in a layer, in ggml's words; empty if it has
/// none.
static llvm::StringRef ggmlName(llvm::StringRef module) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> names[] =
      {{"input_layernorm", "attn_norm"},
       {"self_attn.q_proj", "attn_q"},
       {"self_attn.k_proj", "attn_k"},
       {"self_attn.v_proj", "attn_v"},
       {"self_attn.o_proj", "attn_output"},
       {"self_attn.q_norm", "attn_q_norm"},
       {"self_attn.k_norm", "attn_k_norm"},
       {"post_attention_layernorm", "ffn_norm"},
       {"gate_proj", "ffn_gate"},
       {"up_proj", "ffn_up"},
       {"down_proj", "ffn_down"},
       {"gate", "ffn_gate_inp"},
       {"experts.gate_proj", "ffn_gate_exps"},
       {"experts.up_proj", "ffn_up_exps"},
       {"experts.down_proj", "ffn_down_exps"}};
  if (!module.consume_front("mlp."))
    module.consume_front("block_sparse_moe.");
  for (auto [ours, theirs] : names)
    if (ours == module)
      return theirs;
  return "";
}

std::string ggmlTensorName(llvm::StringRef weight) {
  if (auto split = splitLayerName(weight)) {
    auto [module, kind] = split->second.rsplit('.');
    llvm::StringRef name = ggmlName(module);
    return name.empty()
               ? ""
               : ("blk." + llvm::Twine(split->first) + "." + name + "." + kind)
                     .str();
  }
  return llvm::StringSwitch<std::string>(weight)
      .Case("model.embed_tokens.weight", "token_embd.weight")
      .Case("model.norm.weight", "output_norm.weight")
      .Case("lm_head.weight", "output.weight")
      .Default("");
}

} // namespace mlir::llm
