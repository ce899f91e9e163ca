//===- UnpredictedRows.cpp - Rows that a target cannot predict ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/UnpredictedRows.h"
#include "llm/Measurements/CollectiveRow.h"
#include "llm/Console/TextTable.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Measurements/RowOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace mlir::llm {

static constexpr size_t tableWidth = 100;
/// The most reasons that are shown. Reasons with sizes in them may be many.
static constexpr size_t mostShown = 10;

LogicalResult
UnpredictedCollector::attempt(const MeasuredRow &row,
                              function_ref<LogicalResult(Reasons)> predict) {
  std::string reason;
  if (succeeded(predict(Reasons::into(reason))))
    return success();
  add(row, std::move(reason));
  return failure();
}

void UnpredictedCollector::add(const MeasuredRow &row, std::string reason) {
  UnpredictedRows &rows = found[{row.opKind, reason}];
  if (!rows.first)
    rows = {&row, std::move(reason), 0};
  ++rows.rows;
}

std::vector<UnpredictedRows> UnpredictedCollector::take() {
  std::vector<UnpredictedRows> all;
  for (auto &[key, rows] : found)
    all.push_back(std::move(rows));
  llvm::stable_sort(all, [](const auto &a, const auto &b) {
    return a.first->opKind == b.first->opKind && a.rows > b.rows;
  });
  return all;
}

//===----------------------------------------------------------------------===//
// Saying so
//===----------------------------------------------------------------------===//

static std::string others(const UnpredictedRows &rows) {
  return rows.rows == 1 ? std::string()
                        : " (and " + std::to_string(rows.rows - 1) + " more)";
}

/// Says of a kind that does not exist which kinds there are.
static std::string describeKinds(StringRef kind) {
  std::vector<StringRef> known = RowOps::kinds();
  for (CollectiveKind collective : allCollectiveKinds)
    known.push_back(stringify(collective));
  return ", '" + kind.str() + "'" + didYouMean(kind, known) +
         " (kinds: " + llvm::join(known, ", ") + ")";
}

void emitErrors(ArrayRef<UnpredictedRows> unpredicted) {
  for (const UnpredictedRows &rows : unpredicted.take_front(mostShown))
    rows.first->emitError()
        << rows.reason << others(rows)
        << (rows.reason == noSuchKind ? describeKinds(rows.first->opKind) : "");
}

void emitWarnings(ArrayRef<UnpredictedRows> unpredicted) {
  for (const UnpredictedRows &rows : unpredicted.take_front(mostShown))
    emitWarning(rows.first->location)
        << "not predicted: " << rows.reason << others(rows);
}

/// "rows.csv:12".
static std::string placeOf(const MeasuredRow &row) {
  auto location = cast<FileLineColLoc>(row.location);
  StringRef file = llvm::sys::path::filename(location.getFilename().strref());
  return (file + ":" + Twine(location.getLine())).str();
}

void printUnpredicted(llvm::raw_ostream &os,
                      ArrayRef<UnpredictedRows> unpredicted) {
  auto count = [](size_t rows) {
    return std::to_string(rows) + (rows == 1 ? " row" : " rows");
  };
  for (const UnpredictedRows &rows : unpredicted.take_front(mostShown))
    printWrapped(os,
                 "not predicted: " + count(rows.rows) + " of '" +
                     toPrintable(rows.first->opKind) +
                     "' (first: " + toPrintable(placeOf(*rows.first)) +
                     "): " + toPrintable(rows.reason),
                 tableWidth);
  size_t left = 0;
  for (const UnpredictedRows &rows :
       unpredicted.drop_front(std::min(mostShown, unpredicted.size())))
    left += rows.rows;
  if (left > 0)
    os << "not predicted: " << count(left) << " for other reasons\n";
}

} // namespace mlir::llm
