//===- MeasuredTable.cpp - Times of ops, as somebody measured them --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/MeasuredTable.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Files/WholeNumber.h"
#include "llm/Measurements/RowPrograms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

namespace {
struct TextColumn {
  MeasuredColumn column;
  std::string MeasuredRow::*member;
};
struct NumberColumn {
  MeasuredColumn column;
  std::optional<int64_t> MeasuredRow::*member;
};
} // namespace

static const TextColumn textColumns[] = {
    {{"row_id", "a name of the row, for the list of worst rows"},
     &MeasuredRow::id},
    {{"source", "who measured"}, &MeasuredRow::source},
    {{"device", "what was measured"}, &MeasuredRow::device},
    {{"model", "the model that the shape is of"}, &MeasuredRow::model},
    {{"op_kind", "required: the kind of op", "op"}, &MeasuredRow::opKind},
    {{"dtype", "fp16, bf16 (default), fp32, fp8 or int8; of products also "
               "fp8_channel, fp8_block, mxfp8, mxfp4 or nvfp4; of rows that go "
               "to experts nvfp4"},
     &MeasuredRow::dtype},
    {{"kv_dtype", "the type of the cache of attention, which was measured with "
                  "the write of the new keys"},
     &MeasuredRow::kvDtype},
    {{"backend", "the library or kernel"}, &MeasuredRow::backend},
    {{"timing", "how it was measured; cudagraph..: in a graph of kernels that "
                "is replayed"},
     &MeasuredRow::timing},
    {{"note", "\"KV-cache write\" in the note of attention: the write of the "
              "new keys was measured with it"},
     &MeasuredRow::note},
    {{"routing", "of rows that go to experts: balanced, if the experts of a "
                 "token lie on as many devices as they can; else on any",
      "distribution"},
     &MeasuredRow::routing},
};

static const NumberColumn numberColumns[] = {
    {{"m", "rows of a product"}, &MeasuredRow::m},
    {{"n", "columns of a product"}, &MeasuredRow::n},
    {{"k", "terms of each sum of a product"}, &MeasuredRow::k},
    {{"batch", "sequences"}, &MeasuredRow::batch},
    {{"heads", "query heads"}, &MeasuredRow::heads},
    {{"kv_heads", "heads of keys and values"}, &MeasuredRow::kvHeads},
    {{"head_dim", "features of a head"}, &MeasuredRow::headDim},
    {{"q_len", "new tokens of each sequence", "q_len_tokens"},
     &MeasuredRow::qLen},
    {{"kv_len", "keys of each sequence, new ones included", "kv_len_tokens"},
     &MeasuredRow::kvLen},
    {{"window", "the newest keys, which a query sees; 0 (default): all",
      "window_tokens"},
     &MeasuredRow::window},
    {{"v_head_dim", "features of a value (default: those of a key)"},
     &MeasuredRow::valueDim},
    {{"causal", "1 (default): causal mask; 0: every key"},
     &MeasuredRow::causal},
    {{"rows", "rows of a norm or elementwise op", "tokens_per_chip"},
     &MeasuredRow::rows},
    {{"cols", "columns of the result of a norm or elementwise op",
      "hidden_size"},
     &MeasuredRow::cols},
    {{"cache_resident",
      "1: what is touched between repeats fits into the last-level cache; "
      "elementwise ops then find their operands there, and products and "
      "attention on targets that tell what the cache gives them "
      "(resident_bytes_per_kilocycle)"},
     &MeasuredRow::cacheResident},
    {{"n_devices", "devices of a collective", "chips"}, &MeasuredRow::devices},
    {{"message_bytes", "the buffer of a collective"},
     &MeasuredRow::messageBytes},
    {{"top_k", "experts of a token, of expert_dispatch and expert_combine; "
               "these also have rows (tokens of each device) and cols",
      "topk"},
     &MeasuredRow::topK},
};

static constexpr MeasuredColumn timeColumns[] = {
    {"measured_us", "required: microseconds, the median of the repeats"},
    {"mean_us", "the mean of the repeats"},
    {"std_us", "their standard deviation"},
};

