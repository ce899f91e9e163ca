//===- GgmlNames.h - What GGUF files call weights ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_GGMLNAMES_H
#define LLM_IMPORT_GGMLNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// Returns the values of `general.architecture` whose tensor names are known.
llvm::ArrayRef<llvm::StringLiteral> knownGgufArchitectures();

/// Says whether a known architecture stores the rows of queries and keys in the
/// order of the pairs of an interleaved rotary embedding.
inline bool storesInterleavedRows(llvm::StringRef architecture) {
  return architecture == "llama";
}

/// Returns the names of the tensors that hold a weight, for the architectures
/// of GgufFamilies.cpp. There are several if the file stores the weight in
/// parts, and none if it has no such weight.
llvm::SmallVector<std::string, 2> ggmlTensorNames(llvm::StringRef architecture,
                                                  llvm::StringRef weight);

/// Says whether files of the architecture can be imported, but their weights
/// cannot be used. Their converters change the numbers of layers with states
/// (-exp(A_log)), or put heads of values in another order.
bool isImportedOnly(llvm::StringRef architecture);

/// Returns "blk.7.attn_q.weight" for "model.layers.7.self_attn.q_proj.weight",
/// for the known architectures. It is empty if they have no such weight.
std::string ggmlTensorName(llvm::StringRef weight);

} // namespace mlir::llm

#endif // LLM_IMPORT_GGMLNAMES_H
