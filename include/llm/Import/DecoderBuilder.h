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

/// Makes a module with one function, `<family>_<phase>`. The function of the
/// whole model takes the new tokens [batch * seq] and returns the next token of
/// each sequence [batch]: embedding, layers, norm, head and sampling. A
/// function of only some layers takes the hidden states of the new tokens
/// before these layers and returns those after them, [batch * seq, hidden].
/// Equal layers are one body in a loop that indexes weights and caches. If
/// layers alternate (a window in every second), one period of layers is the
/// body. Errors are those of `applyFormats` and `resolveProgram`.
FailureOr<OwningOpRef<ModuleOp>> buildDecoder(ModelConfig model,
                                              const ImportOptions &options);

/// A weight of a model, such as "model.layers.7.mlp.experts.up_proj.weight".
struct NamedWeight {
  std::string name;
  SmallVector<int64_t, 3> shape;
};

/// Lists every weight that the whole model reads, each once, in the order of
/// the program. Fails if the model is too large to count.
FailureOr<std::vector<NamedWeight>> listWeights(const ModelConfig &model);

} // namespace mlir::llm

#endif // LLM_IMPORT_DECODERBUILDER_H
