//===- BinaryInput.h - Records of bytes, one after the other ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_BINARYINPUT_H
#define LLM_TRACEIMPORT_BINARYINPUT_H

#include "TraceInput.h"
#include "llvm/Support/Endian.h"

namespace mlir::llm {

/// Takes as many bytes as its caller asks for, whatever the pieces of the
/// input.
class BinaryInput {
public:
  explicit BinaryInput(TraceInput &input) : input(input) {}

  uint64_t offsetBytes() const { return offset; }
  /// Takes the next bytes, fewer at the end. They stay valid until the next
  /// call.
  ::llvm::Expected<StringRef> take(size_t count);
  ::llvm::Error failAt(uint64_t offsetBytes, const Twine &what) const {
    return input.fail(offsetBytes, what);
  }

private:
  TraceInput &input;
  StringRef piece;    ///< what is left of it
  std::string joined; ///< bytes that were in several pieces
  uint64_t offset = 0;
};

/// Takes little-endian numbers and texts from a record. Behind its end all
/// numbers are 0, all texts are empty, and `isTooShort` is true. So a reader of
/// a record asks once.
class RecordFields {
public:
  explicit RecordFields(StringRef bytes) : bytes(bytes) {}

  template <typename T>
  T take() {
    StringRef taken = takeBytes(sizeof(T));
    if (taken.empty())
      return T();
    return ::llvm::support::endian::read<T, ::llvm::endianness::little>(
        taken.data());
  }
  StringRef takeBytes(size_t count) {
    if (count > bytes.size() - at) {
      tooShort = true;
      at = bytes.size();
      return "";
    }
    at += count;
    return bytes.substr(at - count, count);
  }
  StringRef takeText() { return takeBytes(take<uint16_t>()); }

  /// Whether `count` items of at least `leastBytes` each can be in what is
  /// left.
  bool hasRoomFor(uint64_t count, uint64_t leastBytes) {
    tooShort |= count > (bytes.size() - at) / leastBytes;
    return !tooShort;
  }
  bool isTooShort() const { return tooShort; }
  size_t bytesLeft() const { return bytes.size() - at; }

private:
  StringRef bytes;
  size_t at = 0;
  bool tooShort = false;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_BINARYINPUT_H
