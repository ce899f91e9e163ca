//===- CsvLoader.cpp - Targets from a spreadsheet -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "llm/Files/LocatedCsv.h"
#include "llm/Files/WholeNumber.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

namespace csv {
static constexpr llvm::StringLiteral units = "units";
static constexpr llvm::StringLiteral clock = "clock_hz";
static constexpr llvm::StringLiteral macs16 = "macs_per_cycle_per_unit_16bit";
static constexpr llvm::StringLiteral macs32 = "macs_per_cycle_per_unit_fp32";
static constexpr llvm::StringLiteral alu = "alu_per_cycle_per_unit";
static constexpr llvm::StringLiteral special = "special_per_cycle_per_unit";
static constexpr llvm::StringLiteral compare = "compare_per_cycle_per_unit";
static constexpr llvm::StringLiteral peak16 = "peak_dense_16bit_flops";
static constexpr llvm::StringLiteral peak8 = "peak_dense_fp8_flops";
static constexpr llvm::StringLiteral memoryRate = "memory_bytes_per_second";
static constexpr llvm::StringLiteral memoryBytes = "memory_bytes";
static constexpr llvm::StringLiteral cacheBytes = "last_level_cache_bytes";
static constexpr llvm::StringLiteral linkRate =
    "link_bytes_per_second_per_direction";
} // namespace csv

std::vector<StringRef> targetCsvFields() {
  return {csv::units,   csv::clock,      csv::macs16,      csv::macs32,
          csv::alu,     csv::special,    csv::compare,     csv::peak16,
          csv::peak8,   csv::memoryRate, csv::memoryBytes, csv::cacheBytes,
          csv::linkRate};
}

namespace {
/// Reads one column of a table whose first column names the fields.
class ColumnReader {
public:
  ColumnReader(const std::vector<CsvRow> &rows, StringRef column)
      : rows(rows), column(column) {}

  FailureOr<Target> read();

private:
  LogicalResult findColumn();
  LogicalResult readFields();
  LogicalResult readCell(StringRef field, const CsvCell &cell);
  void addMacs(StringRef type, std::optional<int64_t> macs);
  std::optional<int64_t> get(StringRef field) const;
  std::optional<int64_t> macsFromPeak(StringRef field) const;
  LogicalResult require(StringRef field, StringRef why) const;

  const std::vector<CsvRow> &rows;
  StringRef column;
  size_t at = 0; ///< index of the column
  llvm::StringMap<std::optional<int64_t>> values;
  Target target;
  Engine engine;
};
} // namespace

LogicalResult ColumnReader::findColumn() {
  const CsvRow &header = rows.front();
  SmallVector<StringRef> names;
  for (const CsvCell &cell : llvm::drop_begin(header))
    names.push_back(cell.text);
  if (names.empty())
    return header.front().emitError()
           << "the first row has no columns for devices; cells are separated "
              "by commas";
  if (column.empty() && names.size() == 1)
    column = names.front();
  size_t matches = column.empty() ? 0 : llvm::count(names, column);
  if (matches == 1) {
    at = 1 + (llvm::find(names, column) - names.begin());
    return success();
  }
  InFlightDiagnostic diagnostic = header.front().emitError();
  if (column.empty())
    diagnostic << "column= must say which device to take, such as column="
               << names.front() << " of --llm-target";
  else
    diagnostic << (matches ? "several columns are" : "no column is")
               << " called '" << column << "'";
  if (!matches)
    diagnostic << didYouMean(column, names);
  return diagnostic << " (columns: " << llvm::join(names, ", ") << ")";
}

LogicalResult ColumnReader::readCell(StringRef field, const CsvCell &cell) {
  if (!values.try_emplace(field).second)
    return cell.emitError() << "the field '" << field << "' is there twice";
  if (cell.text.empty())
    return success();
  llvm::Expected<int64_t> value = parseWholeNumber(cell.text);
  if (!value)
    return cell.emitError()
           << "'" << field << "' must be a positive whole number, got '"
           << cell.text << "': " << llvm::toString(value.takeError());
  if (*value < 1 || *value > maxCount)
    return cell.emitError() << "'" << field << "' must be between 1 and "
                            << withThousandsSeparators(maxCount) << ", got '"
                            << cell.text << "'";
  values[field] = *value;
  return success();
}

