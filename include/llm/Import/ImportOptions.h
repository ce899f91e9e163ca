//===- ImportOptions.h - Which program to make of a model -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_IMPORTOPTIONS_H
#define LLM_IMPORT_IMPORTOPTIONS_H

#include "llm/Dialect/Llm/IR/ExpertRows.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Import/ModelConfig.h"

#include <optional>
#include <vector>

namespace mlir::llm {

/// How multi-head latent attention is computed.
enum class LatentAttention {
  Auto,     ///< absorbed in decode and verify, expanded for prompts
  Absorbed, ///< queries go among the latents, which all heads share
  Expanded  ///< keys and values of all heads are made of the latents
};

/// How linear attention is computed.
enum class LinearAttentionForm {
  Auto,  ///< from token to token in decode and verify, in chunks for prompts
  Steps, ///< from token to token
  Chunks ///< in chunks, as products of matrices
};

/// A size that the program leaves open.
constexpr int64_t openSize = ShapedType::kDynamic;

/// What a model's description does not say. Each field is the option of
/// `llm-translate` that has its name.
struct ImportOptions {
  Phase phase = Phase::Decode;
  /// The number of sequences. If it is unset, there are as many as `seq` or
  /// `kvLen` list, or 1. Sequences, new tokens and keys may be `openSize`, and
  /// are then bound by "batch", "seq" and "kv_len".
  std::optional<int64_t> batch;
  /// New tokens per sequence, one number for all or one for each. If it is
  /// empty, it is 1 in decode, 512 in prefill and 5 in verify.
  std::vector<int64_t> seq;
  /// Keys that a sequence sees, with the new ones, one number for all or one
  /// for each. If it is empty, it is `seq` in prefill, and otherwise 512.
  std::vector<int64_t> kvLen;
  /// In phase mixed, these are the tokens of a prompt beside the sequences that
  /// decode, and the keys that its last one sees. If they are unset, they are
  /// 512, and `chunk`.
  std::optional<int64_t> chunk, chunkKvLen;
  /// The number of decoder layers alone. If it is unset, the program has the
  /// whole model, with embedding and head.
  std::optional<int64_t> layers = 1;
  MaskKind mask = MaskKind::Causal;
  /// How tokens select experts. If it is unset, it is uniform. A model without
  /// experts takes none.
  std::optional<Routing> routing;
  LatentAttention latentAttention = LatentAttention::Auto; ///< `--mla`
  LinearAttentionForm linearAttention =
      LinearAttentionForm::Auto;        ///< `--linear-attn`
  Sampling sampling = Sampling::Greedy; ///< of the tokens of a whole model
  /// Whether modules behind the last layer predict further tokens: `--mtp`.
  bool predictsFurther = false;
  /// "f32", "f16" or "bf16": the element type of activations and of all weights
  /// that are in no format, instead of the model's. If it is empty, it is the
  /// model's.
  std::string dtype;
  /// Formats by name (see Formats.h), instead of those that the model's
  /// description names. If they are empty, they are those of the description.
  /// `kv` is that of the cache. If `weights` is a plain type, no other weight
  /// is in a format either.
  std::string weights, activations, kv;
};

/// Reads "all" or a positive whole number, the values of `--layers`. Anything
/// else is an error.
FailureOr<std::optional<int64_t>> parseLayers(StringRef text,
                                              MLIRContext *context);

/// Puts the types that the options name into the model. It is an error if a
/// name is unknown, or if activations are in a format while the weights are in
/// none. The llm dialect must be loaded.
LogicalResult applyFormats(ModelConfig &model, const ImportOptions &options);

/// Returns the program that the options ask for, with every default filled in.
/// Sequences are grouped by their new tokens, in prefill also by their keys.
/// Errors name the option: a number below 1, fewer keys than new tokens, lists
/// that do not fit each other, sizes that are open in a list, more layers than
/// the model has, tensors whose bytes cannot be counted in 64 bits. The llm
/// dialect must be loaded.
FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options);

} // namespace mlir::llm

#endif // LLM_IMPORT_IMPORTOPTIONS_H
