//===- SafetensorsWeights.h - Weights of a checkpoint -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_SAFETENSORSWEIGHTS_H
#define LLM_LIB_EXECUTION_SAFETENSORSWEIGHTS_H

#include "StoredTensor.h"
#include "llm/Execution/WeightFiles.h"
#include "llm/Files/SafetensorsHeader.h"

namespace mlir::llm {

/// Reads tensors of a checkpoint of Hugging Face, or those that llm-run saved.
class SafetensorsWeights : public WeightFiles {
public:
  static FailureOr<std::unique_ptr<WeightFiles>>
  openFile(std::shared_ptr<llvm::MemoryBuffer> file, StringRef path,
           Location loc);
  /// Opens the files that an index names.
  static FailureOr<std::unique_ptr<WeightFiles>>
  openIndex(StringRef text, StringRef path, Location loc);

  /// Reads a weight. Experts with a tensor each are stacked.
  FailureOr<WeightParts> read(StringRef name, ArrayRef<RankedTensorType> parts,
                              Location loc) const override;
  FailureOr<std::optional<HostTensor>>
  readCacheScale(StringRef cache, bool isOfKeys, Type type) const override;
  /// Files that llm-run saved say so. Checkpoints of Hugging Face have rows in
  /// halves if llama.cpp's converter changes their order.
  std::optional<bool> hasInterleavedRows(StringRef family) const override;

private:
  struct Entry {
    const SafetensorsTensor *tensor;
    std::shared_ptr<llvm::MemoryBuffer> file;
  };

  LogicalResult addFile(std::shared_ptr<llvm::MemoryBuffer> file,
                        StringRef path, Location loc);
  std::optional<StoredTensor> find(StringRef name) const;

  /// Returns nothing if no tensor has the weight.
  FailureOr<std::optional<WeightParts>>
  readWhole(StringRef name, ArrayRef<RankedTensorType> parts) const;
  /// Reads values that are packed, under other names than that of the weight.
  FailureOr<std::optional<WeightParts>>
  readPacked(StringRef base, ArrayRef<RankedTensorType> parts) const;
  /// Reads the scale of a linear layer's input: the largest of the layers that
  /// read the same input.
  FailureOr<WeightParts> readInputScale(StringRef name, RankedTensorType type,
                                        Location loc) const;
  /// Returns what stored zero points of GPTQ lack, by the config beside the
  /// weights.
  FailureOr<int64_t> findGptqOffset() const;
  FailureOr<WeightParts> readSaved(StringRef name,
                                   ArrayRef<RankedTensorType> parts) const;
  FailureOr<WeightParts> readExperts(StringRef name,
                                     ArrayRef<RankedTensorType> parts,
                                     Location loc) const;

  std::string folder;                        ///< of the files
  mutable std::optional<int64_t> gptqOffset; ///< empty until it is asked for
  std::vector<std::unique_ptr<SafetensorsHeader>> headers;
  llvm::StringMap<Entry> entries;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_SAFETENSORSWEIGHTS_H
