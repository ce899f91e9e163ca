//===- JsonCapture.cpp - A value of a JSON text, as text again ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonCapture.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::llm;

/// Appends a quoted text. It is fast for most texts, which need no backslash.
static void appendQuoted(std::string &to, StringRef text) {
  auto isPlain = [](char c) {
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
  };
  if (::llvm::all_of(text, isPlain)) {
    to += '"';
    to.append(text.begin(), text.end());
    to += '"';
    return;
  }
  ::llvm::raw_string_ostream stream(to);
  stream << ::llvm::json::Value(text);
}

//===----------------------------------------------------------------------===//
// JsonScalar
//===----------------------------------------------------------------------===//

double JsonScalar::asDouble() const {
  return kind == Integer ? double(integer)
                         : std::strtod(text.str().c_str(), nullptr);
}

std::optional<int64_t> JsonScalar::asInteger() const {
  int64_t number;
  if (kind == Integer)
    return integer;
  if (kind == Text && !text.getAsInteger(10, number))
    return number;
  return std::nullopt;
}

static void append(std::string &to, const JsonScalar &value) {
  switch (value.kind) {
  case JsonScalar::Null:
    to += "null";
    return;
  case JsonScalar::Flag:
    to += value.integer ? "true" : "false";
    return;
  case JsonScalar::Integer:
    to += std::to_string(value.integer);
    return;
  case JsonScalar::Real:
    to += value.text;
    return;
  case JsonScalar::Text:
    appendQuoted(to, value.text);
    return;
  }
}

std::string JsonScalar::spell() const {
  std::string text;
  append(text, *this);
  return text;
}

//===----------------------------------------------------------------------===//
// JsonCapture
//===----------------------------------------------------------------------===//

void JsonCapture::begin(bool isList) {
  written.clear();
  isTooLong = false;
  isFirst = true;
  lists = {isList};
  written += isList ? '[' : '{';
}

/// Writes a comma between elements of lists. Members of objects get theirs
/// before the key.
void JsonCapture::separate() {
  if (lists.back() && !isFirst)
    written += ',';
  isFirst = false;
}

void JsonCapture::key(StringRef key) {
  if (!hasRoom())
    return;
  if (!isFirst)
    written += ',';
  isFirst = false;
  appendQuoted(written, key);
  written += ':';
}

void JsonCapture::scalar(const JsonScalar &value) {
  if (!hasRoom())
    return;
  separate();
  append(written, value);
}

void JsonCapture::open(bool isList) {
  if (hasRoom()) {
    separate();
    written += isList ? '[' : '{';
  }
  isFirst = true;
  lists.push_back(isList);
}

bool JsonCapture::close() {
  if (hasRoom())
    written += lists.back() ? ']' : '}';
  isFirst = false;
  lists.pop_back();
  return lists.empty();
}
