//===- ByteReader.h - Little-endian numbers, one after another --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binary files have no lines, so a place is a byte. No byte is read past the
// end, and each count is compared with the bytes that are left before it is
// used.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_FILES_BYTEREADER_H
#define LLM_LIB_FILES_BYTEREADER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

#include <string>

namespace mlir::llm {

/// Makes a location on line 1 of the file, whose column counts bytes from 1.
/// The column is 0 if it does not fit into 32 bits.
Location locateByte(StringAttr fileName, uint64_t offsetBytes);

/// Emits an error at that byte. Its text names the byte, too: "at byte 24: ".
InFlightDiagnostic emitErrorAtByte(StringAttr fileName, uint64_t offsetBytes);

/// Quotes text from a file for messages: escaped, and not too long.
std::string quoteBytes(StringRef text);

class ByteReader {
public:
  ByteReader(StringRef bytes, StringAttr fileName)
      : bytes(bytes), fileName(fileName) {}

  uint64_t at() const { return offsetBytes; }
  uint64_t bytesLeft() const { return bytes.size() - offsetBytes; }

  /// Takes the next number. `what` names it in the error.
  template <typename T>
  FailureOr<T> take(StringRef what) {
    FailureOr<StringRef> taken = takeBytes(sizeof(T), what);
    if (failed(taken))
      return failure();
    return llvm::support::endian::read<T, llvm::endianness::little>(
        taken->data());
  }
  FailureOr<StringRef> takeBytes(uint64_t countBytes, StringRef what);
  /// The bytes that were taken since `startBytes`.
  StringRef takenSince(uint64_t startBytes) const {
    return bytes.slice(startBytes, offsetBytes);
  }

  /// Emits an error at `countOffsetBytes` if `count` items of at least
  /// `leastBytes` each cannot be in what is left.
  LogicalResult checkCount(uint64_t count, uint64_t leastBytes, StringRef items,
                           uint64_t countOffsetBytes) const;

  InFlightDiagnostic emitErrorAt(uint64_t errorOffsetBytes) const {
    return emitErrorAtByte(fileName, errorOffsetBytes);
  }

private:
  StringRef bytes;
  StringAttr fileName;
  uint64_t offsetBytes = 0; ///< at most the size of `bytes`
};

} // namespace mlir::llm

#endif // LLM_LIB_FILES_BYTEREADER_H
