//===- ByteSource.h - A file, one piece after the other ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of bytes, for files that are too large to be held in memory.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_BYTESOURCE_H
#define LLM_FILES_BYTESOURCE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>

namespace mlir::llm {

/// Returns bytes piece by piece. Errors name the file.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Returns the next piece. It is valid until the next call, and empty at the
  /// end.
  llvm::Expected<llvm::StringRef> next();
  /// Returns what `next` will return.
  llvm::Expected<llvm::StringRef> peek();

private:
  virtual llvm::Expected<llvm::StringRef> read() = 0;

  std::optional<llvm::StringRef> peeked;
};

/// Reads a file in pieces of 256 KB. The last one may be shorter.
llvm::Expected<std::unique_ptr<ByteSource>>
openByteSource(llvm::StringRef path);
/// Makes a source that returns all of `bytes` at once. They must outlive it.
std::unique_ptr<ByteSource> makeByteSource(llvm::MemoryBufferRef bytes);
/// Makes a source that decompresses gzip, also a file of several gzip members.
std::unique_ptr<ByteSource> makeInflater(std::unique_ptr<ByteSource> compressed,
                                         llvm::StringRef fileName);
/// Says whether a file that begins so is in gzip's format.
bool isGzip(llvm::StringRef beginning);

} // namespace mlir::llm

#endif // LLM_FILES_BYTESOURCE_H
