//===- Calibration.cpp - Figures of a target from measurements ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Calibration.h"
#include "Minimize.h"
#include "StagedFitter.h"
#include "llm/Measurements/CollectiveRow.h"
#include "llm/Measurements/RowOps.h"
#include "llm/Target/Figures.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::llm;

/// If the standard error of its logarithm is larger, a figure is not
/// identified.
static constexpr double mostUncertainty = 0.5;
/// The least number of rows for a figure. With fewer, it may be an accident.
static constexpr size_t rowsPerFigure = 2;

namespace {
class Calibrator {
public:
  Calibrator(const RowModels &models, const Target &target,
             const CalibrationOptions &options, MLIRContext *context,
             llvm::function_ref<void(double)> progress)
      : models(models), start(target), options(options), context(context),
        progress(progress) {}

  FailureOr<Calibration> run();

private:
  StagedFitter fitter() const {
    return StagedFitter(models, start, figures, sustained);
  }
  std::vector<Type> sustainedTypes() const;
  LogicalResult checkRows() const;
  /// Leaves out figures of groups that the rows do not determine. Fails at such
  /// figures that are named.
  LogicalResult identify(std::vector<double> &logs, Calibration &result);
  std::vector<FittedFigure> judgeFigures(ArrayRef<double> logs) const;
  LogicalResult emitUndetermined(ArrayRef<FittedFigure> all) const;
  FailureOr<std::vector<double>> crossValidate(unsigned &folds);
  std::vector<ValidationGroup> judge(ArrayRef<double> microseconds) const;
  /// Progress of a part of the work.
  auto progressWithin(double from, double to) const {
    return [=](double share) { progress(from + (to - from) * share); };
  }
  InFlightDiagnostic emitError() const {
    return mlir::emitError(UnknownLoc::get(context));
  }

  const RowModels &models;
  const Target &start;
  const CalibrationOptions &options;
  MLIRContext *context;
  llvm::function_ref<void(double)> progress;
  std::vector<FigureRange> figures;
  std::vector<size_t> all;
  llvm::BitVector sustained;
};
} // namespace

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// Lists the types that at least two sustained rows multiply.
std::vector<Type> Calibrator::sustainedTypes() const {
  llvm::MapVector<Type, unsigned> rows;
  for (unsigned row : sustained.set_bits())
    ++rows[models.macTypeOf(row)];
  std::vector<Type> types;
  for (auto [type, count] : rows)
    if (count >= rowsPerFigure)
      types.push_back(type);
  return types;
}

LogicalResult Calibrator::checkRows() const {
  if (models.size() >= rowsPerFigure * figures.size())
    return success();
  return emitError() << models.size() << (models.size() == 1 ? " row" : " rows")
                     << " cannot determine " << figures.size()
                     << " figures: at least two rows for each are needed; name "
                        "fewer (--figures)";
}

std::vector<FittedFigure>
Calibrator::judgeFigures(ArrayRef<double> logs) const {
  std::vector<double> uncertainty = fitter().uncertainty(logs, all);
  std::vector<FittedFigure> judged;
  for (auto [figure, log, error] : llvm::zip_equal(figures, logs, uncertainty))
    judged.push_back({figure.path, figure.before, figure.valueAt(log),
                      100 * error, figure.boundAt(log)});
  return judged;
}

LogicalResult
Calibrator::emitUndetermined(ArrayRef<FittedFigure> undetermined) const {
  std::vector<std::string> texts;
  for (const FittedFigure &figure : undetermined)
    texts.push_back("'" + figure.path + "' (standard error " +
                    describeUncertainty(figure) +
                    (figure.bound == FigureBound::None ? "" : ", ") +
                    describeBound(figure.bound).str() + ")");
  return emitError() << "the rows determine none of the figures: "
                     << llvm::join(texts, ", ")
                     << "; add rows whose time depends on them, or name others "
                        "(--figures)";
}

