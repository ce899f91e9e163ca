//===- ServedTable.cpp - Served times that others measured ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Serving/ServedTable.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Files/LocatedCsv.h"
#include "llm/Files/WholeNumber.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

namespace {
class ServedTableReader {
public:
  ServedTableReader(const std::vector<CsvRow> &cells,
                    ArrayRef<std::string> where)
      : cells(cells), where(where) {}

  FailureOr<ServedTable> run();

private:
  /// The column with one of these names.
  std::optional<size_t> find(ArrayRef<StringRef> names) const;
  FailureOr<size_t> require(ArrayRef<StringRef> names) const;
  LogicalResult findColumns();
  LogicalResult findFilters();
  /// Says what makes a row one that is not predicted; empty if nothing does.
  std::string describeOther(const CsvRow &row) const;
  FailureOr<ServedRow> readRow(const CsvRow &row) const;
  /// The number in an optional column; 1 where there is none.
  FailureOr<int64_t> readOptional(const CsvRow &row, StringRef name) const;
  FailureOr<WorkerCut> readCut(const CsvRow &row) const;

  const std::vector<CsvRow> &cells;
  ArrayRef<std::string> where;
  size_t input = 0, output = 0, requests = 0, tensorParallel = 0, time = 0;
  std::vector<std::pair<size_t, StringRef>> filters;
};
} // namespace

std::optional<size_t> ServedTableReader::find(ArrayRef<StringRef> names) const {
  for (auto [index, cell] : llvm::enumerate(cells.front()))
    if (llvm::is_contained(names, cell.text))
      return index;
  return std::nullopt;
}

static std::string suggest(StringRef name, const CsvRow &header) {
  SmallVector<StringRef> known;
  for (const CsvCell &cell : header)
    known.push_back(cell.text);
  StringRef similar = findSimilar(name, known);
  return similar.empty() ? "" : ("; is '" + similar + "' meant?").str();
}

FailureOr<size_t> ServedTableReader::require(ArrayRef<StringRef> names) const {
  if (std::optional<size_t> column = find(names))
    return *column;
  const CsvRow &header = cells.front();
  return header.front().emitError()
         << "the first row must name the columns, and '"
         << llvm::join(names, "' or '") << "' is not among them"
         << suggest(names.front(), header);
}

LogicalResult ServedTableReader::findColumns() {
  struct Required {
    SmallVector<StringRef, 2> names;
    size_t &column;
  };
  for (const Required &each :
       {Required{{"isl"}, input}, Required{{"osl"}, output},
        Required{{"batch_size", "requests"}, requests},
        Required{{"tp_size", "tp"}, tensorParallel},
        Required{{"silicon_tpot_ms", "tpot_ms"}, time}}) {
    FailureOr<size_t> column = require(each.names);
    if (failed(column))
      return failure();
    each.column = *column;
  }
  return success();
}

LogicalResult ServedTableReader::findFilters() {
  const CsvRow &header = cells.front();
  for (StringRef filter : where) {
    auto [name, value] = filter.split('=');
    std::optional<size_t> column = find(name);
    if (!column)
      return header.front().emitError()
             << "--where=" << filter << " names no column of the table"
             << suggest(name, header);
    filters.push_back({*column, value});
  }
  return success();
}

std::string ServedTableReader::describeOther(const CsvRow &row) const {
  auto textOf = [&](StringRef name) -> StringRef {
    std::optional<size_t> column = find({name});
    return column ? StringRef(row[*column].text) : StringRef();
  };
  if (StringRef mode = textOf("mode"); !mode.empty() && mode != "agg")
    return ("mode " + mode).str();
  StringRef sequences = textOf("attention_dp_size");
  bool hasExperts = !textOf("moe_ep_size").empty();
  if (!sequences.empty() && sequences != "1" && !hasExperts)
    return ("attention_dp_size " + sequences + " without moe_ep_size").str();
  return "";
}

