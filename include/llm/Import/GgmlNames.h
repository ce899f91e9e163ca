//===- GgmlNames.h - What GGUF files call weights ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_GGMLNAMES_H
#define LLM_IMPORT_GGMLNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// Values of `general.architecture` whose tensors are known.
llvm::ArrayRef<llvm::StringLiteral> knownGgufArchitectures();

/// Says whether a known architecture stores the rows of queries and keys in the
/// order of the pairs of an interleaved rotary embedding.
inline bool storesInterleavedRows(llvm::StringRef architecture) {
  return architecture == "llama";
}

/// Returns "blk.7.attn_q.weight" for "model.layers.7.self_attn.q_proj.weight";
/// empty if these architectures have no such weight.
std::string ggmlTensorName(llvm::StringRef weight);

} // namespace mlir::llm

#endif // LLM_IMPORT_GGMLNAMES_H
