//===- TextTable.h - Aligned text in a given width --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_TEXTTABLE_H
#define LLM_FILES_TEXTTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// Text with everything but printable ASCII written as \XX, so that one byte is
/// one column and nothing moves the cursor.
std::string toPrintable(StringRef text);

/// `text` if it has at most `width` columns, else its two ends with ".."
/// between.
std::string elide(StringRef text, size_t width);

/// Prints words, as many to a line as fit; lines after the first are indented.
void printWrapped(llvm::raw_ostream &os, StringRef text, size_t width);

/// A number's unit, chosen so that a whole column is readable: 12,345 us or
/// 1,234.5 ms.
struct Unit {
  StringRef name;
  double size; ///< of one unit, in units of the raw numbers
  int decimals;
};
/// The first unit in which `largest` is below `limit`, else the last.
const Unit &chooseUnit(ArrayRef<Unit> units, double largest, double limit);
/// The number with its decimals and separators between thousands.
std::string formatIn(const Unit &unit, double value);

/// Rows of cells; the first column is left aligned and gives way where the
/// whole is too wide, text columns are left aligned, others right.
class TextTable {
public:
  explicit TextTable(size_t columns) : isText(columns, false) {
    isText[0] = true;
  }
  void setText(size_t column) { isText[column] = true; }
  void addRow(std::vector<std::string> cells) {
    rows.push_back(std::move(cells));
  }
  /// A line across the table.
  void addRule() { rows.emplace_back(); }
  void print(llvm::raw_ostream &os, size_t width) const;

private:
  std::vector<size_t> columnWidths() const;

  std::vector<bool> isText;
  std::vector<std::vector<std::string>> rows; ///< an empty one is a rule
};

} // namespace mlir::llm

#endif // LLM_FILES_TEXTTABLE_H
