//===- TextTable.cpp - Aligned text in a given width ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Console/Terminal.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Locale.h"

#include <algorithm>
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

static bool isNumber(StringRef word) {
  word = word.ltrim("(<");
  return !word.empty() && llvm::isDigit(word.front()) &&
         word.find_first_not_of("0123456789.,") == StringRef::npos &&
         !word.ends_with(",");
}

/// Splits a text into words for wrapping. Blanks separate them, except for
/// words that are kept together.
static std::vector<std::string> wordsToWrap(StringRef text) {
  SmallVector<StringRef> all;
  text.split(all, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> words;
  bool isBehindNumber = false;
  for (StringRef word : all) {
    if (isBehindNumber)
      words.back() += " " + word.str();
    else
      words.push_back(word.str());
    isBehindNumber = !isBehindNumber && isNumber(word);
  }
  return words;
}

void mlir::llm::printWrapped(llvm::raw_ostream &os, StringRef text,
                             size_t width, StringRef head) {
  size_t indent = std::max<size_t>(head.size(), 2);
  os << head;
  size_t column = head.size();
  bool isFirst = true;
  for (const std::string &word : wordsToWrap(text)) {
    if (!isFirst && column + 1 + word.size() > width) {
      os << "\n" << std::string(indent, ' ');
      column = indent;
    } else if (!isFirst) {
      os << " ";
      ++column;
    }
    isFirst = false;
    std::string shown = elide(word, width - indent);
    os << shown;
    column += shown.size();
  }
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

const Unit &mlir::llm::chooseUnit(ArrayRef<Unit> units, double largest,
                                  size_t width) {
  for (const Unit &unit : units)
    if (formatIn(unit, largest).size() <= width)
      return unit;
  return units.back();
}

std::string mlir::llm::formatIn(const Unit &unit, double value) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f", unit.decimals, value / unit.size);
  if (value > 0 && text.find_first_not_of("0.") == text.npos) {
    text.back() = '1';
    return "<" + text;
  }
  size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

std::string mlir::llm::formatBar(double share, size_t cells, bool hasBlocks) {
  constexpr StringRef eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr StringRef halves[] = {"", "-"};
  size_t steps = hasBlocks ? 8 : 2;
  auto filled = static_cast<size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * double(cells * steps)));
  std::string bar;
  for (size_t cell = 0; cell < filled / steps; ++cell)
    bar += hasBlocks ? "█" : "#";
  size_t rest = filled % steps;
  return bar + (hasBlocks ? eighths[rest] : halves[rest]).str();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static constexpr size_t fewestLetters = 8, widestGap = 2;

/// Returns the columns of a cell, which are its bytes if it is no text.
static size_t columnsOf(StringRef cell) {
  int columns = ::llvm::sys::locale::columnWidth(cell);
  return columns < 0 ? cell.size() : columns;
}

static size_t sumOf(ArrayRef<size_t> widths, size_t gap) {
  return std::accumulate(widths.begin(), widths.end(),
                         gap * (widths.size() - 1));
}

std::vector<size_t> TextTable::columnWidths() const {
  std::vector<size_t> widths(isText.size(), 0);
  for (const Row &row : rows)
    for (size_t column = 0; column < row.cells.size(); ++column)
      widths[column] = std::max(widths[column], columnsOf(row.cells[column]));
  return widths;
}

static size_t indentOf(StringRef cell) {
  return cell.size() - cell.ltrim(' ').size();
}

size_t TextTable::nameWidth(size_t letters) const {
  size_t widest = 0;
  for (const Row &row : rows) {
    if (row.cells.empty())
      continue;
    size_t indent = indentOf(row.cells.front());
    widest = std::max(
        widest,
        indent + std::min(columnsOf(row.cells.front()) - indent, letters));
  }
  return widest;
}

size_t TextTable::width(size_t letters) const {
  std::vector<size_t> widths = columnWidths();
  widths[0] = nameWidth(letters);
  return sumOf(widths, 1);
}

static std::string pad(StringRef text, size_t width, bool isText) {
  std::string blanks(width - std::min(width, columnsOf(text)), ' ');
  return isText ? text.str() + blanks : blanks + text.str();
}

/// Shortens a name in its middle, but keeps the blanks that it begins with.
static std::string elideName(StringRef cell, size_t width) {
  size_t indent = std::min(indentOf(cell), width);
  return std::string(indent, ' ') + elide(cell.ltrim(' '), width - indent);
}

std::string TextTable::layOut(const Row &row, ArrayRef<size_t> widths,
                              size_t gap, std::vector<Span> &spans) const {
  std::string line;
  if (row.cells.empty())
    line.assign(sumOf(widths, gap), '-');
  for (size_t column = 0; column < row.cells.size(); ++column) {
    line.append(column > 0 ? gap : 0, ' ');
    size_t begin = line.size();
    const std::string &cell = row.cells[column];
    line += pad(column == 0 ? elideName(cell, widths[0]) : cell, widths[column],
                isText[column]);
    spans.push_back({begin, line.size()});
  }
  line.resize(StringRef(line).rtrim(' ').size());
  return line;
}

void TextTable::print(::llvm::raw_ostream &os, size_t width) const {
  ColorScope colors(os, Look::of(os));
  std::vector<size_t> widths = columnWidths();
  // Gaps become narrow first, and then names lose their middle.
  size_t gap = sumOf(widths, widestGap) <= width ? widestGap : 1;
  if (size_t all = sumOf(widths, gap); all > width)
    widths[0] = std::max(nameWidth(fewestLetters),
                         widths[0] - std::min(widths[0], all - width));
  for (const Row &row : rows) {
    std::vector<Span> spans;
    std::string line = layOut(row, widths, gap, spans);
    size_t written = 0;
    auto writeUpTo = [&](size_t end, Color color) {
      end = std::min(end, line.size());
      if (written >= end)
        return;
      bool isPlain = color == Color::SAVEDCOLOR && !row.isBold;
      if (!isPlain)
        os.changeColor(color, row.isBold);
      os << StringRef(line).slice(written, end);
      if (!isPlain)
        os.resetColor();
      written = end;
    };
    for (auto [column, color] : row.colors) {
      writeUpTo(spans[column].begin, Color::SAVEDCOLOR);
      writeUpTo(spans[column].end, color);
    }
    writeUpTo(line.size(),
              row.cells.empty() ? Color::BRIGHT_BLACK : Color::SAVEDCOLOR);
    os << "\n";
  }
}
