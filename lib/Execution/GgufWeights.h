//===- GgufWeights.h - Weights of a GGUF file -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_GGUFWEIGHTS_H
#define LLM_LIB_EXECUTION_GGUFWEIGHTS_H

#include "StoredTensor.h"
#include "llm/Execution/WeightFiles.h"
#include "llm/Files/GgufHeader.h"

namespace mlir::llm {

/// Reads tensors by their names in the file. For the architectures that the
/// importer knows, it also reads them by the names that the importer gives to
/// weights.
class GgufWeights : public WeightFiles {
public:
  static FailureOr<std::unique_ptr<WeightFiles>>
  open(std::shared_ptr<llvm::MemoryBuffer> file, StringRef path, Location loc);

  FailureOr<WeightParts> read(StringRef name, ArrayRef<RankedTensorType> parts,
                              Location loc) const override;
  std::optional<bool> hasInterleavedRows(StringRef family) const override;

private:
  GgufWeights(std::shared_ptr<llvm::MemoryBuffer> file, GgufHeader header)
      : file(std::move(file)), header(std::move(header)) {}

  const GgufTensor *find(StringRef name) const;
  std::shared_ptr<llvm::MemoryBuffer> ownerOf(const GgufTensor &tensor) const;

  std::shared_ptr<llvm::MemoryBuffer> file;
  GgufHeader header;
  std::string architecture; ///< empty if the importer does not know it
};

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_GGUFWEIGHTS_H
