//===- ValidationReport.cpp - Errors as table, CSV and JSON ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Files/CsvWriter.h"
#include "llm/Profile/Validation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

static constexpr size_t tableWidth = 100;

static std::string formatReal(double value, const char *format) {
  return llvm::formatv(format, value).str();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static std::vector<std::string> errorCells(const ErrorStatistics &statistics) {
  return {std::to_string(statistics.rows),
          formatReal(statistics.medianPercent, "{0:f1}"),
          formatReal(statistics.geometricMean, "{0:f3}"),
          formatReal(statistics.percentile90, "{0:f1}")};
}

static void addGroupRow(TextTable &table, const ValidationGroup &group) {
  std::vector<std::string> cells = {toPrintable(group.device),
                                    toPrintable(group.opKind), group.sizeClass};
  llvm::append_range(cells, errorCells(group.statistics));
  table.addRow(std::move(cells));
}

static void printWorst(llvm::raw_ostream &os, const Validation &validation,
                       size_t count) {
  std::vector<Prediction> worst = findWorst(validation, count);
  if (worst.empty())
    return;
  TextTable table(6);
  for (size_t text : {1, 2, 3})
    table.setText(text);
  table.addRow({"worst rows", "device", "op kind", "shape", "measured us",
                "predicted us"});
  table.addRule();
  for (const Prediction &prediction : worst)
    table.addRow(
        {toPrintable(prediction.row->id), toPrintable(prediction.row->device),
         toPrintable(prediction.row->opKind), describeShape(*prediction.row),
         formatReal(prediction.row->microseconds, "{0:f1}"),
         formatReal(prediction.microseconds, "{0:f1}")});
  os << "\n";
  table.print(os, tableWidth);
}

void printValidationTable(llvm::raw_ostream &os, const Validation &validation,
                          const Target &target, size_t worst) {
  printWrapped(os,
               "target " + toPrintable(target.name) + ": " +
                   toPrintable(target.description),
               tableWidth);
  os << "\n";
  TextTable table(7);
  table.setText(1);
  table.setText(2);
  table.addRow({"device", "op kind", "size", "rows", "MdAPE %",
                "measured/predicted", "p90 %"});
  table.addRule();
  size_t total = 0;
  for (const ValidationGroup &group : validation.groups) {
    for (; total < validation.totals.size() &&
           std::tie(validation.totals[total].device,
                    validation.totals[total].opKind) <
               std::tie(group.device, group.opKind);
         ++total)
      addGroupRow(table, validation.totals[total]);
    addGroupRow(table, group);
  }
  for (; total < validation.totals.size(); ++total)
    addGroupRow(table, validation.totals[total]);
  table.print(os, tableWidth);
  printUnpredicted(os, validation.unpredicted);
  printWorst(os, validation, worst);
}

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

void printPredictionsCsv(llvm::raw_ostream &os,
                         ArrayRef<Prediction> predictions) {
  CsvLine(os) << "row_id"
              << "source"
              << "device"
              << "backend"
              << "op_kind"
              << "size_class"
              << "measured_us"
              << "predicted_us"
              << "error_percent";
  for (const Prediction &prediction : predictions) {
    const MeasuredRow &row = *prediction.row;
    CsvLine line(os);
    line << row.id << row.source << row.device << row.backend << row.opKind
         << sizeClassOf(row);
    line.addReal(row.microseconds, 3)
        .addReal(prediction.microseconds, 3)
        .addReal(100 * (prediction.microseconds / row.microseconds - 1), 2);
  }
}

void printValidationCsv(llvm::raw_ostream &os, const Validation &validation) {
  std::vector<Prediction> all;
  for (const ValidationGroup &group : validation.groups)
    llvm::append_range(all, group.predictions);
  printPredictionsCsv(os, all);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeGroups(llvm::json::OStream &json, StringRef name,
                        ArrayRef<ValidationGroup> groups) {
  json.attributeArray(name, [&] {
    for (const ValidationGroup &group : groups)
      json.object([&] {
        json.attribute("device", llvm::json::fixUTF8(group.device));
        json.attribute("op_kind", llvm::json::fixUTF8(group.opKind));
        json.attribute("size_class", group.sizeClass);
        json.attribute("rows", int64_t(group.statistics.rows));
        json.attribute("mdape_percent", group.statistics.medianPercent);
        json.attribute("geometric_mean_measured_over_predicted",
                       group.statistics.geometricMean);
        json.attribute("p90_percent", group.statistics.percentile90);
      });
  });
}

void printValidationJson(llvm::raw_ostream &os, const Validation &validation,
                         const Target &target, size_t worst) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", llvm::json::fixUTF8(target.name));
    writeGroups(json, "totals", validation.totals);
    writeGroups(json, "groups", validation.groups);
    json.attributeArray("not_predicted", [&] {
      for (const UnpredictedRows &rows : validation.unpredicted)
        json.object([&] {
          json.attribute("op_kind", llvm::json::fixUTF8(rows.first->opKind));
          json.attribute("rows", int64_t(rows.rows));
          json.attribute("reason", llvm::json::fixUTF8(rows.reason));
        });
    });
    json.attributeArray("worst", [&] {
      for (const Prediction &prediction : findWorst(validation, worst))
        json.object([&] {
          json.attribute("row_id", llvm::json::fixUTF8(prediction.row->id));
          json.attribute("device", llvm::json::fixUTF8(prediction.row->device));
          json.attribute("op_kind",
                         llvm::json::fixUTF8(prediction.row->opKind));
          json.attribute("shape", describeShape(*prediction.row));
          json.attribute("measured_us", prediction.row->microseconds);
          json.attribute("predicted_us", prediction.microseconds);
        });
    });
  });
  os << "\n";
}

} // namespace mlir::llm
