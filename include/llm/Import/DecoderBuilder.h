//===- DecoderBuilder.h - From a decoder in numbers to IR -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_DECODERBUILDER_H
#define LLM_IMPORT_DECODERBUILDER_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Loads the dialects of the IR that `buildDecoder` makes.
void loadDecoderDialects(MLIRContext *context);

/// A module with one function, `<family>_<phase>`. The whole model is from the
/// new tokens [batch * seq] to the next one of each sequence [batch]:
/// embedding, layers, norm, head and sampling; without its ends it is from the
/// hidden states of the new tokens before the layers to those after them,
/// [batch * seq, hidden]. Equal layers are one body in a loop that indexes
/// weights and caches; where layers take turns (a window in every second),
/// those of one turn are. Errors: those of `applyFormats` and `resolveProgram`.
FailureOr<OwningOpRef<ModuleOp>> buildDecoder(ModelConfig model,
                                              const ImportOptions &options);

/// A weight of a model, such as "model.layers.7.mlp.experts.up_proj.weight".
struct NamedWeight {
  std::string name;
  SmallVector<int64_t, 3> shape;
};

/// Every weight that the whole model reads, each once, in the order of the
/// program. Fails where the model is too large to count.
FailureOr<std::vector<NamedWeight>> listWeights(const ModelConfig &model);

} // namespace mlir::llm

#endif // LLM_IMPORT_DECODERBUILDER_H
