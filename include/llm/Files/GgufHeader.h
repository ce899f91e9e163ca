//===- GgufHeader.h - What a GGUF file says of its model --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GGUF is the file format of ggml and llama.cpp (docs/gguf.md of ggml):
// metadata as keys with typed values, then the names, shapes, types and places
// of the tensors, then their data. Only what stands before the data is read, so
// a mapped file of hundreds of gigabytes costs a few pages.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_GGUFHEADER_H
#define LLM_FILES_GGUFHEADER_H

#include "llm/Support/GgmlTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::llm {

struct GgufTensor {
  std::string name;
  /// The sizes, outermost first, which is the reverse of the file's order.
  SmallVector<int64_t, 4> shape;
  const GgmlType *type = nullptr;
  uint64_t offsetBytes = 0; ///< where the data begins in the file
  int64_t sizeBytes = 0;
  uint64_t infoOffsetBytes = 0; ///< where the file describes the tensor
  size_t part = 0;              ///< which of several files has it; 0: the first
};

/// Types of metadata values, with the numbers that they have in the file.
enum class GgufValueType : uint32_t {
  Uint8,
  Int8,
  Uint16,
  Int16,
  Uint32,
  Int32,
  Float32,
  Boolean,
  String,
  Array,
  Uint64,
  Int64,
  Float64,
};

class GgufHeader {
public:
  /// Reads versions 2 and 3, little-endian. The first thing that is wrong is an
  /// error located at its byte: line 1, column 1 + offset (0 if that does not
  /// fit). The header refers to `bytes`, which must outlive it. If a model has
  /// several files, `bytes` is the first. The others are mapped, by their
  /// names, and their tensors stand behind those of the first.
  static FailureOr<GgufHeader> parse(StringRef bytes, StringRef fileName,
                                     MLIRContext *context);

  /// These return the location of the start of the file, of a tensor's
  /// description, and of a value (or of the start of the file if the key is
  /// absent).
  Location loc() const;
  Location loc(const GgufTensor &tensor) const;
  Location loc(StringRef key) const;

  /// Returns all keys in the file's order.
  std::vector<StringRef> keys() const;
  bool has(StringRef key) const { return findEntry(key) != nullptr; }
  bool isArray(StringRef key) const;

  /// These return a value, or nothing if the key is absent. A value of another
  /// type is an error at the value. A whole number may have any integer type,
  /// and must fit into a signed 64-bit integer. A number must be finite.
  FailureOr<std::optional<int64_t>> findWholeNumber(StringRef key) const;
  FailureOr<std::optional<double>> findNumber(StringRef key) const;
  FailureOr<std::optional<bool>> findBoolean(StringRef key) const;
  /// Returns a string that refers to the file's bytes.
  FailureOr<std::optional<StringRef>> findString(StringRef key) const;
  /// Returns an array of any integer type, such as one number for each layer.
  /// More than a million elements are an error.
  FailureOr<std::optional<std::vector<int64_t>>>
  findWholeNumbers(StringRef key) const;
  /// Returns the length of an array of any type.
  FailureOr<std::optional<uint64_t>> findArrayLength(StringRef key) const;

  /// Returns all tensors, in the file's order.
  ArrayRef<GgufTensor> tensors() const { return allTensors; }
  const GgufTensor *findTensor(StringRef name) const;
  /// Returns the bytes of the tensor, which lie in its file.
  StringRef getData(const GgufTensor &tensor) const;
  /// Returns the mapped file of the tensor. It is null for the first file,
  /// which the caller owns.
  std::shared_ptr<llvm::MemoryBuffer> getFile(const GgufTensor &tensor) const;

private:
  friend class GgufReader;

  struct Value {
    GgufValueType type = GgufValueType::Uint8;
    GgufValueType elementType = GgufValueType::Uint8; ///< of an array
    uint64_t count = 0; ///< of an array's elements
    StringRef payload;  ///< the bytes of the number, the string, the elements
  };
  struct Entry {
    StringRef key;
    Value value;
    uint64_t offsetBytes = 0; ///< where the value's type stands
  };

  /// A file behind the first.
  struct Part {
    std::shared_ptr<llvm::MemoryBuffer> file;
    StringAttr fileName;
  };
  struct Place;

  GgufHeader(StringRef bytes, StringAttr fileName)
      : bytes(bytes), fileName(fileName) {}
  static FailureOr<GgufHeader> parseFile(StringRef bytes, StringRef fileName,
                                         MLIRContext *context);
  FailureOr<Place> findPlace() const;
  LogicalResult addPart(StringRef path, Place expected);
  LogicalResult addParts();
  const Entry *findEntry(StringRef key) const;
  static std::string describe(const Value &value);
  static double readReal(const Value &value);
  InFlightDiagnostic emitWrongValue(const Entry &entry, StringRef wanted) const;

  StringRef bytes; ///< of the whole file
  StringAttr fileName;
  std::vector<Entry> entries;
  llvm::StringMap<size_t> entryOfKey;
  std::vector<GgufTensor> allTensors;
  llvm::StringMap<size_t> tensorOfName;
  std::vector<Part> parts;
};

} // namespace mlir::llm

#endif // LLM_FILES_GGUFHEADER_H