std::vector<MeasuredColumn> measuredColumns() {
  std::vector<MeasuredColumn> columns;
  for (const TextColumn &text : textColumns)
    columns.push_back(text.column);
  for (const NumberColumn &number : numberColumns)
    columns.push_back(number.column);
  llvm::append_range(columns, timeColumns);
  return columns;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A time beyond these limits is in a wrong unit, and quotients of such times
/// may not be finite.
static constexpr double leastMicroseconds = 1e-6, mostMicroseconds = 1e12;

namespace {
class TableReader {
public:
  TableReader(const std::vector<CsvRow> &cells, Times times)
      : cells(cells), times(times) {}

  LogicalResult readHeader();
  FailureOr<MeasuredRow> readRow(const CsvRow &cells) const;

private:
  const CsvCell *find(const CsvRow &row, StringRef column) const;
  FailureOr<std::optional<double>> readTime(const CsvRow &row,
                                            StringRef column) const;
  LogicalResult readTimes(const CsvRow &row, MeasuredRow &measured) const;

  const std::vector<CsvRow> &cells;
  Times times;
  llvm::StringMap<size_t> columns;
};
} // namespace

/// Suggests why a column is missing: cells are separated otherwise, its times
/// have another unit, or its name is misspelt.
static std::string findMeantColumn(StringRef firstCell, StringRef required,
                                   ArrayRef<StringRef> names) {
  if (firstCell.find_first_of(";\t") != StringRef::npos)
    return "; separate cells by commas";
  StringRef similar = findSimilar(required, names);
  if (similar.empty())
    return "";
  StringRef unit = similar.rsplit('_').second;
  if (required == "measured_us" &&
      (unit == "ms" || unit == "ns" || unit == "s"))
    return "; write the times of '" + similar.str() + "' in microseconds";
  return "; is '" + similar.str() + "' meant?";
}

LogicalResult TableReader::readHeader() {
  const CsvRow &header = cells.front();
  // Unknown names may occur twice: spreadsheets end every row in empty cells.
  std::vector<MeasuredColumn> known = measuredColumns();
  auto isKnown = [&](StringRef name) {
    return llvm::any_of(known, [&](const MeasuredColumn &column) {
      return column.name == name;
    });
  };
  for (auto [index, cell] : llvm::enumerate(header))
    if (isKnown(cell.text) && !columns.try_emplace(cell.text, index).second)
      return cell.emitError() << "column '" << cell.text << "' is there twice";
  // A table may have both: then the other name means something else.
  for (auto [index, cell] : llvm::enumerate(header))
    for (const MeasuredColumn &column : known)
      if (!column.otherName.empty() && cell.text == column.otherName)
        columns.try_emplace(column.name, index);
  SmallVector<StringRef> names;
  for (const CsvCell &cell : header)
    if (!isKnown(cell.text))
      names.push_back(cell.text);
  for (StringRef required : {"op_kind", "measured_us"}) {
    if (columns.contains(required) ||
        (required == "measured_us" && times == Times::Ignored))
      continue;
    return header.front().emitError()
           << "the first row must name the columns, and '" << required
           << "' is not among them"
           << findMeantColumn(header.front().text, required, names);
  }
  // Tables may have other columns, so this warns only of clearly misspelt
  // names.
  for (const CsvCell &cell : header)
    for (const MeasuredColumn &column : known)
      if (!columns.contains(column.name) && column.name.size() > 1 &&
          StringRef(cell.text).edit_distance_insensitive(column.name) == 1)
        emitWarning(cell.loc())
            << "column '" << cell.text << "' is not known; did you mean '"
            << column.name << "'?";
  if (cells.size() == 1)
    return header.front().emitError()
           << "the table names its columns and has no rows";
  return success();
}

const CsvCell *TableReader::find(const CsvRow &row, StringRef column) const {
  auto found = columns.find(column);
  return found == columns.end() || row[found->second].text.empty()
             ? nullptr
             : &row[found->second];
}

FailureOr<std::optional<double>> TableReader::readTime(const CsvRow &row,
                                                       StringRef column) const {
  const CsvCell *cell = find(row, column);
  if (!cell)
    return std::optional<double>();
  double value = 0;
  if (StringRef(cell->text).getAsDouble(value) || !std::isfinite(value) ||
      value < 0 || value > mostMicroseconds)
    return cell->emitError()
           << "'" << column
           << "' must be a number of microseconds, at most 1e12, got '"
           << cell->text << "'";
  return std::optional<double>(value);
}

LogicalResult TableReader::readTimes(const CsvRow &row,
                                     MeasuredRow &measured) const {
  FailureOr<std::optional<double>> median = readTime(row, "measured_us"),
                                   mean = readTime(row, "mean_us"),
                                   deviation = readTime(row, "std_us");
  if (failed(median) || failed(mean) || failed(deviation))
    return failure();
  if (!*median || **median <= 0)
    return measured.emitError()
           << "'measured_us' must be above 0 in every row; leave out rows "
              "without a time";
  if (**median < leastMicroseconds)
    return find(row, "measured_us")->emitError()
           << "'measured_us' must be at least 1e-6 microseconds, got '"
           << find(row, "measured_us")->text << "'";
  constexpr double blurredMicroseconds = 30, agreeing = 0.3;
  double average = mean->value_or(0);
  bool takeMean = **median < blurredMicroseconds &&
                  average >= leastMicroseconds && *deviation &&
                  **deviation < agreeing * average;
  measured.microseconds = takeMean ? average : **median;
  return success();
}

FailureOr<MeasuredRow> TableReader::readRow(const CsvRow &row) const {
  MeasuredRow measured(row.front().loc());
  for (const TextColumn &text : textColumns)
    if (const CsvCell *cell = find(row, text.column.name))
      measured.*text.member = cell->text;
  for (const NumberColumn &number : numberColumns) {
    const CsvCell *cell = find(row, number.column.name);
    if (!cell)
      continue;
    llvm::Expected<int64_t> value = parseWholeNumber(cell->text);
    if (!value)
      return cell->emitError()
             << "'" << number.column.name << "' must be a whole number, got '"
             << cell->text << "': " << llvm::toString(value.takeError());
    measured.*number.member = *value;
  }
  // Tables of other tools call what goes to experts an all-to-all.
  if (StringRef rest = measured.opKind; rest.consume_front("alltoall_"))
    measured.opKind = "expert_" + rest.str();
  if (measured.opKind.empty())
    return measured.emitError() << "'op_kind' is empty";
  if (times == Times::Required && failed(readTimes(row, measured)))
    return failure();
  return measured;
}

FailureOr<std::vector<MeasuredRow>>
readMeasuredTable(StringRef path, MLIRContext *context, Times times,
                  std::shared_ptr<const std::vector<RowProgram>> programs) {
  FailureOr<std::vector<CsvRow>> cells = parseCsvFile(path, context);
  if (failed(cells))
    return failure();
  if (cells->empty())
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "the table is empty";
  TableReader reader(*cells, times);
  if (failed(reader.readHeader()))
    return failure();
  std::vector<MeasuredRow> rows;
  rows.reserve(cells->size());
  for (const CsvRow &row : llvm::drop_begin(*cells)) {
    FailureOr<MeasuredRow> measured = reader.readRow(row);
    if (failed(measured))
      return failure();
    measured->programs = programs;
    for (auto [name, cell] : llvm::zip(cells->front(), row))
      if (!cell.text.empty())
        measured->cells.try_emplace(name.text, cell.text);
    measured->library = findRowLibrary(*measured);
    rows.push_back(std::move(*measured));
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Describing
//===----------------------------------------------------------------------===//

std::string describeShape(const MeasuredRow &row) {
  std::string text;
  auto add = [&](StringRef name, std::optional<int64_t> size) {
    if (size)
      text +=
          (text.empty() ? "" : " ") + name.str() + "=" + std::to_string(*size);
  };
  add("m", row.m), add("n", row.n), add("k", row.k);
  add("b", row.batch), add("h", row.heads), add("kvh", row.kvHeads);
  add("d", row.headDim), add("q", row.qLen), add("kv", row.kvLen);
  if (!row.qLen)
    add("rows", row.rows), add("cols", row.cols);
  add("devices", row.devices), add("bytes", row.messageBytes);
  if (!text.empty())
    return text;
  // Rows of programs have sizes of their own.
  constexpr size_t enough = 60;
  for (const auto &[column, cell] : row.cells)
    if (int64_t size = 0; column != "measured_us" && text.size() < enough &&
                          !StringRef(cell).getAsInteger(10, size))
      add(column, size);
  return text;
}

//===----------------------------------------------------------------------===//
// Filtering
//===----------------------------------------------------------------------===//

bool MeasuredFilter::accepts(const MeasuredRow &row) const {
  auto accepted = [](const std::vector<std::string> &wanted,
                     const std::string &value) {
    return wanted.empty() || llvm::is_contained(wanted, value);
  };
  return accepted(devices, row.device) && accepted(opKinds, row.opKind) &&
         accepted(sources, row.source) && accepted(backends, row.backend);
}

} // namespace mlir::llm
