//===- Spelling.cpp - The word that may have been meant -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <tuple>

using llvm::ArrayRef;
using llvm::StringRef;

namespace mlir::llm {

static size_t countCommonPrefix(StringRef one, StringRef other) {
  size_t shorter = std::min(one.size(), other.size()), length = 0;
  while (length < shorter && one[length] == other[length])
    ++length;
  return length;
}

/// "schedule" of "llm-schedule".
static bool isLastWord(StringRef word, StringRef name) {
  return word.size() >= 3 && name.consume_back(word) && !name.empty() &&
         !llvm::isAlnum(name.back());
}

StringRef findSimilar(StringRef word, ArrayRef<StringRef> known) {
  std::string lower = word.lower();
  size_t limit = std::max<size_t>(2, word.size() / 3);
  StringRef best;
  std::tuple<size_t, size_t> bestRank = {limit + 1, 0};
  for (StringRef candidate : known) {
    std::string other = candidate.lower();
    size_t prefix = countCommonPrefix(lower, other);
    size_t distance = StringRef(lower).edit_distance(other);
    // What is missing at the end of a name counts as one letter, and so does
    // what stands before a word of it.
    if (prefix >= 3)
      distance = std::min(distance, lower.size() - prefix + 1);
    if (isLastWord(lower, other) || isLastWord(other, lower))
      distance = 1;
    // Of equally close names, the one that begins more like the word.
    std::tuple<size_t, size_t> rank = {distance, lower.size() - prefix};
    if (distance < std::min(lower.size(), other.size()) && rank < bestRank)
      bestRank = rank, best = candidate;
  }
  return best;
}

std::string didYouMean(StringRef word, ArrayRef<StringRef> known) {
  StringRef similar = findSimilar(word, known);
  return similar.empty() ? "" : ("; did you mean '" + similar + "'?").str();
}

std::string listChoices(ArrayRef<StringRef> words) {
  if (words.size() < 2)
    return llvm::join(words, "");
  return llvm::join(words.drop_back(), ", ") + " or " + words.back().str();
}

} // namespace mlir::llm
