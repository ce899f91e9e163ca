//===- CalibrationReport.cpp - A calibration as tables --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Profile/Calibration.h"
#include "llm/Support/Units.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::llm {

static constexpr size_t tableWidth = 100;

static std::string percent(double value) {
  return ::llvm::formatv("{0:f1}", value).str();
}

StringRef describeBound(FigureBound bound) {
  switch (bound) {
  case FigureBound::None:
    return "";
  case FigureBound::Low:
    return "at the lower end of the search";
  case FigureBound::High:
    return "at the upper end of the search";
  case FigureBound::Limit:
    return "at its limit";
  }
  return "";
}

std::string describeUncertainty(const FittedFigure &figure) {
  constexpr double mostShown = 1000;
  if (!std::isfinite(figure.uncertaintyPercent))
    return "without bound";
  if (figure.uncertaintyPercent > mostShown)
    return "above 1000 %";
  return std::to_string(std::lround(figure.uncertaintyPercent)) + " %";
}

static void printErrors(llvm::raw_ostream &os, const Calibration &calibration) {
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
}

static void printFigures(llvm::raw_ostream &os,
                         const Calibration &calibration) {
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
  for (const FittedFigure &figure : calibration.figures)
    if (figure.bound == FigureBound::Limit)
      os << describeBound(figure.bound) << ", which it cannot exceed: "
         << figure.path << "\n";
    else if (figure.bound != FigureBound::None)
      os << describeBound(figure.bound)
         << ", a factor of 7.4 from its start; give it a nearer one in the "
            "target file: "
         << figure.path << "\n";
  for (const FittedFigure &figure : calibration.unidentified)
    os << "left as it is, the rows do not determine it (standard error "
       << describeUncertainty(figure) << "): " << figure.path << "\n";
}

void printCalibration(llvm::raw_ostream &os, const Calibration &calibration,
                      const CalibrationOptions &options) {
  printErrors(os, calibration);
  os << "cross-validated in " << calibration.folds << " parts";
  if (calibration.folds < options.folds)
    os << ", not " << options.folds << ": there are only " << calibration.folds
       << " shapes";
  os << "\n";
  if (calibration.sustainedRows > 0)
    os << calibration.sustainedRows
       << " rows compute for 200 us or longer: they tell what the power limit "
          "leaves, not the clock\n";
  printUnpredicted(os, calibration.unpredicted);
  os << "\n";
  printFigures(os, calibration);
}

} // namespace mlir::llm
