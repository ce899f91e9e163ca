//===- Spelling.cpp - The word that may have been meant -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <tuple>

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace mlir::llm {

static size_t countCommonPrefix(StringRef one, StringRef other) {
  size_t shorter = std::min(one.size(), other.size()), length = 0;
  while (length < shorter && one[length] == other[length])
    ++length;
  return length;
}

/// Splits at all that is no letter and no digit.
static SmallVector<StringRef> wordsOf(StringRef name) {
  SmallVector<StringRef> words;
  while (!name.empty()) {
    StringRef word = name.take_while(llvm::isAlnum);
    name = name.drop_front(std::max<size_t>(1, word.size()));
    if (!word.empty())
      words.push_back(word);
  }
  return words;
}

/// Whether a name is made of words of another one, in their order: "report" and
/// "llm-report" of "llm-export-report".
static bool isMadeOfWordsOf(StringRef part, StringRef name) {
  SmallVector<StringRef> few = wordsOf(part), all = wordsOf(name);
  ArrayRef<StringRef> left = few;
  for (StringRef word : all)
    if (!left.empty() && left.front() == word)
      left = left.drop_front();
  return part.size() >= 2 && left.empty();
}

/// Whether it is the end of a name: "4090" of "rtx4090".
static bool isEnd(StringRef part, StringRef name) {
  return part.size() >= 3 && name.ends_with(part);
}

/// Counts mistakes. Two letters that are swapped are one mistake.
static size_t countMistakes(StringRef one, StringRef other) {
  size_t distance = one.edit_distance(other);
  std::string sorted = one.str(), otherSorted = other.str();
  llvm::sort(sorted);
  llvm::sort(otherSorted);
  return distance == 2 && sorted == otherSorted ? 1 : distance;
}

/// Returns twice the number of mistakes. A name that lacks words ranks before
/// one with a wrong letter. A name that is only a part of the word ranks behind
/// it.
static size_t findDistance(StringRef word, StringRef other) {
  if (wordsOf(word) == wordsOf(other))
    return 0;
  if (isMadeOfWordsOf(word, other) || isEnd(word, other))
    return 1;
  // Letters that are missing at the end of a name count as one.
  size_t prefix = countCommonPrefix(word, other);
  size_t mistakes = countMistakes(word, other);
  if (prefix >= 3)
    mistakes = std::min(mistakes, word.size() - prefix + 1);
  return mistakes > 1 && isMadeOfWordsOf(other, word) ? 3 : 2 * mistakes;
}

StringRef findSimilar(StringRef word, ArrayRef<StringRef> known) {
  std::string lower = word.lower();
  size_t limit = std::max<size_t>(3, 2 * ((word.size() + 1) / 3));
  StringRef best;
  std::tuple<size_t, size_t, size_t> bestRank = {limit + 1, 0, 0};
  for (StringRef candidate : known) {
    std::string other = candidate.lower();
    size_t distance = findDistance(lower, other);
    size_t prefix = countCommonPrefix(lower, other);
    // Among equally close names, the one that begins more like the word is
    // first, and then the shortest.
    std::tuple<size_t, size_t, size_t> rank = {distance, lower.size() - prefix,
                                               other.size()};
    if (distance < 2 * std::min(lower.size(), other.size()) && rank < bestRank)
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
