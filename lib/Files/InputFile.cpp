//===- InputFile.cpp - Reading a whole file -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/InputFile.h"

namespace mlir::llm {

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (buffer)
    return std::move(*buffer);
  std::error_code reason = buffer.getError();
  return llvm::createStringError(reason, llvm::Twine("cannot read '") + path +
                                             "': " + reason.message());
}

} // namespace mlir::llm
