//===- Mutator.cpp - Mutations of text, token by token --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm::fuzz {

using ::llvm::isAlnum;
using ::llvm::isDigit;
using ::llvm::isSpace;
using ::llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static size_t lengthOfText(StringRef rest) {
  for (size_t at = 1; at < rest.size() && rest[at] != '\n'; ++at)
    if (rest[at] == '\\')
      ++at;
    else if (rest[at] == '"')
      return at + 1;
  return 1;
}

static size_t lengthOfNumber(StringRef rest) {
  size_t length = rest.find_if_not(isDigit);
  if (length == StringRef::npos)
    return rest.size();
  if (rest[length] == '.' && length + 1 < rest.size() &&
      isDigit(rest[length + 1]))
    length = std::min(rest.find_if_not(isDigit, length + 1), rest.size());
  return length;
}

static bool isInWord(char letter) {
  return isAlnum(letter) || letter == '_' || letter == '.' || letter == '$';
}

static Token nextToken(StringRef rest, const Tokens &before) {
  char first = rest.front();
  auto take = [&](TokenKind kind, size_t length) {
    return Token{kind, rest.take_front(length).str()};
  };
  if (isSpace(first))
    return take(TokenKind::Space, rest.find_if_not(isSpace));
  if (first == '"')
    return take(TokenKind::Text, lengthOfText(rest));
  if (isDigit(first))
    return take(TokenKind::Number, lengthOfNumber(rest));
  // The x of 4x8xbf16.
  if (first == 'x' && !before.empty() &&
      (before.back().kind == TokenKind::Number || before.back().text == "?"))
    return take(TokenKind::Mark, 1);
  size_t sigil = StringRef("%#@!^").contains(first) ? 1 : 0;
  size_t length = std::min(
      rest.find_if_not([](char c) { return isInWord(c); }, sigil), rest.size());
  if (length > sigil)
    return take(TokenKind::Word, length);
  return take(TokenKind::Mark, 1);
}

Tokens tokenize(StringRef text) {
  Tokens tokens;
  while (!text.empty()) {
    tokens.push_back(nextToken(text, tokens));
    text = text.drop_front(tokens.back().text.size());
  }
  return tokens;
}

