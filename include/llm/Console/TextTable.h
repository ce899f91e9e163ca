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

/// Returns the text with each byte that is not printable ASCII written as \XX.
/// So one byte is one column, and nothing moves the cursor.
std::string toPrintable(StringRef text);

/// Returns `text` if it has at most `width` columns. Otherwise returns its two
/// ends with ".." between them.
std::string elide(StringRef text, size_t width);

/// Returns a name from a user's file in printable characters, elided if it is
/// wider than `widest`.
inline std::string showName(StringRef name, size_t widest = 20) {
  return elide(toPrintable(name), widest);
}

/// Prints `head` and then the words of `text`, as many to a line as fit.
/// Further lines are indented, below the first word if there is a head. A
/// number and the word behind it, which may be its unit, stay together.
void printWrapped(llvm::raw_ostream &os, StringRef text, size_t width,
                  StringRef head = "");

/// A number's unit, chosen so that a whole column is readable: 12,345 us or
/// 1,234.5 ms.
struct Unit {
  StringRef name;
  double size; ///< how many of the raw numbers make one unit
  int decimals;
};
/// Returns the first unit in which `largest` has at most `width` characters, or
/// the last unit if there is none.
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
  /// Returns the width of the table if at most `letters` letters of each cell
  /// of the first column are printed, not counting the blanks that it begins
  /// with.
  size_t width(size_t letters = SIZE_MAX) const;
  /// Prints the table in `width` columns, with colours if the stream has them.
  void print(::llvm::raw_ostream &os, size_t width) const;

private:
  struct Row {
    std::vector<std::string> cells; ///< empty for a rule
    bool isBold = false;
    std::vector<std::pair<size_t, Color>> colors; ///< by column
  };
  /// The bytes [begin, end) of a line in which a cell stands.
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
