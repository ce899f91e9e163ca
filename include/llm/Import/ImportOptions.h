//===- ImportOptions.h - Which program to make of a model -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_IMPORTOPTIONS_H
#define LLM_IMPORT_IMPORTOPTIONS_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Import/ExpertRows.h"
#include "llm/Import/ModelConfig.h"

#include <optional>

namespace mlir::llm {

/// What a model's description does not say. Each field is the option of
/// `llm-translate` that has its name.
struct ImportOptions {
  Phase phase = Phase::Decode;
  int64_t batch = 1;
  /// New tokens per sequence; unset: 1 in decode, 512 in prefill, 5 in verify.
  std::optional<int64_t> seq;
  /// Keys that a sequence sees, new ones included; unset: `seq` in prefill,
  /// otherwise 512.
  std::optional<int64_t> kvLen;
  /// Decoder layers alone; unset: the whole model, with embedding and head.
  std::optional<int64_t> layers = 1;
  MaskKind mask = MaskKind::Causal;
  Routing routing = Routing::Uniform; ///< of tokens to experts
};

/// Reads "all" or a positive whole number, the values of `--layers`. Anything
/// else is an error.
FailureOr<std::optional<int64_t>> parseLayers(StringRef text,
                                              MLIRContext *context);

/// The program that the options ask for, with every default filled in. Errors,
/// which name the option: a number below 1, fewer keys than new tokens, more
/// layers than the model has, tensors whose bytes cannot be counted in 64 bits.
/// The llm dialect must be loaded.
FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options);

} // namespace mlir::llm

#endif // LLM_IMPORT_IMPORTOPTIONS_H
