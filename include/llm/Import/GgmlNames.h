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

/// Values of `general.architecture` whose tensors are known.
llvm::ArrayRef<llvm::StringLiteral> knownGgufArchitectures();

/// Says whether a known architecture stores the rows of queries and keys in the
/// order of the pairs of an interleaved rotary embedding.
inline bool storesInterleavedRows(llvm::StringRef architecture) {
  return architecture == "llama";
}

/// Returns the tensors that hold a weight of one of the architectures that are
/// not in that list, whose layers differ: several if the file takes it apart.
/// There are none if it has no such weight.
llvm::SmallVector<std::string, 2> ggmlTensorNames(llvm::StringRef architecture,
                                                  llvm::StringRef weight);

/// Says whether files of the architecture are imported, but no weights read of
/// them: converters change numbers of layers with states (-exp(A_log)), or put
/// them in another order (heads of values by their turn).
bool isImportedOnly(llvm::StringRef architecture);

/// Returns "blk.7.attn_q.weight" for "model.layers.7.self_attn.q_proj.weight";
/// empty if these architectures have no such weight.
std::string ggmlTensorName(llvm::StringRef weight);

} // namespace mlir::llm

#endif // LLM_IMPORT_GGMLNAMES_H