std::string join(const Tokens &tokens) {
  std::string text;
  for (const Token &token : tokens)
    text += token.text;
  return text;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

size_t Mutator::find(const Tokens &in, TokenKind kind) {
  if (in.empty())
    return npos;
  size_t start = below(in.size());
  for (size_t step = 0; step < in.size(); ++step) {
    size_t at = (start + step) % in.size();
    if (in[at].kind == kind)
      return at;
  }
  return npos;
}

size_t Mutator::findBracket(const Tokens &in, char bracket) {
  StringRef wanted = bracket ? StringRef(&bracket, 1) : StringRef("<{[(");
  if (in.empty())
    return npos;
  size_t start = below(in.size());
  for (size_t step = 0; step < in.size(); ++step) {
    size_t at = (start + step) % in.size();
    if (in[at].text.size() == 1 && wanted.contains(in[at].text[0]))
      return at;
  }
  return npos;
}

size_t Mutator::closing(const Tokens &in, size_t open) {
  char bracket = in[open].text[0];
  StringRef opening = "<{[(", closings = ">}])";
  char partner = closings[opening.find(bracket)];
  int depth = 0;
  for (size_t at = open; at < in.size(); ++at) {
    if (in[at].text.size() != 1)
      continue;
    depth += in[at].text[0] == bracket;
    depth -= in[at].text[0] == partner;
    if (depth == 0)
      return at;
  }
  return npos;
}

Token Mutator::otherToken(TokenKind kind) {
  if (kind != TokenKind::Number && oneIn(3))
    return {kind, words[below(words.size())].str()};
  const Tokens &from = oneIn(2) ? donor : tokens;
  size_t at = find(from, kind);
  return at == npos ? Token{kind, words[below(words.size())].str()} : from[at];
}

std::string Mutator::interestingNumber(StringRef old) {
  static constexpr const char *fixed[] = {
      "0", "1", "2", "3", "7", "8", "16", "1024", "1025", "4096",
      // around the limits of 31, 32, 61, 63 and 64 bits, and beyond
      "2147483647", "2147483648", "4294967296", "2305843009213693951",
      "2305843009213693952", "9223372036854775807", "9223372036854775808",
      "18446744073709551616", "100000000000000000000000000000", "1.5", "1e300",
      "1e-300", "0x7FF8000000000000"};
  uint64_t value = 0;
  if (oneIn(3) || old.getAsInteger(10, value))
    return fixed[below(std::size(fixed))];
  switch (below(6)) {
  case 0:
    return std::to_string(value + 1);
  case 1:
    return std::to_string(value - 1);
  case 2:
    return std::to_string(value * 2);
  case 3:
    return std::to_string(value / 2);
  case 4:
    return "-" + old.str();
  default:
    return otherToken(TokenKind::Number).text;
  }
}

void Mutator::replace(size_t begin, size_t end, const Tokens &by) {
  tokens.erase(tokens.begin() + begin, tokens.begin() + end);
  tokens.insert(tokens.begin() + begin, by.begin(), by.end());
}

//===----------------------------------------------------------------------===//
// Mutations of tokens
//===----------------------------------------------------------------------===//

void Mutator::changeNumber() {
  size_t at = find(tokens, TokenKind::Number);
  if (at != npos)
    tokens[at].text = interestingNumber(tokens[at].text);
}

void Mutator::changeToken() {
  size_t at = below(tokens.size());
  if (tokens[at].kind != TokenKind::Space)
    tokens[at] = otherToken(tokens[at].kind);
}

void Mutator::removeToken() {
  size_t at = below(tokens.size());
  tokens.erase(tokens.begin() + at);
}

void Mutator::insertToken() {
  Token added = otherToken(oneIn(2) ? TokenKind::Word : TokenKind::Mark);
  Token space{TokenKind::Space, " "};
  size_t at = below(tokens.size());
  replace(at, at, {space, added, space});
}

void Mutator::swapTokens() {
  size_t a = below(tokens.size());
  size_t b = find(tokens, tokens[a].kind);
  std::swap(tokens[a], tokens[b]);
}

/// A size or a type that changes in one place only is mostly a type error.
void Mutator::renameEverywhere() {
  size_t at = find(tokens, oneIn(2) ? TokenKind::Number : TokenKind::Word);
  if (at == npos)
    return;
  Token old = tokens[at];
  Token renamed = old.kind == TokenKind::Number
                      ? Token{old.kind, interestingNumber(old.text)}
                      : otherToken(old.kind);
  for (Token &token : tokens)
    if (token == old)
      token = renamed;
}

void Mutator::changeText() {
  static constexpr const char *fixed[] = {
      "\"\"",         "\"{}\"",   "\"a.{}.{}\"",   "\"\\00\"",
      "\"\\FF\\FE\"", "\"a/b\"",  "\"\\22,\\0A\"", "\"\xC3\xA4\"",
      "\"+\"",        "\"dram\"", "\"core\"",      "\"llm.add#0\""};
  size_t at = find(tokens, TokenKind::Text);
  if (at == npos)
    return;
  if (oneIn(2))
    tokens[at] = otherToken(TokenKind::Text);
  else
    tokens[at].text = fixed[below(std::size(fixed))];
}

//===----------------------------------------------------------------------===//
// Mutations of structure
//===----------------------------------------------------------------------===//

/// Attributes of one op come to another, as do whole regions and types.
void Mutator::replaceGroup() {
  size_t begin = findBracket(tokens, 0);
  if (begin == npos)
    return;
  size_t end = closing(tokens, begin);
  const Tokens &from = oneIn(2) ? donor : tokens;
  size_t otherBegin = findBracket(from, tokens[begin].text[0]);
  size_t otherEnd = otherBegin == npos ? npos : closing(from, otherBegin);
  if (end == npos || otherEnd == npos)
    return;
  Tokens other(from.begin() + otherBegin, from.begin() + otherEnd + 1);
  replace(begin, end + 1, other);
}

void Mutator::removeGroup() {
  size_t begin = findBracket(tokens, 0);
  size_t end = begin == npos ? npos : closing(tokens, begin);
  if (end == npos)
    return;
  bool withBrackets = oneIn(2);
  replace(begin + !withBrackets, end + withBrackets, {});
}

/// Removes, doubles or moves what stands between commas.
void Mutator::changeItem() {
  size_t open = findBracket(tokens, 0);
  size_t close = open == npos ? npos : closing(tokens, open);
  if (close == npos)
    return;
  std::vector<Tokens> items(1);
  int depth = 0;
  for (size_t at = open + 1; at < close; ++at) {
    bool isMark = tokens[at].text.size() == 1;
    depth += isMark && StringRef("<{[(").contains(tokens[at].text);
    depth -= isMark && StringRef(">}])").contains(tokens[at].text);
    if (depth == 0 && tokens[at].text == ",")
      items.emplace_back();
    else
      items.back().push_back(tokens[at]);
  }
  size_t chosen = below(items.size());
  if (oneIn(3))
    items.erase(items.begin() + chosen);
  else if (oneIn(2))
    items.insert(items.begin() + below(items.size()), Tokens(items[chosen]));
  else
    std::swap(items[chosen], items[below(items.size())]);
  Tokens changed;
  for (const Tokens &item : items) {
    if (!changed.empty())
      changed.push_back({TokenKind::Mark, ","});
    changed.insert(changed.end(), item.begin(), item.end());
  }
  replace(open + 1, close, changed);
}

static std::vector<std::string> splitLines(const Tokens &tokens) {
  ::llvm::SmallVector<StringRef> lines;
  std::string text = join(tokens);
  StringRef(text).split(lines, '\n');
  return {lines.begin(), lines.end()};
}

void Mutator::changeLine() {
  std::vector<std::string> lines = splitLines(tokens);
  size_t at = below(lines.size());
  std::string line = lines[at];
  switch (below(4)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + below(lines.size()), line);
    break;
  case 2:
    std::swap(lines[at], lines[below(lines.size())]);
    break;
  default:
    std::vector<std::string> others = splitLines(donor);
    lines.insert(lines.begin() + at, others[below(others.size())]);
  }
  tokens = tokenize(::llvm::join(lines, "\n"));
}