LogicalResult ColumnReader::readFields() {
  std::vector<StringRef> known = targetCsvFields();
  bool sound = true;
  for (const CsvRow &row : llvm::drop_begin(rows)) {
    // Text behind a blank only explains: "units (cores / SMs / CUs)".
    StringRef field = StringRef(row.front().text).split(' ').first;
    if (llvm::is_contained(known, field)) {
      sound &= succeeded(readCell(field, row[at]));
      continue;
    }
    sound = false;
    row.front().emitError()
        << "'" << row.front().text << "' is not a known field"
        << didYouMean(field, known) << " (known: " << llvm::join(known, ", ")
        << ")";
  }
  return success(sound);
}

std::optional<int64_t> ColumnReader::get(StringRef field) const {
  return values.lookup(field);
}

LogicalResult ColumnReader::require(StringRef field, StringRef why) const {
  if (get(field))
    return success();
  return rows.front()[at].emitError()
         << "'" << column << "' gives no '" << field << "': " << why;
}

/// Derives multiply-accumulates from a peak, which counts two FLOPs for each,
/// of each unit, in each cycle.
std::optional<int64_t> ColumnReader::macsFromPeak(StringRef field) const {
  std::optional<int64_t> peak = get(field);
  std::optional<int64_t> cycles = checkedMul(engine.units, target.clockHz);
  if (!peak || !cycles)
    return std::nullopt;
  return std::max<int64_t>(1, *peak / 2 / *cycles);
}

void ColumnReader::addMacs(StringRef type, std::optional<int64_t> macs) {
  if (macs)
    engine.macRates.push_back({type.str(), *macs});
}

FailureOr<Target> ColumnReader::read() {
  if (failed(findColumn()) || failed(readFields()) ||
      failed(require(csv::memoryRate, "every op waits for it")) ||
      failed(require(csv::cacheBytes, "tiles are cut for it; add the capacity "
                                      "of the memory next to the units")))
    return failure();
  target.name = column.str();
  target.description = "figures of a datasheet table";
  target.clockIsGiven = get(csv::clock).has_value();
  target.clockHz = get(csv::clock).value_or(Target::defaultClockHz);

  engine.name = "chip";
  engine.kinds.insert(EngineKind::Matrix);
  engine.kinds.insert(EngineKind::Vector);
  engine.units = get(csv::units).value_or(1);
  engine.privateMemory = "cache";
  engine.aluPerCycle = get(csv::alu);
  engine.specialPerCycle = get(csv::special);
  engine.comparePerCycle = get(csv::compare);
  std::optional<int64_t> macs16 = get(csv::macs16);
  if (!macs16)
    macs16 = macsFromPeak(csv::peak16);
  addMacs("f8E4M3FN", macsFromPeak(csv::peak8));
  addMacs("f8E5M2", macsFromPeak(csv::peak8));
  addMacs("f16", macs16);
  addMacs("bf16", macs16);
  addMacs("f32", get(csv::macs32));
  if (engine.macRates.empty())
    return rows.front()[at].emitError()
           << "'" << column
           << "' gives no rate of multiply-accumulates: one of '" << csv::macs16
           << "', '" << csv::macs32 << "', '" << csv::peak16 << "', '"
           << csv::peak8 << "' is needed";
  target.engines.push_back(std::move(engine));
  target.memories.push_back({"cache", *get(csv::cacheBytes)});
  target.memories.push_back(
      {"dram", get(csv::memoryBytes).value_or(0), *get(csv::memoryRate)});
  if (std::optional<int64_t> rate = get(csv::linkRate))
    target.links.push_back({"link", *rate});

  std::vector<std::string> problems = target.check();
  if (!problems.empty())
    return rows.front()[at].emitError()
           << "'" << column << "': " << llvm::join(problems, "; ");
  for (const TargetProblem &doubt : findDoubts(target))
    mlir::emitWarning(rows.front()[at].loc())
        << "'" << column << "': '" << doubt.path << "' " << doubt.reason;
  return std::move(target);
}

FailureOr<Target> parseTargetCsv(StringRef text, StringRef bufferName,
                                 StringRef column, MLIRContext *context) {
  FailureOr<std::vector<CsvRow>> rows = parseCsv(text, bufferName, context);
  if (failed(rows))
    return failure();
  if (rows->empty())
    return mlir::emitError(FileLineColLoc::get(context, bufferName, 1, 1))
           << "the table is empty";
  return ColumnReader(*rows, column).read();
}

} // namespace mlir::llm
