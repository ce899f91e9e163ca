//===- TraceInput.h - The bytes of a foreign trace --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_TRACEINPUT_H
#define LLM_TRACEIMPORT_TRACEINPUT_H

#include "llm/Files/ByteSource.h"
#include "mlir/Support/LLVM.h"

namespace mlir::llm {

/// Reads a file, or bytes in memory, and inflates them if they are compressed.
class TraceInput {
public:
  static llvm::Expected<TraceInput> open(StringRef path);
  static llvm::Expected<TraceInput> open(llvm::MemoryBufferRef bytes);

  /// Returns the first piece, which stays valid until `next` is called. It has
  /// at least 256 KB if the input is longer.
  llvm::Expected<StringRef> peek() { return source->peek(); }
  /// Returns the next piece, which stays valid until the next call. It is empty
  /// at the end.
  llvm::Expected<StringRef> next() { return source->next(); }

  /// For readers that need random access: the path of the file, or the name of
  /// bytes in memory.
  StringRef name() const { return inputName; }
  /// All bytes as they stand; nothing if they are in a file.
  std::optional<StringRef> inMemory() const { return memory; }
  bool isCompressed() const { return compressed; }

  /// Makes the error "x.json: byte 17: a colon is missing".
  llvm::Error fail(uint64_t offsetBytes, const Twine &what) const;

private:
  TraceInput(std::unique_ptr<ByteSource> source, StringRef name,
             std::optional<StringRef> memory)
      : source(std::move(source)), inputName(name), memory(memory) {}
  static llvm::Expected<TraceInput> open(std::unique_ptr<ByteSource> source,
                                         StringRef name,
                                         std::optional<StringRef> memory);

  std::unique_ptr<ByteSource> source;
  std::string inputName;
  std::optional<StringRef> memory;
  bool compressed = false;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_TRACEINPUT_H
