//===- Utf8.h - Names as text that every reader takes -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_UTF8_H
#define LLM_FILES_UTF8_H

#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::llm {

/// Replaces bytes that are not UTF-8, because a name may have any bytes.
inline std::string toUtf8(::llvm::StringRef text) {
  return ::llvm::json::isUTF8(text) ? text.str() : ::llvm::json::fixUTF8(text);
}

} // namespace mlir::llm

#endif // LLM_FILES_UTF8_H
