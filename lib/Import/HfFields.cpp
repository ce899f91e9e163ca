//===- HfFields.cpp - Fields of a config.json, each accounted for ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfFields.h"
#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace mlir::llm {

/// Fields that the time of a model does not depend on.
static constexpr llvm::StringLiteral harmless[] = {
    // These are the longest sequence, and windows that are not in use.
    "max_position_embeddings", "original_max_position_embeddings",
    "max_window_layers", "initial_context_length",
    // These are for training and initial values, or for how the same products
    // are cut or kept.
    "initializer_range", "attention_dropout", "hidden_dropout", "embd_pdrop",
    "resid_pdrop", "pretraining_tp", "use_cache", "router_aux_loss_coef",
    "output_router_logits", "router_jitter_noise", "chunk_size_feed_forward",
    "torchscript", "use_bfloat16", "tf_legacy_loss", "aux_loss_alpha",
    "seq_aux", "ep_size", "for_llm_compressor",
    // Layers behind the others predict further tokens, and are no part of a
    // decode step.
    "num_nextn_predict_layers", "num_mtp_modules", "mtp_transformer_layers",
    "use_mtp", "mtp_num_hidden_layers",
    // Bookkeeping.
    "architectures", "auto_map", "transformers_version", "name_or_path",
    "tokenizer_class", "prefix", "unsloth_fixed", "unsloth_version",
    "is_decoder", "tie_encoder_decoder", "cross_attention_hidden_size",
    "is_llama_config",
    // Tasks.
    "id2label", "label2id", "num_labels", "problem_type", "finetuning_task",
    "task_specific_params", "return_dict", "output_hidden_states",
    "output_attentions", "output_scores", "return_dict_in_generate",
    // Tokens and generation.
    "bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id",
    "unk_token_id", "decoder_start_token_id", "forced_bos_token_id",
    "forced_eos_token_id", "bad_words_ids", "suppress_tokens",
    "begin_suppress_tokens", "max_length", "min_length", "do_sample",
    "early_stopping", "num_beams", "num_beam_groups", "diversity_penalty",
    "temperature", "top_k", "top_p", "typical_p", "repetition_penalty",
    "length_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size",
    "num_return_sequences", "remove_invalid_values",
    "exponential_decay_length_penalty"};

/// Parts that are not there. If the field is absent, that means false.
static constexpr llvm::StringLiteral harmlessIfFalse[] = {
    "qkv_bias", "attention_bias", "mlp_bias",
    "use_bias", "lm_head_bias",   "use_sliding_window"};

/// Whether a field is harmless. A name with a leading underscore is private to
/// the program that wrote the file.
static bool isHarmless(StringRef key, const LocatedJson &value) {
  return key.starts_with("_") || llvm::is_contained(harmless, key) ||
         (llvm::is_contained(harmlessIfFalse, key) &&
          value.kind() == LocatedJson::Kind::Boolean && !*value.asBoolean());
}

const LocatedJson *HfFields::find(StringRef key) {
  seen.insert(key);
  const LocatedJson *member = object.find(key);
  return member && !member->isNull() ? member : nullptr;
}

bool HfFields::isNull(StringRef key) {
  seen.insert(key);
  const LocatedJson *member = object.find(key);
  return member && member->isNull();
}

/// Returns the value. After an error, which was reported, returns another one
/// to go on with.
template <typename T>
T HfFields::take(FailureOr<T> value, T otherwise) {
  if (succeeded(value))
    return std::move(*value);
  anyWrong = true;
  return otherwise;
}

int64_t HfFields::positive(StringRef key) {
  seen.insert(key);
  FailureOr<const LocatedJson *> member = object.require(key);
  if (succeeded(member))
    return take((*member)->asPositive(), int64_t(1));
  anyWrong = true;
  return 1;
}

int64_t HfFields::positive(StringRef key, int64_t absent) {
  const LocatedJson *member = find(key);
  return member ? take(member->asPositive(), absent) : absent;
}

int64_t HfFields::nonNegative(StringRef key, int64_t absent) {
  const LocatedJson *member = find(key);
  return member ? take(member->asNonNegative(), absent) : absent;
}

double HfFields::number(StringRef key, double absent) {
  const LocatedJson *member = find(key);
  return member ? take(member->asNumber(), absent) : absent;
}

double HfFields::numberOrNone(StringRef key, double absent) {
  const LocatedJson *member = object.find(key);
  double value = member && member->isNull() ? 0 : number(key, absent);
  if (value < 0)
    refuse(key) << "must be positive or null";
  seen.insert(key);
  return value;
}

bool HfFields::boolean(StringRef key, bool absent) {
  const LocatedJson *member = find(key);
  return member ? take(member->asBoolean(), absent) : absent;
}

std::string HfFields::string(StringRef key, StringRef absent) {
  const LocatedJson *member = find(key);
  return member ? take(member->asString(), absent.str()) : absent.str();
}

std::vector<int64_t> HfFields::wholeNumbers(StringRef key) {
  const LocatedJson *member = find(key);
  std::vector<int64_t> numbers;
  if (!member)
    return numbers;
  if (failed(member->expectArray())) {
    markFailed();
    return numbers;
  }
  for (const LocatedJson &element : member->elements())
    numbers.push_back(take(element.asNonNegative(), int64_t(0)));
  return numbers;
}

std::vector<double> HfFields::positiveNumbers(StringRef key) {
  const LocatedJson *member = find(key);
  if (!member || !member->isArray())
    return {};
  std::vector<double> numbers;
  for (const LocatedJson &element : member->elements()) {
    double number = take(element.asNumber(), 0.0);
    if (!std::isfinite(number) || number <= 0)
      return {};
    numbers.push_back(number);
  }
  return numbers;
}

void HfFields::mustBe(StringRef key, StringRef text) {
  std::string got = string(key, text);
  if (got != text)
    refuse(key) << "must be \"" << text << "\", got \"" << got << "\"";
}

void HfFields::mustBeFalse(StringRef key, StringRef meaning) {
  if (boolean(key, false))
    refuse(key) << "true is not supported: " << meaning;
}

void HfFields::mustBeAbsent(StringRef key, StringRef meaning) {
  if (find(key))
    refuse(key) << "is not supported: " << meaning;
}

InFlightDiagnostic HfFields::refuse(StringRef key) {
  anyWrong = true;
  const LocatedJson *member = object.find(key);
  std::string path = member ? member->path() : key.str();
  InFlightDiagnostic diagnostic = (member ? *member : object).emitError();
  diagnostic << "'" << path << "' ";
  return diagnostic;
}

LogicalResult HfFields::finish(const Twine &owner) {
  SmallVector<StringRef> known(seen.keys());
  for (const auto &[key, value] : object.members())
    if (!value.isNull() && !seen.contains(key) && !isHarmless(key, value))
      refuse(key) << "is unknown for " << owner
                  << " and may change the work; remove it if it does not"
                  << didYouMean(key, known);
  return failure(anyWrong);
}

} // namespace mlir::llm
