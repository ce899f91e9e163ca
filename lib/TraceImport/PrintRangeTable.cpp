//===- PrintRangeTable.cpp - Where the time went, as text -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Files/CsvWriter.h"
#include "llm/Files/Utf8.h"
#include "llm/Support/Units.h"
#include "llm/TraceImport/RangeTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr size_t pageWidth = 100;
static constexpr StringRef outsideName = "(no range)";

//===----------------------------------------------------------------------===//
// Names and figures
//===----------------------------------------------------------------------===//

/// Writes a name as a part of a path. It is quoted if it could be taken for
/// several parts.
static std::string toPathPart(StringRef name) {
  bool isPlain = !name.empty() && ::llvm::all_of(name, [](char c) {
    return (::llvm::isPrint(c) || (c & 0x80)) && c != '.' && c != '"' &&
           c != '\\';
  });
  if (isPlain)
    return toUtf8(name);
  std::string quoted = "\"";
  for (char c : toUtf8(name)) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F)
      quoted += "\\x" + ::llvm::toHex(StringRef(&c, 1), /*LowerCase=*/true);
    else
      quoted += c;
  }
  return quoted + "\"";
}

static SmallVector<const RangeRow *> rowsAround(const RangeTable &table,
                                                uint32_t number) {
  SmallVector<const RangeRow *> around;
  for (; number != RangeRow::none; number = table.rows[number].parent)
    around.push_back(&table.rows[number]);
  std::reverse(around.begin(), around.end());
  return around;
}

std::string RangeTable::pathOf(uint32_t row) const {
  if (rows[row].isOutside)
    return outsideName.str();
  std::string path;
  for (const RangeRow *around : rowsAround(*this, row))
    path += (path.empty() ? ":" : ".") + toPathPart(around->name);
  return path;
}

static std::optional<double> meanNanoseconds(const RangeFigures &figures) {
  if (figures.calls == 0)
    return std::nullopt;
  return double(figures.nanoseconds) / double(figures.calls);
}

static double shareOf(const RangeTable &table, const RangeFigures &figures) {
  if (table.total.nanoseconds == 0)
    return 0;
  return double(figures.nanoseconds) / double(table.total.nanoseconds);
}

static bool hasGroups(const RangeTable &table) {
  return table.options.groups != RangeGroups::All;
}

