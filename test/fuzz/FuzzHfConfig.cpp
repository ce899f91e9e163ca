//===- FuzzHfConfig.cpp - Fuzz the importer of config.json ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `// phase=prefill batch=2 seq=3 kv-len=4 layers=all mask=full` ahead of the
// JSON: the options of llm-translate. What is imported must be valid, and a
// program whose work can be counted or is refused with an error.
//
//===----------------------------------------------------------------------===//

#include "ImportOracle.h"
#include "llm/Import/HfConfig.h"
#include "llm/InitAll/InitAll.h"

namespace mlir::llm::fuzz {

static std::optional<int64_t> readNumber(const Input &input, StringRef key) {
  int64_t number = 0;
  if (input.setting(key) == "?")
    return openSize;
  if (input.setting(key).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Numbers with commas between them; none where one is wrong.
static std::vector<int64_t> readNumbers(const Input &input, StringRef key) {
  std::vector<int64_t> numbers;
  SmallVector<StringRef> pieces;
  input.setting(key).split(pieces, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef piece : pieces)
    if (int64_t &number = numbers.emplace_back(openSize);
        piece != "?" && piece.getAsInteger(10, number))
      return {};
  return numbers;
}

static FailureOr<ImportOptions> readOptions(const Input &input,
                                            MLIRContext *context) {
  ImportOptions options;
  if (input.setting("phase") == "prefill")
    options.phase = Phase::Prefill;
  if (input.setting("phase") == "verify")
    options.phase = Phase::Verify;
  if (input.setting("phase") == "mixed")
    options.phase = Phase::Mixed;
  if (input.setting("mla") == "absorbed")
    options.latentAttention = LatentAttention::Absorbed;
  if (input.setting("mla") == "expanded")
    options.latentAttention = LatentAttention::Expanded;
  if (input.setting("linear-attn") == "steps")
    options.linearAttention = LinearAttentionForm::Steps;
  if (input.setting("linear-attn") == "chunks")
    options.linearAttention = LinearAttentionForm::Chunks;
  if (input.setting("routing") == "balanced")
    options.routing = Routing::Balanced;
  if (input.setting("routing") == "zipf")
    options.routing = Routing::Zipf;
  if (input.setting("mask") == "full")
    options.mask = MaskKind::Full;
  options.predictsFurther = input.setting("mtp") == "on";
  options.batch = readNumber(input, "batch");
  options.seq = readNumbers(input, "seq");
  options.kvLen = readNumbers(input, "kv-len");
  options.chunk = readNumber(input, "chunk");
  options.chunkKvLen = readNumber(input, "chunk-kv-len");
  options.weights = input.setting("weights").str();
  options.activations = input.setting("activations").str();
  options.kv = input.setting("kv").str();
  StringRef layers = input.setting("layers");
  FailureOr<std::optional<int64_t>> count =
      parseLayers(layers.empty() ? "1" : layers, context);
  if (failed(count))
    return failure();
  options.layers = *count;
  return options;
}

void runHfConfig(StringRef text) {
  if (text.size() > maxInputBytes)
    return;
  DialectRegistry registry;
  llm::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  DiagnosticJudge judge(&context);
  Input input(text);
  // An option has no place in a file.
  judge.allowUnknownLocations();
  FailureOr<ImportOptions> options = readOptions(input, &context);
  judge.judge(options, "reading the options");
  if (failed(options))
    return;
  FailureOr<OwningOpRef<ModuleOp>> module =
      importHfConfig(input.body, "config.json", *options, &context);
  checkImported(module, judge);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {"\"llama\"",
                                            "\"qwen3\"",
                                            "\"silu\"",
                                            "\"bfloat16\"",
                                            "\"float16\"",
                                            "\"float32\"",
                                            "\"dtype\"",
                                            "\"torch_dtype\"",
                                            "\"head_dim\"",
                                            "\"rope_parameters\"",
                                            "\"rope_scaling\"",
                                            "\"rope_type\"",
                                            "\"llama3\"",
                                            "\"rope_theta\"",
                                            "\"partial_rotary_factor\"",
                                            "\"layer_types\"",
                                            "[\"full_attention\"]",
                                            "\"use_sliding_window\"",
                                            "\"sliding_window\"",
                                            "\"attention_bias\"",
                                            "\"mlp_bias\"",
                                            "\"num_key_value_heads\"",
                                            "\"pruned_heads\"",
                                            "\"quantization_config\"",
                                            "null",
                                            "true",
                                            "false",
                                            "{}",
                                            "[]",
                                            "1e-6",
                                            "1e400",
                                            "phase=prefill",
                                            "phase=decode",
                                            "phase=verify",
                                            "routing=balanced",
                                            "routing=zipf",
                                            "\"mixtral\"",
                                            "\"gemma2\"",
                                            "\"gemma3_text\"",
                                            "\"qwen2\"",
                                            "\"qwen3_moe\"",
                                            "\"phi3\"",
                                            "\"text_config\"",
                                            "\"layer_types\"",
                                            "\"sliding_attention\"",
                                            "\"full_attention\"",
                                            "\"sliding_window\"",
                                            "\"num_experts\"",
                                            "\"num_experts_per_tok\"",
                                            "\"mlp_only_layers\"",
                                            "\"decoder_sparse_step\"",
                                            "\"vocab_size\"",
                                            "batch=2",
                                            "seq=3",
                                            "kv-len=600",
                                            "layers=all",
                                            "layers=2",
                                            "phase=mixed",
                                            "kv-len=600,700",
                                            "kv-len=?",
                                            "batch=?",
                                            "weights=mxfp4",
                                            "activations=fp8",
                                            "kv=fp8",
                                            "mla=expanded",
                                            "\"kv_lora_rank\"",
                                            "\"first_k_dense_replace\"",
                                            "\"n_group\"",
                                            "\"no_rope_layers\"",
                                            "\"quantization_config\"",
                                            "\"quant_method\"",
                                            "\"modules_to_not_convert\"",
                                            "\"linear_attention\"",
                                            "\"full_attention_interval\"",
                                            "\"linear_num_key_heads\"",
                                            "\"hybrid_override_pattern\"",
                                            "\"M*-E\"",
                                            "\"chunk_size\"",
                                            "\"moe_latent_size\"",
                                            "\"kda_layers\"",
                                            "\"attn_res_block_size\"",
                                            "\"index_topk\"",
                                            "\"sparse_topk_blocks\"",
                                            "\"compress_ratios\"",
                                            "\"num_hash_layers\"",
                                            "\"hc_mult\"",
                                            "\"o_groups\"",
                                            "linear-attn=steps",
                                            "linear-attn=chunks",
                                            "mask=full"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runHfConfig, words)