LogicalResult Calibrator::identify(std::vector<double> &logs,
                                   Calibration &result) {
  std::vector<FigureRange> kept;
  std::vector<double> keptLogs;
  result.figures.clear();
  std::vector<FittedFigure> judged = judgeFigures(logs);
  for (auto [figure, log, fitted] : llvm::zip_equal(figures, logs, judged)) {
    if (fitted.uncertaintyPercent <= 100 * mostUncertainty) {
      result.figures.push_back(fitted);
      kept.push_back(figure);
      keptLogs.push_back(log);
      continue;
    }
    if (figure.isNamed)
      return emitError()
             << "the rows do not determine '" << figure.path
             << "': its standard error is " << describeUncertainty(fitted)
             << "; add rows whose time depends on it, or leave it out "
                "(--figures)";
    result.unidentified.push_back(fitted);
  }
  if (kept.empty())
    return emitUndetermined(result.unidentified);
  bool isComplete = kept.size() == figures.size();
  figures = std::move(kept);
  if (isComplete)
    return success();
  // Without these figures, the minimum of the others may be far from here.
  logs = fitter().improve(keptLogs, all, progressWithin(0.4, 0.5));
  return identify(logs, result);
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// Returns the sizes of a row that is a program: all whole numbers of its
/// columns, but for what was measured.
static std::string sizesOfProgram(const MeasuredRow &row) {
  std::string text;
  if (RowOps::isOneOp(row.opKind) || isExchangeRow(row.opKind))
    return text;
  for (const auto &[column, cell] : row.cells) {
    int64_t size = 0;
    if (!StringRef(column).ends_with("_us") &&
        !StringRef(cell).getAsInteger(10, size))
      text += "," + column + "=" + cell;
  }
  return text;
}

/// Returns a key for folds. Rows of one shape are in one fold. Products have
/// the shape of their weight, whatever the number of rows.
static std::string shapeOf(const MeasuredRow &row) {
  std::string text = row.opKind;
  auto add = [&](std::optional<int64_t> size) {
    text += "," + (size ? std::to_string(*size) : std::string());
  };
  add(row.n), add(row.k), add(row.batch), add(row.heads), add(row.kvHeads);
  add(row.headDim), add(row.qLen), add(row.kvLen), add(row.rows), add(row.cols);
  add(row.devices), add(row.messageBytes);
  return text + sizesOfProgram(row);
}

/// Returns positions in an order that is the same with every standard library.
static std::vector<unsigned> shuffle(size_t size, uint64_t seed) {
  std::vector<unsigned> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (size_t last = size; last > 1; --last)
    std::swap(order[last - 1], order[random() % last]);
  return order;
}

FailureOr<std::vector<double>> Calibrator::crossValidate(unsigned &folds) {
  llvm::MapVector<StringRef, unsigned> foldOf;
  std::vector<std::string> shapes;
  for (size_t index : all)
    shapes.push_back(shapeOf(models.row(index)));
  for (const std::string &shape : shapes)
    foldOf.insert({shape, 0});
  constexpr unsigned mostAlone = 20, usual = 5;
  unsigned wanted = options.folds > 0            ? std::max(2u, options.folds)
                    : foldOf.size() <= mostAlone ? mostAlone
                                                 : usual;
  folds = std::min<unsigned>(wanted, foldOf.size());
  if (folds < 2)
    return emitError() << "all rows are of one shape: nothing can be held out "
                          "for cross-validation; add rows of others";
  std::vector<unsigned> order = shuffle(foldOf.size(), options.seed);
  for (auto [position, entry] : llvm::enumerate(foldOf))
    entry.second = order[position] % folds;

  StagedFitter fitter = this->fitter();
  std::vector<double> times(all.size());
  for (unsigned fold = 0; fold < folds; ++fold) {
    std::vector<size_t> inside, outside;
    for (size_t index : all)
      (foldOf[shapes[index]] == fold ? outside : inside).push_back(index);
    double share = 0.5 / folds;
    // This starts where figures start. The fit to all rows has seen the rows
    // that are held out, and a search without gradients ends near its start.
    std::vector<double> ofFold = fitter.fit(
        inside, progressWithin(0.5 + share * fold, 0.5 + share * (fold + 1)));
    for (auto [index, time] :
         llvm::zip(outside, models.predict(withFigures(start, figures, ofFold),
                                           outside)))
      times[index] = time;
  }
  return times;
}

std::vector<ValidationGroup>
Calibrator::judge(ArrayRef<double> microseconds) const {
  llvm::MapVector<StringRef, ValidationGroup> groups;
  for (auto [index, time] : llvm::enumerate(microseconds)) {
    const MeasuredRow &row = models.row(index);
    for (StringRef kind : {StringRef(row.opKind), StringRef("all")})
      groups[kind].predictions.push_back({&row, time});
  }
  std::vector<ValidationGroup> result;
  for (auto &[kind, group] : groups) {
    group.opKind = kind.str();
    group.sizeClass = "all";
    group.statistics = computeStatistics(group.predictions);
    result.push_back(std::move(group));
  }
  llvm::stable_sort(result, [](const auto &a, const auto &b) {
    return std::pair(a.opKind == "all", StringRef(a.opKind)) <
           std::pair(b.opKind == "all", StringRef(b.opKind));
  });
  return result;
}

FailureOr<Calibration> Calibrator::run() {
  all.resize(models.size());
  std::iota(all.begin(), all.end(), 0);
  sustained = findSustainedRows(models, start);
  FailureOr<std::vector<FigureRange>> collected =
      collectFigures(start, options, models, sustainedTypes(), context);
  if (failed(collected))
    return failure();
  figures = std::move(*collected);
  if (failed(checkRows()))
    return failure();
  Calibration result;
  result.unpredicted = models.unpredicted();
  result.before = judge(models.predict(start, all));
  if (llvm::any_of(figures, [](const FigureRange &figure) {
        return isEnergyFigure(figure.path) ||
               StringRef(figure.path).ends_with(".sustained_clock_hz");
      }))
    result.sustainedRows = sustained.count();
  std::vector<double> logs = fitter().fit(all, progressWithin(0, 0.4));
  if (failed(identify(logs, result)))
    return failure();
  result.target = withFigures(start, figures, logs);
  result.after = judge(models.predict(result.target, all));
  FailureOr<std::vector<double>> held = crossValidate(result.folds);
  if (failed(held))
    return failure();
  result.crossValidated = judge(*held);
  progress(1);
  return result;
}

/// Returns |ln(predicted / measured)| as fits count it.
static double lossOf(const Prediction &prediction) {
  return std::min(mostLogError,
                  std::abs(std::log(prediction.microseconds /
                                    prediction.row->microseconds)));
}

std::string Calibration::describeLoss() const {
  ArrayRef<Prediction> start = before.back().predictions,
                       held = crossValidated.back().predictions;
  double rows = double(start.size()), of = 0, ofHeld = 0, squares = 0;
  for (auto [one, other] : llvm::zip_equal(start, held)) {
    of += lossOf(one) / rows;
    ofHeld += lossOf(other) / rows;
  }
  for (auto [one, other] : llvm::zip_equal(start, held))
    squares += std::pow(lossOf(one) - lossOf(other) - (of - ofHeld), 2);
  // The standard error itself is uncertain if it comes from few rows.
  constexpr double fewRows = 20;
  bool areFew = rows < fewRows;
  double error = std::sqrt(squares / std::max(1.0, rows - 1) / rows);
  double gain = of - ofHeld, least = areFew ? error : error / 2;
  // Where all rows gain alike, their standard error is small, and says little
  // of other rows.
  constexpr double worthwhile = 0.02;
  if (gain > std::max(least, worthwhile * of))
    return "";
  if (gain > least)
    return ::llvm::formatv(
               "the error on rows left out, {0:f2} %, is below that before, "
               "{1:f2} %, by less than a fiftieth of it (mean of "
               "|ln(predicted / measured)| of all rows, none above {2})",
               100 * ofHeld, 100 * of, mostLogError)
        .str();
  return ::llvm::formatv(
             "the error on rows left out, {0:f2} %, is not below that before, "
             "{1:f2} %, by {2} the difference's standard error, {3:f2} % "
             "(mean of |ln(predicted / measured)| of all rows, none above {4})",
             100 * ofHeld, 100 * of, areFew ? "all of" : "half of", 100 * error,
             mostLogError)
      .str();
}

FailureOr<Calibration>
mlir::llm::calibrate(ArrayRef<MeasuredRow> rows, const Target &target,
                     const CalibrationOptions &options, MLIRContext *context,
                     llvm::function_ref<void(double)> progress) {
  if (!canMinimize())
    return emitError(UnknownLoc::get(context))
           << "this build has no NLopt, which fits figures "
              "(LLM_ENABLE_NLOPT): expected one with it";
  std::unique_ptr<RowModels> models = RowModels::get(rows, target, context);
  if (models->size() > 0)
    return Calibrator(*models, target, options, context, progress).run();
  emitErrors(models->unpredicted());
  return emitError(UnknownLoc::get(context))
         << "target '" << target.name << "' can predict none of the rows";
}
