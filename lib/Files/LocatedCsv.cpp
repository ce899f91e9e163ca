//===- LocatedCsv.cpp - CSV whose cells know their place ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/LocatedCsv.h"
#include "llm/Files/InputFile.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

namespace {
class CsvParser {
public:
  CsvParser(StringRef text, StringRef bufferName, MLIRContext *context)
      : rest(text), fileName(StringAttr::get(context, bufferName)) {
    rest.consume_front("\xEF\xBB\xBF");
  }

  FailureOr<std::vector<CsvRow>> parse() {
    size_t wrong;
    if (!llvm::json::isUTF8(rest, &wrong)) {
      takeCount(wrong);
      return emitError(here())
             << "this is not UTF-8: save the table as CSV in UTF-8";
    }
    std::vector<CsvRow> rows;
    while (!rest.empty()) {
      FailureOr<CsvRow> row = parseRow(rows.empty() ? 0 : rows.front().size());
      if (failed(row))
        return failure();
      if (row->size() == 1 && row->front().text.empty())
        continue; // an empty line
      if (!rows.empty() && row->size() != rows.front().size())
        return row->front().emitError()
               << "this row has " << row->size() << " cells, the first one "
               << rows.front().size();
      rows.push_back(std::move(*row));
    }
    return rows;
  }

private:
  FailureOr<CsvRow> parseRow(size_t expectedCells) {
    CsvRow row;
    row.reserve(expectedCells);
    do {
      FailureOr<CsvCell> cell = parseCell();
      if (failed(cell))
        return failure();
      row.push_back(std::move(*cell));
    } while (take(","));
    take("\r\n") || take("\n") || take("\r");
    return row;
  }

  FailureOr<CsvCell> parseCell() {
    skipBlanks();
    CsvCell cell{"", fileName, line, column};
    if (!take("\"")) {
      cell.text = takeCount(rest.find_first_of(",\r\n")).rtrim(" \t").str();
      return cell;
    }
    for (;;) {
      size_t quote = rest.find('"');
      if (quote == StringRef::npos)
        return cell.emitError() << "this quote is never closed";
      cell.text += takeCount(quote);
      take("\"");
      if (!take("\"")) // two quotes stand for one
        break;
      cell.text += '"';
    }
    skipBlanks();
    if (!rest.empty() && !StringRef(",\r\n").contains(rest.front()))
      return emitError(here())
             << "expected a comma or the end of the line after a quoted cell";
    return cell;
  }

  void skipBlanks() { takeCount(rest.find_first_not_of(" \t")); }

  bool take(StringRef wanted) {
    if (!rest.starts_with(wanted))
      return false;
    takeCount(wanted.size());
    return true;
  }

  /// Takes the next `count` bytes (npos: all), and counts lines and columns.
  StringRef takeCount(size_t count) {
    StringRef taken = rest.take_front(count);
    rest = rest.drop_front(taken.size());
    line += taken.count('\n');
    size_t lineEnd = taken.rfind('\n');
    column = lineEnd == StringRef::npos ? column + taken.size()
                                        : taken.size() - lineEnd;
    return taken;
  }

  Location here() const { return FileLineColLoc::get(fileName, line, column); }

  StringRef rest;
  StringAttr fileName;
  unsigned line = 1, column = 1;
};
} // namespace

FailureOr<std::vector<CsvRow>> parseCsv(StringRef text, StringRef bufferName,
                                        MLIRContext *context) {
  return CsvParser(text, bufferName, context).parse();
}

FailureOr<std::vector<CsvRow>> parseCsvFile(StringRef path,
                                            MLIRContext *context) {
  auto buffer = readInputFile(path);
  if (!buffer)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(buffer.takeError());
  return parseCsv((*buffer)->getBuffer(), path, context);
}

} // namespace mlir::llm
