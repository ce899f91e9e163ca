//===- Checkpoints.h - Models from files of weights -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the headers of files of weights: the names, shapes and types of
// tensors. No weight is read.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_CHECKPOINTS_H
#define LLM_IMPORT_CHECKPOINTS_H

#include "llm/Files/GgufHeader.h"
#include "llm/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Returns the element type of a tensor of ggml. It is plain, or has values
/// with the scales and minimums of their blocks, and it takes as many bytes as
/// ggml's. Returns null if ggml's values do not have a whole number of bits.
Type getGgmlElementType(const GgmlType &type, MLIRContext *context);

/// Returns the model that a GGUF file describes (architectures llama, with
/// Mistral and Mixtral, qwen2, qwen3 and qwen3moe, and those of
/// GgufFamilies.cpp), each weight of the type that it has in the file.
/// Activations and cache are f16, as ggml computes on GPUs. These are errors: a
/// key that is missing or contradicts the tensors, and a tensor that is
/// missing, of another shape, or unknown.
FailureOr<ModelConfig> readGguf(const GgufHeader &header);

/// Makes the program of a GGUF file from its bytes. Only the header is read.
FailureOr<OwningOpRef<ModuleOp>> importGguf(StringRef bytes, StringRef fileName,
                                            const ImportOptions &options,
                                            MLIRContext *context);

/// Makes the program of a config.json, checked against the headers of the
/// checkpoint in the folder of `configPath`: model.safetensors, or the files
/// that model.safetensors.index.json names. Weights have the types that they
/// have there. These are errors: a tensor that is missing, of another shape, of
/// a type that the config does not name, or of no weight of the model.
FailureOr<OwningOpRef<ModuleOp>> importSafetensors(StringRef configText,
                                                   StringRef configPath,
                                                   const ImportOptions &options,
                                                   MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_IMPORT_CHECKPOINTS_H
