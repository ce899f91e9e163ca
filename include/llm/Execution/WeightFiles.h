//===- WeightFiles.h - Weights by name --------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_WEIGHTFILES_H
#define LLM_EXECUTION_WEIGHTFILES_H

#include "llm/Execution/HostTensor.h"
#include "llm/Files/SafetensorsHeader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace mlir::llm {

/// Tensors of a checkpoint of Hugging Face. Files are mapped: what nobody asks
/// for is not read.
class WeightFiles {
public:
  /// `path`: a *.safetensors file, a model.safetensors.index.json, or a folder
  /// with one of these. Errors: at `loc`, or in the headers of the files.
  static FailureOr<WeightFiles> open(StringRef path, Location loc);

  /// The weight of that name, of that type; stacked where each expert has a
  /// tensor of its own. Numbers of another float type are converted. Errors: a
  /// tensor that is missing or of another shape, with both shapes.
  FailureOr<HostTensor> read(StringRef name, RankedTensorType type,
                             Location loc) const;

private:
  struct Entry {
    const SafetensorsTensor *tensor;
    std::shared_ptr<llvm::MemoryBuffer> file;
  };

  LogicalResult addFile(StringRef path, Location loc);
  const Entry *find(StringRef name) const;
  FailureOr<HostTensor> readPlain(const Entry &entry, ArrayRef<int64_t> shape,
                                  Type element) const;
  FailureOr<HostTensor> readExperts(StringRef name, RankedTensorType type,
                                    Location loc) const;

  std::vector<std::unique_ptr<SafetensorsHeader>> headers;
  llvm::StringMap<Entry> entries;
};

struct RandomRange {
  float middle, width;
};

/// Numbers of a range, all equally likely, that depend on the seed and the name
/// alone.
HostTensor makeRandomTensor(StringRef name, RankedTensorType type,
                            uint64_t seed, RandomRange range);

/// A safetensors file of these tensors, in the order of their names.
void writeSafetensors(const std::map<std::string, HostTensor> &tensors,
                      raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXECUTION_WEIGHTFILES_H
