//===- CsvWriter.cpp - Lines of comma-separated values --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/CsvWriter.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::llm;

llvm::raw_ostream &CsvLine::nextCell() {
  os << (isFirst ? "" : ",");
  isFirst = false;
  return os;
}

CsvLine &CsvLine::operator<<(StringRef text) {
  nextCell();
  if (text.find_first_of(",\"\r\n") == StringRef::npos) {
    os << text;
    return *this;
  }
  os << '"';
  for (char c : text)
    os << (c == '"' ? "\"" : "") << c;
  os << '"';
  return *this;
}

CsvLine &CsvLine::operator<<(int64_t value) {
  nextCell() << value;
  return *this;
}

CsvLine &CsvLine::addReal(double value, int decimals) {
  nextCell() << llvm::format("%.*f", decimals, value);
  return *this;
}
