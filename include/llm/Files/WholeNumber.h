//===- WholeNumber.h - Exact integers from decimal text ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_WHOLENUMBER_H
#define LLM_FILES_WHOLENUMBER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace mlir::llm {

/// Returns the integer that a decimal such as `42`, `-7`, `2.5e9` or `1200e-2`
/// means, found without rounding. The error says what is wrong: it is no
/// number, it is a fraction, or it does not fit into 64 bits.
llvm::Expected<int64_t> parseWholeNumber(llvm::StringRef decimal);

} // namespace mlir::llm

#endif // LLM_FILES_WHOLENUMBER_H
