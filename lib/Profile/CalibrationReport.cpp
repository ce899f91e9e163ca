//===- CalibrationReport.cpp - A calibration as tables --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/TextTable.h"
#include "llm/Profile/Calibration.h"
#include "llm/Support/Units.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::llm {

static constexpr size_t tableWidth = 100;

static std::string percent(double value) {
  return ::llvm::formatv("{0:f1}", value).str();
}

void printCalibration(llvm::raw_ostream &os, const Calibration &calibration) {
  TextTable errors(6);
  errors.addRow({"op kind", "rows", "MdAPE before", "fitted", "cross-validated",
                 "p90 cross-v."});
  errors.addRule();
  for (auto [before, after, held] : ::llvm::zip_equal(
           calibration.before, calibration.after, calibration.crossValidated))
    errors.addRow({toPrintable(before.opKind),
                   std::to_string(before.statistics.rows),
                   percent(before.statistics.medianPercent),
                   percent(after.statistics.medianPercent),
                   percent(held.statistics.medianPercent),
                   percent(held.statistics.percentile90)});
  errors.print(os, tableWidth);
  os << "\n";
  TextTable figures(4);
  figures.addRow(
      {std::to_string(calibration.figures.size()) + " fitted figures", "before",
       "after", "+- %"});
  figures.addRule();
  for (const FittedFigure &figure : calibration.figures)
    figures.addRow({figure.path, withThousandsSeparators(figure.before),
                    withThousandsSeparators(figure.after),
                    percent(figure.uncertaintyPercent)});
  figures.print(os, tableWidth);
  for (const FittedFigure &figure : calibration.unidentified)
    os << "left as it is, the rows do not determine it: " << figure.path
       << "\n";
}

} // namespace mlir::llm
