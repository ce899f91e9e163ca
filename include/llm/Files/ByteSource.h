//===- ByteSource.h - A file, one piece after the other ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For files that memory should not hold.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_BYTESOURCE_H
#define LLM_FILES_BYTESOURCE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>

namespace mlir::llm {

/// Errors name the file.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Returns the next piece, which stays until the next call; empty at the end.
  llvm::Expected<llvm::StringRef> next();
  /// What `next` will return.
  llvm::Expected<llvm::StringRef> peek();

private:
  virtual llvm::Expected<llvm::StringRef> read() = 0;

  std::optional<llvm::StringRef> peeked;
};

/// Reads in pieces of 256 KB, except the last one.
llvm::Expected<std::unique_ptr<ByteSource>>
openByteSource(llvm::StringRef path);
/// Gives all bytes at once. They must outlive it.
std::unique_ptr<ByteSource> makeByteSource(llvm::MemoryBufferRef bytes);
/// Reads what a file in gzip's format holds, also a file of several parts.
std::unique_ptr<ByteSource> makeInflater(std::unique_ptr<ByteSource> compressed,
                                         llvm::StringRef fileName);
/// Says whether a file that begins so is in gzip's format.
bool isGzip(llvm::StringRef beginning);

} // namespace mlir::llm

#endif // LLM_FILES_BYTESOURCE_H