static FailureOr<int64_t> readNumber(const CsvCell &cell, int64_t least) {
  ::llvm::Expected<int64_t> value = parseWholeNumber(cell.text);
  std::string problem;
  if (!value)
    problem = ::llvm::toString(value.takeError());
  else if (*value < least)
    problem = "it must be at least " + std::to_string(least);
  else
    return *value;
  return cell.emitError() << "expected a whole number, got '" << cell.text
                          << "': " << problem;
}

FailureOr<int64_t> ServedTableReader::readOptional(const CsvRow &row,
                                                   StringRef name) const {
  std::optional<size_t> column = find({name});
  if (!column || row[*column].text.empty())
    return 1;
  return readNumber(row[*column], 1);
}

/// Servers name the chips of attention (tp_size, for each of attention_dp_size
/// parts of the batch) and those of the experts (moe_tp_size for each of
/// moe_ep_size), which are the same chips.
FailureOr<WorkerCut> ServedTableReader::readCut(const CsvRow &row) const {
  FailureOr<int64_t> tp = readNumber(row[tensorParallel], 1),
                     dp = readOptional(row, "attention_dp_size"),
                     pp = readOptional(row, "pp_size"),
                     ofExperts = readOptional(row, "moe_tp_size"),
                     ep = readOptional(row, "moe_ep_size");
  if (failed(tp) || failed(dp) || failed(pp) || failed(ofExperts) || failed(ep))
    return failure();
  if (*ep == 1 && *dp == 1)
    return WorkerCut{*tp, 1, 1, *pp};
  if (*ofExperts * *ep != *tp * *dp || *ep % *dp != 0)
    return row[tensorParallel].emitError()
           << "expected tp_size x attention_dp_size chips to be those of "
              "moe_tp_size x moe_ep_size, and attention_dp_size to divide "
              "moe_ep_size, got "
           << *tp << " x " << *dp << " and " << *ofExperts << " x " << *ep;
  return WorkerCut{*ofExperts, *ep, *dp, *pp};
}

FailureOr<ServedRow> ServedTableReader::readRow(const CsvRow &row) const {
  FailureOr<int64_t> inputTokens = readNumber(row[input], 1),
                     outputTokens = readNumber(row[output], 2),
                     atOnce = readNumber(row[requests], 1);
  FailureOr<WorkerCut> cut = readCut(row);
  if (failed(inputTokens) || failed(outputTokens) || failed(atOnce) ||
      failed(cut))
    return failure();
  double milliseconds = 0;
  if (StringRef(row[time].text).getAsDouble(milliseconds) ||
      !std::isfinite(milliseconds) || milliseconds <= 0)
    return row[time].emitError()
           << "expected milliseconds above 0, got '" << row[time].text << "'";
  return ServedRow{row.front().loc(),
                   {*cut, /*workers=*/1, /*promptWorkers=*/0},
                   {*inputTokens, *outputTokens, *atOnce},
                   milliseconds * 1e-3};
}

FailureOr<ServedTable> ServedTableReader::run() {
  if (failed(findColumns()) || failed(findFilters()))
    return failure();
  ServedTable table;
  for (const CsvRow &row : ArrayRef(cells).drop_front()) {
    if (!llvm::all_of(filters, [&](const auto &filter) {
          return row[filter.first].text == filter.second;
        }))
      continue;
    if (std::string other = describeOther(row); !other.empty()) {
      ++table.leftOut[other];
      continue;
    }
    FailureOr<ServedRow> served = readRow(row);
    if (failed(served))
      return failure();
    table.rows.push_back(std::move(*served));
  }
  if (table.rows.empty())
    return cells.front().front().emitError()
           << "no row of the table is left"
           << (where.empty() ? "" : ": --where= fits none");
  return table;
}

FailureOr<ServedTable> mlir::llm::readServedTable(StringRef path,
                                                  ArrayRef<std::string> where,
                                                  MLIRContext *context) {
  FailureOr<std::vector<CsvRow>> cells = parseCsvFile(path, context);
  if (failed(cells))
    return failure();
  if (cells->empty())
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "the table is empty; expected a row that names columns";
  return ServedTableReader(*cells, where).run();
}
