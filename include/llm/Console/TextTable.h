//===- TextTable.h - Aligned text in a given width --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_TEXTTABLE_H
#define LLM_CONSOLE_TEXTTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// Returns text with everything but printable ASCII written as \XX, so that one
/// byte is one column and nothing moves the cursor.
std::string toPrintable(StringRef text);

/// Gives `text` if it has at most `width` columns, else its two ends with ".."
/// between.
std::string elide(StringRef text, size_t width);

/// Returns a name that someone else chose, in printable characters and not too
/// wide.
inline std::string showName(StringRef name, size_t widest = 20) {
  return elide(toPrintable(name), widest);
}

/// Prints `head` and words, as many to a line as fit; lines after the first are
/// indented, below the first word where there is a head. A number and the word
/// behind it, which may be its unit, stay together.
void printWrapped(llvm::raw_ostream &os, StringRef text, size_t width,
                  StringRef head = "");

/// A number's unit, chosen so that a whole column is readable: 12,345 us or
/// 1,234.5 ms.
struct Unit {
  StringRef name;
  double size; ///< of one unit, in units of the raw numbers
  int decimals;
};
/// Returns the first unit in which `largest` has at most `width` characters,
/// else the last.
const Unit &chooseUnit(ArrayRef<Unit> units, double largest, size_t width);
/// Returns the number with its decimals and separators between thousands. A
/// number above 0 whose decimals are all 0 is "<0.001".
std::string formatIn(const Unit &unit, double value);

/// Returns a share of a whole, between 0 and 1, as a bar of so many cells. The
/// bar has blocks, to an eighth of a cell, or '#', where '-' is half a cell.
std::string formatBar(double share, size_t cells, bool hasBlocks);

/// Rows of cells. The first column is left aligned, and gives way if the table
/// is too wide. Text columns are left aligned, and others right. The first cell
/// of a row keeps the blanks that it begins with.
class TextTable {
public:
  using Color = ::llvm::raw_ostream::Colors;

  explicit TextTable(size_t columns) : isText(columns, false) {
    isText[0] = true;
  }
  void setText(size_t column) { isText[column] = true; }
  void addRow(std::vector<std::string> cells, bool isBold = false) {
    rows.push_back({std::move(cells), isBold, {}});
  }
  /// Adds a line across the table.
  void addRule() { rows.emplace_back(); }
  /// Sets the colour of a cell of the last row.
  void setColor(size_t column, Color color) {
    rows.back().colors.push_back({column, color});
  }
  /// Prints at most so many letters of each cell of the first column, behind
  /// the blanks that it begins with.
  size_t width(size_t letters = SIZE_MAX) const;
  /// Prints with colours if the reader of the stream can see them.
  void print(::llvm::raw_ostream &os, size_t width) const;

private:
  struct Row {
    std::vector<std::string> cells; ///< none: a rule
    bool isBold = false;
    std::vector<std::pair<size_t, Color>> colors; ///< of columns
  };
  /// Where in a line a cell stands, in bytes.
  struct Span {
    size_t begin, end;
  };
  std::vector<size_t> columnWidths() const;
  size_t nameWidth(size_t letters) const;
  std::string layOut(const Row &row, ArrayRef<size_t> widths, size_t gap,
                     std::vector<Span> &spans) const;

  std::vector<bool> isText;
  std::vector<Row> rows;
};

} // namespace mlir::llm

#endif // LLM_CONSOLE_TEXTTABLE_H
