//===- ProtoWriter.h - The wire format of protocol buffers ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_PROTOWRITER_H
#define LLM_TRACE_PROTOWRITER_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::llm {

/// Writes the fields of a protobuf message, one after the other. A nested
/// message begins with its length, which is inserted when the message ends.
class ProtoWriter {
public:
  void varint(unsigned field, uint64_t value);
  void fixed64(unsigned field, uint64_t value);
  void real(unsigned field, double value);
  void bytes(unsigned field, StringRef value);

  void beginMessage(unsigned field);
  void endMessage();
  /// Appends fields that another writer has written.
  void append(StringRef encoded) { buffer += encoded; }
  /// Removes the innermost message that has begun and not ended.
  void dropMessage();

  /// Appends the length of a message and the message itself, which is the form
  /// of files with several messages.
  void appendDelimited(const ProtoWriter &message) {
    rawVarint(message.buffer.size());
    buffer += message.buffer;
  }

  StringRef str() const { return buffer; }
  void clear() { buffer.clear(); }

private:
  void key(unsigned field, unsigned wireType) {
    rawVarint(uint64_t(field) << 3 | wireType);
  }
  void rawVarint(uint64_t value);

  std::string buffer;
  SmallVector<size_t, 8> starts; ///< where the length of each message belongs
  SmallVector<size_t, 8> keys;   ///< where the number of each message is
};

} // namespace mlir::llm

#endif // LLM_TRACE_PROTOWRITER_H
