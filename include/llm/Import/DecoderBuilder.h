//===- DecoderBuilder.h - From a decoder in numbers to IR -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_DECODERBUILDER_H
#define LLM_IMPORT_DECODERBUILDER_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Import/ModelConfig.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Loads the dialects of the IR that `buildDecoder` makes.
void loadDecoderDialects(MLIRContext *context);

/// A module with one function, `<family>_<phase>`, from the hidden states of
/// the new tokens before the layers to those after them, [batch * seq, hidden].
/// One layer is a straight line of ops for layer 0; of more, equal layers are
/// one body in a loop that indexes weights and caches. `program` must come from
/// `resolveProgram`.
OwningOpRef<ModuleOp> buildDecoder(const ModelConfig &model,
                                   ProgramAttr program, Mask mask);

} // namespace mlir::llm

#endif // LLM_IMPORT_DECODERBUILDER_H
