//===- SafetensorsHeader.h - Names and shapes of a checkpoint ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// safetensors is the file format of checkpoints of Hugging Face. A file has the
// length of a JSON object, the object with dtype, shape and place of each
// tensor, and the tensors' data, which is not read here.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_SAFETENSORSHEADER_H
#define LLM_FILES_SAFETENSORSHEADER_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::llm {

struct SafetensorsTensor {
  std::string name;
  std::string dtype; ///< as the file spells it: "BF16", "F8_E4M3"
  SmallVector<int64_t, 4> shape;
  /// The begin and the end of the data, from the start of the file.
  uint64_t beginBytes = 0, endBytes = 0;
  Location loc; ///< where the header describes the tensor
};

/// Returns the bits of an element, or nothing if there is no such dtype.
std::optional<int64_t> safetensorsElementBits(StringRef dtype);

class SafetensorsHeader {
public:
  /// Checks what the reference implementation checks (safetensors/src/tensor.rs
  /// of huggingface/safetensors). Errors are located at a byte of the file as
  /// column of line 1, or, within the JSON, by its lines and columns.
  static FailureOr<SafetensorsHeader> parse(StringRef bytes, StringRef fileName,
                                            MLIRContext *context);

  Location loc() const { return location; }
  /// Returns all tensors, in the header's order.
  ArrayRef<SafetensorsTensor> tensors() const { return allTensors; }
  const SafetensorsTensor *find(StringRef name) const;
  /// Returns the value of a key of the file's metadata, or nothing if it has no
  /// such key.
  std::optional<StringRef> findMetadata(StringRef key) const;

private:
  explicit SafetensorsHeader(Location location) : location(location) {}

  Location location;
  std::vector<SafetensorsTensor> allTensors;
  llvm::StringMap<size_t> tensorOfName;
  llvm::StringMap<std::string> metadata;
};

/// What model.safetensors.index.json says: which file of a sharded checkpoint
/// holds which tensor.
class SafetensorsIndex {
public:
  static FailureOr<SafetensorsIndex> parse(StringRef text, StringRef fileName,
                                           MLIRContext *context);

  Location loc() const { return location; }
  /// Returns the names of the files beside the index, sorted, each once.
  ArrayRef<std::string> shards() const { return sortedShards; }
  /// Returns each tensor with its shard, in the file's order.
  ArrayRef<std::pair<std::string, std::string>> tensors() const {
    return shardOfTensor;
  }
  /// Returns the shard of that tensor, or nothing.
  std::optional<StringRef> findShard(StringRef tensor) const;

private:
  explicit SafetensorsIndex(Location location) : location(location) {}

  Location location;
  std::vector<std::string> sortedShards;
  std::vector<std::pair<std::string, std::string>> shardOfTensor;
  llvm::StringMap<size_t> indexOfTensor;
};

} // namespace mlir::llm

#endif // LLM_FILES_SAFETENSORSHEADER_H
