//===- TextTable.cpp - Aligned text in a given width ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/TextTable.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string mlir::llm::toPrintable(StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    if (llvm::isPrint(c)) {
      result += c;
      continue;
    }
    result += '\\';
    result += llvm::hexdigit(c >> 4);
    result += llvm::hexdigit(c & 15);
  }
  return result;
}

std::string mlir::llm::elide(StringRef text, size_t width) {
  constexpr StringRef mark = "..";
  if (text.size() <= width || width <= mark.size())
    return text.take_front(width).str();
  size_t kept = width - mark.size();
  return (text.take_front((kept + 1) / 2) + mark + text.take_back(kept / 2))
      .str();
}

void mlir::llm::printWrapped(llvm::raw_ostream &os, StringRef text,
                             size_t width) {
  constexpr StringRef indent = "  ";
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  size_t column = 0;
  for (StringRef word : words) {
    if (column > 0 && column + 1 + word.size() > width) {
      os << "\n" << indent;
      column = indent.size();
    } else if (column > 0) {
      os << " ";
      ++column;
    }
    std::string shown = elide(word, width - indent.size());
    os << shown;
    column += shown.size();
  }
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

const Unit &mlir::llm::chooseUnit(ArrayRef<Unit> units, double largest,
                                  double limit) {
  for (const Unit &unit : units)
    if (largest / unit.size < limit)
      return unit;
  return units.back();
}

std::string mlir::llm::formatIn(const Unit &unit, double value) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f", unit.decimals, value / unit.size);
  size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

std::vector<size_t> TextTable::columnWidths() const {
  std::vector<size_t> widths(isText.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  return widths;
}

static std::string pad(StringRef text, size_t width, bool isText) {
  std::string blanks(width - std::min(width, text.size()), ' ');
  return isText ? text.str() + blanks : blanks + text.str();
}

void TextTable::print(llvm::raw_ostream &os, size_t width) const {
  constexpr size_t narrowestName = 12;
  std::vector<size_t> widths = columnWidths();
  auto total = [&](size_t gap) {
    return std::accumulate(widths.begin(), widths.end(),
                           gap * (widths.size() - 1));
  };
  // Narrow gaps come first; then the names lose their middle.
  size_t gap = total(2) <= width ? 2 : 1;
  if (size_t all = total(gap); all > width)
    widths[0] =
        std::max(narrowestName, widths[0] - std::min(widths[0], all - width));
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    if (row.empty())
      line.assign(total(gap), '-');
    for (size_t column = 0; column < row.size(); ++column) {
      line.append(column > 0 ? gap : 0, ' ');
      StringRef cell = row[column];
      line += pad(column == 0 ? elide(cell, widths[0]) : cell.str(),
                  widths[column], isText[column]);
    }
    os << StringRef(line).rtrim(' ') << "\n";
  }
}