/// The first line says what is done with the others.
void Mutator::changeSettings() {
  std::vector<std::string> lines = splitLines(tokens);
  if (!StringRef(lines[0]).starts_with("//"))
    lines.insert(lines.begin(), "//");
  ::llvm::SmallVector<StringRef> parts;
  std::string first = lines[0];
  StringRef(first).drop_front(2).split(parts, ' ', -1, /*KeepEmpty=*/false);
  StringRef word = words[below(words.size())];
  if (parts.empty() || oneIn(2))
    parts.insert(parts.begin() + below(parts.size() + 1), word);
  else if (oneIn(2))
    parts[below(parts.size())] = word;
  else
    parts.erase(parts.begin() + below(parts.size()));
  lines[0] = "// " + ::llvm::join(parts, " ");
  tokens = tokenize(::llvm::join(lines, "\n"));
}

//===----------------------------------------------------------------------===//
// All together
//===----------------------------------------------------------------------===//

Mutator::Mutator(StringRef text, StringRef donor,
                 ::llvm::ArrayRef<StringRef> words, unsigned seed)
    : tokens(tokenize(text)), donor(tokenize(donor)), words(words),
      random(seed) {
  if (this->donor.empty())
    this->donor = tokens;
}

void Mutator::mutateOnce() {
  using Mutation = void (Mutator::*)();
  static constexpr Mutation mutations[] = {
      &Mutator::changeNumber,     &Mutator::changeNumber,
      &Mutator::changeToken,      &Mutator::removeToken,
      &Mutator::insertToken,      &Mutator::swapTokens,
      &Mutator::renameEverywhere, &Mutator::renameEverywhere,
      &Mutator::changeText,       &Mutator::replaceGroup,
      &Mutator::removeGroup,      &Mutator::changeItem,
      &Mutator::changeLine,       &Mutator::changeSettings};
  if (tokens.empty())
    tokens = tokenize(words[below(words.size())]);
  (this->*mutations[below(std::size(mutations))])();
}

std::string Mutator::mutate() {
  do
    mutateOnce();
  while (!oneIn(3));
  return join(tokens);
}

} // namespace mlir::llm::fuzz
