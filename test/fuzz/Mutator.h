//===- Mutator.h - Mutations of text, token by token ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random bytes die in a parser. These mutations know words, numbers, strings,
// brackets, list items and lines, which IR, JSON and CSV have in common.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_FUZZ_MUTATOR_H
#define LLM_TEST_FUZZ_MUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <random>
#include <string>
#include <vector>

namespace mlir::llm::fuzz {

enum class TokenKind { Space, Word, Number, Text, Mark };

struct Token {
  TokenKind kind;
  std::string text;
  bool operator==(const Token &other) const { return text == other.text; }
};

using Tokens = std::vector<Token>;
Tokens tokenize(llvm::StringRef text);
std::string join(const Tokens &tokens);

/// One text on its way to be another. `donor` is a text to take pieces from,
/// often the same one.
class Mutator {
public:
  Mutator(llvm::StringRef text, llvm::StringRef donor,
          llvm::ArrayRef<llvm::StringRef> words, unsigned seed);
  /// A few random mutations.
  std::string mutate();

private:
  size_t below(size_t limit) { return random() % limit; }
  bool oneIn(size_t n) { return below(n) == 0; }

  void mutateOnce();
  void changeNumber();
  void changeToken();
  void removeToken();
  void insertToken();
  void swapTokens();
  void renameEverywhere();
  void changeText();
  void replaceGroup();
  void removeGroup();
  void changeItem();
  void changeLine();
  void changeSettings();

  /// A random token of this kind, or npos.
  size_t find(const Tokens &in, TokenKind kind);
  /// A random bracket of `in`, or npos; its partner, or npos.
  size_t findBracket(const Tokens &in, char bracket);
  size_t closing(const Tokens &in, size_t open);
  Token otherToken(TokenKind kind);
  std::string interestingNumber(llvm::StringRef old);
  void replace(size_t begin, size_t end, const Tokens &by);

  static constexpr size_t npos = -1;
  Tokens tokens, donor;
  llvm::ArrayRef<llvm::StringRef> words;
  std::minstd_rand random;
};

} // namespace mlir::llm::fuzz

#endif // LLM_TEST_FUZZ_MUTATOR_H
