//===- GgufReader.h - Reading the header of a GGUF file ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_FILES_GGUFREADER_H
#define LLM_LIB_FILES_GGUFREADER_H

#include "ByteReader.h"
#include "llm/Files/GgufHeader.h"

namespace mlir::llm {

/// The bytes of a number of this type; 0 for strings and arrays.
uint64_t numberSizeBytes(GgufValueType type);

/// The type in messages: "u32", "a string", ...
StringRef stringify(GgufValueType type);

/// Reads and checks a header, from the first byte to the last tensor's
/// description.
class GgufReader {
public:
  GgufReader(StringRef bytes, StringAttr fileName)
      : header(bytes, fileName), reader(bytes, fileName),
        fileBytes(bytes.size()) {}

  FailureOr<GgufHeader> read();

private:
  LogicalResult readMagicAndVersion();
  LogicalResult readCounts();
  FailureOr<StringRef> readName(StringRef what);

  LogicalResult readEntry();
  FailureOr<GgufValueType> readType();
  FailureOr<GgufHeader::Value> readValue();
  LogicalResult readArray(GgufHeader::Value &array, unsigned depth);
  LogicalResult skipElements(const GgufHeader::Value &array, unsigned depth);
  LogicalResult skipElement(GgufValueType type, unsigned depth);
  FailureOr<StringRef> readString();
  LogicalResult checkTruthValue();
  LogicalResult readAlignment();

  LogicalResult readTensor();
  LogicalResult readShape(GgufTensor &tensor);
  LogicalResult readTensorType(GgufTensor &tensor);
  LogicalResult countBytes(GgufTensor &tensor) const;
  LogicalResult placeTensors();
  LogicalResult checkOverlaps() const;

  GgufHeader header;
  ByteReader reader;
  uint64_t fileBytes;
  uint64_t entryCount = 0, tensorCount = 0;
  uint64_t walkedElements = 0; ///< of arrays, one by one
  uint64_t alignmentBytes = 32;
};

} // namespace mlir::llm

#endif // LLM_LIB_FILES_GGUFREADER_H
