//===- Spelling.h - The word that may have been meant -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_SPELLING_H
#define LLM_DIAGNOSTICS_SPELLING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// Returns the name among `known` that is closest to `word`, or "" if none is
/// close. A name is close if at most a third of the letters differ, if it
/// begins almost like `word`, or if one of the two is made of words of the
/// other: "enginse" is close to "engines", "theory" to "theoretical",
/// "llm-report" to "llm-export-report", and "4090" to "rtx4090".
::llvm::StringRef findSimilar(::llvm::StringRef word,
                              ::llvm::ArrayRef<::llvm::StringRef> known);

/// Returns "; did you mean 'engines'?", or "" if no name is close.
std::string didYouMean(::llvm::StringRef word,
                       ::llvm::ArrayRef<::llvm::StringRef> known);

/// Returns "a, b or c".
std::string listChoices(::llvm::ArrayRef<::llvm::StringRef> words);

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_SPELLING_H
