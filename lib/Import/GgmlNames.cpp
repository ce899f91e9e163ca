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

//===----------------------------------------------------------------------===//
// Architectures with states
//===----------------------------------------------------------------------===//

/// Modules that have the same name in all of these architectures. Recurrent
/// layers have the names of their paths taken off.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    hybridNames[] = {{"input_layernorm", "attn_norm"},
                     {"operator_norm", "attn_norm"},
                     {"norm", "attn_norm"},
                     {"pre_ff_layernorm", "ffn_norm"},
                     {"ffn_norm", "ffn_norm"},
                     {"q_proj", "attn_q"},
                     {"k_proj", "attn_k"},
                     {"v_proj", "attn_v"},
                     {"o_proj", "attn_output"},
                     {"q_norm", "attn_q_norm"},
                     {"k_norm", "attn_k_norm"},
                     {"q_a_proj", "attn_q_a"},
                     {"q_a_layernorm", "attn_q_a_norm"},
                     {"q_b_proj", "attn_q_b"},
                     {"kv_a_proj_with_mqa", "attn_kv_a_mqa"},
                     {"kv_a_layernorm", "attn_kv_a_norm"},
                     {"indexer.wq_b", "indexer.attn_q_b"},
                     {"indexer.wk", "indexer.attn_k"},
                     {"indexer.k_norm", "indexer.k_norm"},
                     {"indexer.weights_proj", "indexer.proj"},
                     {"in_proj_qkv", "attn_qkv"},
                     {"in_proj_z", "attn_gate"},
                     {"in_proj_a", "ssm_alpha"},
                     {"in_proj_b", "ssm_beta"},
                     {"in_proj_ba", "ssm_ba"},
                     {"in_proj", "ssm_in"},
                     {"conv1d", "ssm_conv1d"},
                     {"mixer.norm", "ssm_norm"},
                     {"out_proj", "ssm_out"},
                     {"conv.in_proj", "shortconv.in_proj"},
                     {"conv.conv", "shortconv.conv"},
                     {"conv.out_proj", "shortconv.out_proj"},
                     {"gate_proj", "ffn_gate"},
                     {"up_proj", "ffn_up"},
                     {"down_proj", "ffn_down"},
                     {"gate", "ffn_gate_inp"},
                     {"router.layer", "ffn_gate_inp"},
                     {"experts.gate_proj", "ffn_gate_exps"},
                     {"experts.up_proj", "ffn_up_exps"},
                     {"experts.down_proj", "ffn_down_exps"},
                     {"shared.gate_proj", "ffn_gate_shexp"},
                     {"shared.up_proj", "ffn_up_shexp"},
                     {"shared.down_proj", "ffn_down_shexp"},
                     {"shared_expert_gate", "ffn_gate_inp_shexp"},
                     {"fc1_latent_proj", "ffn_latent_down"},
                     {"fc2_latent_proj", "ffn_latent_up"}};

/// What checkpoints call parts of layers, in the words of the table above. The
/// first that begins a name counts.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    hybridPaths[] = {{"linear_attn.norm", "mixer.norm"},
                     {"mamba.norm", "mixer.norm"},
                     {"mixer.norm", "mixer.norm"},
                     {"self_attn.out_proj", "o_proj"},
                     {"self_attn.q_layernorm", "q_norm"},
                     {"self_attn.k_layernorm", "k_norm"},
                     {"feed_forward.w1", "gate_proj"},
                     {"feed_forward.w2", "down_proj"},
                     {"feed_forward.w3", "up_proj"},
                     {"block_sparse_moe.output_linear", "experts.down_proj"},
                     {"shared_mlp.output_linear", "shared.down_proj"},
                     {"shared_mlp.", "shared."},
                     {"mlp.shared_expert.", "shared."},
                     {"mlp.shared_experts.", "shared."},
                     {"mixer.shared_experts.", "shared."},
                     {"linear_attn.", ""},
                     {"self_attn.", ""},
                     {"mamba.", ""},
                     {"mixer.", ""},
                     {"mlp.", ""},
                     {"feed_forward.", ""},
                     {"block_sparse_moe.", ""}};

/// Returns the names of a weight in a layer, without that of the layer.
static llvm::SmallVector<std::string, 2>
namesInHybridLayer(llvm::StringRef architecture, llvm::StringRef weight) {
  std::string name = weight.str();
  for (auto [theirs, ours] : hybridPaths)
    if (weight.starts_with(theirs)) {
      name = (ours + weight.drop_front(theirs.size())).str();
      break;
    }
  // These have no module of their own.
  std::string whole =
      llvm::StringSwitch<std::string>(name)
          .Case("A_log", "ssm_a")
          .Case("D", "ssm_d")
          .Case("dt_bias", "ssm_dt.bias")
          .Case("expert_bias", "exp_probs_b.bias")
          .Case("gate.e_score_correction_bias", "exp_probs_b.bias")
          .Default("");
  if (!whole.empty())
    return {whole};
  auto [module, kind] = llvm::StringRef(name).rsplit('.');
  auto with = [kind = kind](llvm::StringRef base) {
    return (base + "." + kind).str();
  };
  if (module == "kv_b_proj") // halves, of which the first is transposed
    return {with("attn_k_b"), with("attn_v_b")};
  if (module == "in_proj_qkvz")
    return {with("attn_qkv"), with("attn_gate")};
  if (module == "post_attention_layernorm")
    return {with(architecture.starts_with("qwen") ? "post_attention_norm"
                                                  : "ffn_norm")};
  for (auto [ours, theirs] : hybridNames)
    if (ours == module)
      return {with(theirs)};
  return {};
}

llvm::SmallVector<std::string, 2> ggmlTensorNames(llvm::StringRef architecture,
                                                  llvm::StringRef weight) {
  auto split = splitLayerName(weight);
  if (!split)
    return {llvm::StringSwitch<std::string>(weight)
                .Case("model.embed_tokens.weight", "token_embd.weight")
                .Case("model.embedding_norm.weight", "token_embd_norm.weight")
                .Cases({"model.norm.weight", "model.final_layernorm.weight"},
                       "output_norm.weight")
                .Case("lm_head.weight", "output.weight")
                .Default(weight.str())};
  llvm::SmallVector<std::string, 2> names =
      namesInHybridLayer(architecture, split->second);
  for (std::string &name : names)
    name = ("blk." + llvm::Twine(split->first) + "." + name).str();
  return names;
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
