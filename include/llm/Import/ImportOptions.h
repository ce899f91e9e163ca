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
  Auto,     ///< Absorbed in decode and verify, Expanded for prompts
  Absorbed, ///< queries are projected to the latents, which all heads share
  Expanded  ///< keys and values of each head are computed from the latents
};

/// How linear attention is computed.
enum class LinearAttentionForm {
  Auto,  ///< Steps in decode and verify, Chunks for prompts
  Steps, ///< one token after the other
  Chunks ///< in chunks, as products of matrices
};

/// A size that the program leaves open.
constexpr int64_t openSize = ShapedType::kDynamic;

/// What a program has beyond the description of its model. Each field is the
/// option of `llm-translate` that has its name.
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
  /// The number of decoder layers, without embedding and head. If it is unset,
  /// the program has the whole model, with embedding and head.
  std::optional<int64_t> layers = 1;
  MaskKind mask = MaskKind::Causal;
  /// How tokens select experts. If it is unset, it is uniform. A model without
  /// experts takes none.
  std::optional<Routing> routing;
  LatentAttention latentAttention = LatentAttention::Auto; ///< `--mla`
  LinearAttentionForm linearAttention =
      LinearAttentionForm::Auto;        ///< `--linear-attn`
  Sampling sampling = Sampling::Greedy; ///< how a whole model picks tokens
  /// Whether modules behind the last layer predict further tokens (`--mtp`).
  bool predictsFurther = false;
  /// The element type of activations and of all weights that are in no format:
  /// "f32", "f16" or "bf16". If it is empty, the type is the model's.
  std::string dtype;
  /// The names of formats (see Formats.h). If a name is empty, the format is
  /// that of the model's description. `kv` is the format of the cache. If
  /// `weights` is a plain type, no weight at all is in a format.
  std::string weights, activations, kv;
};

/// Reads "all" or a positive whole number, the values of `--layers`. Anything
/// else is an error.
FailureOr<std::optional<int64_t>> parseLayers(StringRef text,
                                              MLIRContext *context);

/// Sets the types of the model to those that the options name. It is an error
/// if a name is unknown, or if activations have a format and weights have none.
/// The llm dialect must be loaded.
LogicalResult applyFormats(ModelConfig &model, const ImportOptions &options);

/// Returns the program that the options ask for, with every default filled in.
/// Sequences are grouped by their new tokens, in prefill also by their keys.
/// These are errors, which name the option: a number below 1, fewer keys than
/// new tokens, lists of different lengths, open sizes in a list, more layers
/// than the model has, and tensors whose bytes do not fit into 64 bits. The llm
/// dialect must be loaded.
FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options);

} // namespace mlir::llm

#endif // LLM_IMPORT_IMPORTOPTIONS_H