static StringRef nameOfGroups(const RangeTable &table) {
  switch (table.options.groups) {
  case RangeGroups::All:
    return "all";
  case RangeGroups::Pass:
    return "pass";
  case RangeGroups::Thread:
    return "thread";
  case RangeGroups::Process:
    return "process";
  }
  llvm_unreachable("unknown groups");
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static constexpr Unit timeUnits[] = {
    {"ns", 1, 0}, {"us", 1e3, 3}, {"ms", 1e6, 3}, {"s", 1e9, 3}};
static constexpr Unit percentUnit = {"%", 1, 1};
static constexpr size_t widestTime = 13;

namespace {
/// A column for one kind of work. Kinds that do not occur have no column.
struct CountColumn {
  StringRef name;
  uint64_t RangeFigures::*count;
};
} // namespace

static SmallVector<CountColumn> listCounts(const RangeTable &table) {
  static constexpr CountColumn columns[] = {{"kernels", &RangeFigures::kernels},
                                            {"copies", &RangeFigures::copies},
                                            {"fills", &RangeFigures::fills},
                                            {"ops", &RangeFigures::ops}};
  SmallVector<CountColumn> shown;
  for (const CountColumn &column : columns)
    if (table.total.*column.count > 0)
      shown.push_back(column);
  return shown;
}

static std::vector<std::string>
cellsOf(const RangeTable &table, std::string name, const RangeFigures &figures,
        ArrayRef<CountColumn> counts, const Unit &unit, const Unit &meanUnit) {
  std::vector<std::string> cells = {
      std::move(name),
      figures.calls ? withThousandsSeparators(figures.calls) : ""};
  for (const CountColumn &column : counts)
    cells.push_back(withThousandsSeparators(figures.*column.count));
  std::optional<double> mean = meanNanoseconds(figures);
  cells.push_back(formatIn(unit, double(figures.nanoseconds)));
  cells.push_back(formatIn(unit, double(figures.selfNanoseconds)));
  cells.push_back(mean ? formatIn(meanUnit, *mean) : "");
  cells.push_back(formatIn(percentUnit, 100 * shareOf(table, figures)));
  return cells;
}

void mlir::llm::printRangeTable(const RangeTable &table, raw_ostream &os) {
  SmallVector<CountColumn> counts = listCounts(table);
  const Unit &unit =
      chooseUnit(timeUnits, double(table.total.nanoseconds), widestTime);
  double longestMean = 0;
  for (const RangeRow &row : table.rows)
    longestMean =
        std::max(longestMean, meanNanoseconds(row.figures).value_or(0));
  const Unit &meanUnit = chooseUnit(timeUnits, longestMean, widestTime);
  TextTable text(6 + counts.size());
  std::vector<std::string> names = {"range", "calls"}, units = {"", ""};
  for (const CountColumn &column : counts) {
    names.push_back(column.name.str());
    units.push_back("");
  }
  names.insert(names.end(), {"time", "self", "mean", "share"});
  units.insert(units.end(),
               {unit.name.str(), unit.name.str(), meanUnit.name.str(), "%"});
  text.addRow(names, /*isBold=*/true);
  text.addRow(units);
  text.addRule();
  uint32_t group = RangeRow::none;
  for (const RangeRow &row : table.rows) {
    if (hasGroups(table) && row.group != group) {
      std::vector<std::string> head(names.size());
      head[0] = toPrintable(table.groups[row.group]);
      text.addRow(std::move(head), /*isBold=*/true);
    }
    group = row.group;
    std::string name(2 * (row.depth + hasGroups(table)), ' ');
    name += row.isOutside ? outsideName.str() : toPrintable(row.name);
    text.addRow(cellsOf(table, name, row.figures, counts, unit, meanUnit));
  }
  text.addRule();
  RangeFigures total = table.total;
  total.selfNanoseconds = total.nanoseconds;
  text.addRow(cellsOf(table, "total", total, counts, unit, meanUnit));
  text.print(os, pageWidth);
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

void mlir::llm::printRangeCsv(const RangeTable &table, raw_ostream &os) {
  {
    CsvLine head(os);
    if (hasGroups(table))
      head << nameOfGroups(table);
    for (StringRef name :
         {"range", "calls", "kernels", "copies", "fills", "ops", "time_ns",
          "self_ns", "mean_ns", "share_percent"})
      head << name;
  }
  for (auto [number, row] : ::llvm::enumerate(table.rows)) {
    const RangeFigures &figures = row.figures;
    CsvLine line(os);
    if (hasGroups(table))
      line << toUtf8(table.groups[row.group]);
    line << table.pathOf(number);
    for (uint64_t value :
         {figures.calls, figures.kernels, figures.copies, figures.fills,
          figures.ops, figures.nanoseconds, figures.selfNanoseconds})
      line << std::to_string(value);
    if (std::optional<double> mean = meanNanoseconds(figures))
      line.addReal(*mean, 1);
    else
      line << "";
    line.addReal(100 * shareOf(table, figures), 4);
  }
}

static void writeFigures(::llvm::json::OStream &json, const RangeTable &table,
                         const RangeFigures &figures) {
  json.attribute("kernels", figures.kernels);
  json.attribute("copies", figures.copies);
  json.attribute("fills", figures.fills);
  json.attribute("ops", figures.ops);
  json.attribute("time_ns", figures.nanoseconds);
}

static void writeRow(::llvm::json::OStream &json, const RangeTable &table,
                     uint32_t number) {
  const RangeRow &row = table.rows[number];
  json.object([&] {
    if (hasGroups(table))
      json.attribute(nameOfGroups(table), toUtf8(table.groups[row.group]));
    json.attribute("range", table.pathOf(number));
    json.attributeArray("path", [&] {
      if (!row.isOutside)
        for (const RangeRow *around : rowsAround(table, number))
          json.value(toUtf8(around->name));
    });
    json.attribute("calls", row.figures.calls);
    writeFigures(json, table, row.figures);
    json.attribute("self_ns", row.figures.selfNanoseconds);
    std::optional<double> mean = meanNanoseconds(row.figures);
    json.attribute("mean_ns", mean ? ::llvm::json::Value(*mean)
                                   : ::llvm::json::Value(nullptr));
    json.attribute("share", shareOf(table, row.figures));
  });
}

void mlir::llm::printRangeJson(const RangeTable &table,
                               const ImportedTrace &trace, raw_ostream &os) {
  ::llvm::json::OStream json(os, 1);
  auto list = [&](StringRef name, ArrayRef<std::string> texts) {
    json.attributeArray(name, [&] {
      for (const std::string &text : texts)
        json.value(toUtf8(text));
    });
  };
  json.object([&] {
    json.attribute("format", toUtf8(trace.format));
    list("devices", trace.devices);
    json.attribute("events", uint64_t(trace.events.size()));
    json.attribute("span_ns", spanNanoseconds(trace));
    list("notes", table.notes);
    json.attribute("by", nameOfGroups(table));
    json.attributeObject("total",
                         [&] { writeFigures(json, table, table.total); });
    json.attributeArray("rows", [&] {
      for (uint32_t row = 0; row < table.rows.size(); ++row)
        writeRow(json, table, row);
    });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// What was read
//===----------------------------------------------------------------------===//

int64_t mlir::llm::spanNanoseconds(const ImportedTrace &trace) {
  int64_t last = 0; // times are from the first event on
  for (const TraceEvent &event : trace.events)
    last = std::max(last, event.endNanoseconds);
  return last;
}

void mlir::llm::printTraceSummary(const ImportedTrace &trace,
                                  ArrayRef<std::string> notes,
                                  raw_ostream &os) {
  double span = double(spanNanoseconds(trace));
  const Unit &unit = chooseUnit(timeUnits, span, /*width=*/7);
  size_t devices = ::llvm::count_if(
      trace.lanes, [](const TraceLane &lane) { return lane.isDevice; });
  os << "read: " << toPrintable(trace.format) << "\n";
  os << "devices: ";
  if (trace.devices.empty())
    os << (devices ? "the trace does not name them" : "none, the host alone");
  ::llvm::interleaveComma(trace.devices, os,
                          [&](StringRef name) { os << toPrintable(name); });
  os << "\nevents: " << withThousandsSeparators(trace.events.size())
     << "; lines of the host: " << trace.lanes.size() - devices
     << ", streams of devices: " << devices << "; span " << formatIn(unit, span)
     << " " << unit.name << "\n";
  for (const std::string &note : notes)
    printWrapped(os, "note: " + toPrintable(note), pageWidth);
}
