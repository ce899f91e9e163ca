//===- Calibration.cpp - Figures of a target from measurements ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Calibration.h"
#include "Identify.h"
#include "Minimize.h"
#include "llm/Profile/RowModel.h"
#include "llm/Support/Units.h"
#include "llm/Target/Figures.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::llm;

/// No row counts more: outliers are mistakes of somebody.
static constexpr double mostLogError = 0.4;
/// Figures are looked for within a factor of e^2 of where they start.
static constexpr double reach = 2;
static constexpr unsigned evaluationsPerFigure = 120;
/// Above this standard error of its logarithm a figure is not identified.
static constexpr double mostUncertainty = 0.5;

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
  LogicalResult collectFigures();
  LogicalResult addFigure(StringRef path, bool isNamed);
  /// The target with figures of these logarithms.
  Target at(ArrayRef<double> logs) const;
  double lossOf(ArrayRef<double> logs, ArrayRef<size_t> indices,
                double mostError) const;
  std::vector<double> fit(ArrayRef<size_t> indices, double from, double to);
  /// Leaves out figures of groups that the rows do not determine; fails at
  /// named ones.
  LogicalResult identify(std::vector<double> &logs, Calibration &result);
  FailureOr<std::vector<double>> crossValidate();
  std::vector<ValidationGroup> judge(ArrayRef<double> microseconds) const;

  struct Figure {
    std::string path;
    double startLog;
    bool isNamed;
    double mostLog;
  };
  InFlightDiagnostic emitError() const {
    return mlir::emitError(UnknownLoc::get(context));
  }

  const RowModels &models;
  Target start;
  const CalibrationOptions &options;
  MLIRContext *context;
  llvm::function_ref<void(double)> progress;
  std::vector<Figure> figures;
  std::vector<size_t> all;
};
} // namespace

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

LogicalResult Calibrator::addFigure(StringRef path, bool isNamed) {
  std::optional<int64_t> value = getFigure(start, path);
  if (!value)
    return emitError() << "target '" << start.name << "' gives no figure '"
                       << path
                       << "' to start from; figures have the paths of the "
                          "target file, such as engines.gpu.sustained_clock_hz";
  if (*value <= 0)
    return emitError() << "figure '" << path
                       << "' is 0: give it a value to start from in the "
                          "target file";
  std::optional<int64_t> most = getMostOfFigure(start, path);
  figures.push_back({path.str(), std::log(double(*value)), isNamed,
                     most ? std::log(double(*most))
                          : std::numeric_limits<double>::infinity()});
  return success();
}

LogicalResult Calibrator::collectFigures() {
  for (const std::string &name : options.figures) {
    std::vector<std::string> group =
        figuresOfGroup(start, name, options.library);
    for (const std::string &path : group)
      if (failed(addFigure(path, /*isNamed=*/false)))
        return failure();
    if (group.empty() && failed(addFigure(name, /*isNamed=*/true)))
      return failure();
  }
  constexpr size_t rowsPerFigure = 2;
  if (models.size() >= rowsPerFigure * figures.size())
    return success();
  return emitError() << models.size() << " rows cannot determine "
                     << figures.size()
                     << " figures: at least two rows for each are needed; name "
                        "fewer (--figures)";
}

Target Calibrator::at(ArrayRef<double> logs) const {
  Target target = start;
  for (auto [figure, log] : llvm::zip(figures, logs))
    setFigure(target, figure.path,
              std::max<int64_t>(
                  1, std::llround(std::exp(std::min(log, figure.mostLog)))));
  return target;
}

//===----------------------------------------------------------------------===//
// Fitting
//===----------------------------------------------------------------------===//

double Calibrator::lossOf(ArrayRef<double> logs, ArrayRef<size_t> indices,
                          double mostError) const {
  std::vector<double> times = models.predict(at(logs), indices);
  double sum = 0;
  for (auto [index, time] : llvm::zip(indices, times)) {
    double ratio = time / models.row(index).microseconds;
    sum +=
        std::min(ratio > 0 ? std::abs(std::log(ratio)) : mostError, mostError);
  }
  // Above the most that a figure can be, the time stays what it is there: the
  // way back is down.
  double above = 0;
  for (auto [figure, log] : llvm::zip(figures, logs))
    above += std::max(0.0, log - figure.mostLog);
  return sum / double(indices.size()) + above;
}

/// Moves to the best of some points anywhere within reach.
static void lookAround(std::vector<double> &logs,
                       llvm::function_ref<double(ArrayRef<double>)> loss) {
  constexpr unsigned points = 256;
  std::mt19937_64 random(0);
  auto anywhere = [&] {
    return reach * (2 * double(random() >> 11) / double(1ull << 53) - 1);
  };
  std::vector<double> center = logs;
  double least = loss(logs);
  for (unsigned point = 0; point < points; ++point) {
    std::vector<double> tried = center;
    for (double &log : tried)
      log += anywhere();
    if (double found = loss(tried); found < least) {
      least = found;
      logs = tried;
    }
  }
}

std::vector<double> Calibrator::fit(ArrayRef<size_t> indices, double from,
                                    double to) {
  std::vector<double> logs;
  for (const Figure &figure : figures)
    logs.push_back(figure.startLog);
  unsigned evaluations = evaluationsPerFigure * unsigned(figures.size());
  // It may be started again, but seldom is more than twice.
  double expected = 2.0 * evaluations;
  double done = 0;
  auto minimizeLoss = [&](double mostError) {
    minimize(logs, reach, evaluations, [&](ArrayRef<double> point) {
      progress(from + (to - from) * std::min(1.0, ++done / expected));
      return lossOf(point, indices, mostError);
    });
  };
  // Where figures start far off, every row is an outlier at first.
  constexpr double farOff = 0.15, everyError = 100;
  if (lossOf(logs, indices, mostLogError) > farOff) {
    lookAround(logs, [&](ArrayRef<double> point) {
      return lossOf(point, indices, everyError);
    });
    minimizeLoss(everyError);
  }
  minimizeLoss(mostLogError);
  for (auto [figure, log] : llvm::zip(figures, logs))
    log = std::min(log, figure.mostLog);
  return logs;
}

LogicalResult Calibrator::identify(std::vector<double> &logs,
                                   Calibration &result) {
  std::vector<double> uncertainty =
      standardErrors(logs, [&](ArrayRef<double> point) {
        std::vector<double> residuals = models.predict(at(point), all);
        for (auto [index, time] : llvm::enumerate(residuals))
          time = std::log(time / models.row(index).microseconds);
        return residuals;
      });
  std::vector<Figure> kept;
  result.figures.clear();
  for (auto [index, figure] : llvm::enumerate(figures)) {
    FittedFigure fitted{figure.path, std::llround(std::exp(figure.startLog)),
                        std::llround(std::exp(logs[index])),
                        100 * uncertainty[index]};
    if (uncertainty[index] <= mostUncertainty) {
      result.figures.push_back(fitted);
      kept.push_back(figure);
    } else if (figure.isNamed) {
      return emitError()
             << "the rows do not determine '" << figure.path
             << "': its standard error is "
             << (std::isfinite(uncertainty[index])
                     ? std::to_string(std::lround(fitted.uncertaintyPercent)) +
                           " %"
                     : std::string("without bound"))
             << "; add rows whose time depends on it, or leave it out "
                "(--figures)";
    } else {
      result.unidentified.push_back(fitted);
    }
  }
  if (kept.empty())
    return emitError() << "the rows determine none of the figures";
  bool isComplete = kept.size() == figures.size();
  figures = std::move(kept);
  if (isComplete)
    return success();
  logs = fit(all, 0.2, 0.3);
  return identify(logs, result);
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// Rows of one shape are dealt to one fold: products by their weight, whatever
/// the number of rows.
static std::string shapeOf(const MeasuredRow &row) {
  std::string text = row.opKind;
  auto add = [&](std::optional<int64_t> size) {
    text += "," + (size ? std::to_string(*size) : std::string());
  };
  add(row.n), add(row.k), add(row.batch), add(row.heads), add(row.kvHeads);
  add(row.headDim), add(row.qLen), add(row.kvLen), add(row.rows), add(row.cols);
  add(row.devices), add(row.messageBytes);
  return text;
}

FailureOr<std::vector<double>> Calibrator::crossValidate() {
  llvm::MapVector<StringRef, unsigned> foldOf;
  std::vector<std::string> shapes;
  for (size_t index : all)
    shapes.push_back(shapeOf(models.row(index)));
  for (const std::string &shape : shapes)
    foldOf.insert({shape, 0});
  unsigned folds = std::min<unsigned>(options.folds, foldOf.size());
  if (folds < 2)
    return emitError() << "all rows are of one shape: nothing can be held out "
                          "for cross-validation; add rows of others";
  // A shuffle that is the same with every standard library.
  std::vector<unsigned> order(foldOf.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(options.seed);
  for (size_t last = order.size(); last > 1; --last)
    std::swap(order[last - 1], order[random() % last]);
  for (auto [position, entry] : llvm::enumerate(foldOf))
    entry.second = order[position] % folds;

  std::vector<double> times(all.size());
  for (unsigned fold = 0; fold < folds; ++fold) {
    std::vector<size_t> inside, outside;
    for (size_t index : all)
      (foldOf[shapes[index]] == fold ? outside : inside).push_back(index);
    double share = 0.7 / folds;
    std::vector<double> logs =
        fit(inside, 0.3 + share * fold, 0.3 + share * (fold + 1));
    for (auto [index, time] :
         llvm::zip(outside, models.predict(at(logs), outside)))
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
  if (failed(collectFigures()))
    return failure();
  Calibration result;
  result.before = judge(models.predict(start, all));
  std::vector<double> logs = fit(all, 0, 0.2);
  if (failed(identify(logs, result)))
    return failure();
  result.target = at(logs);
  result.after = judge(models.predict(result.target, all));
  FailureOr<std::vector<double>> held = crossValidate();
  if (failed(held))
    return failure();
  result.crossValidated = judge(*held);
  progress(1);
  return result;
}

FailureOr<Calibration>
mlir::llm::calibrate(ArrayRef<MeasuredRow> rows, const Target &target,
                     const CalibrationOptions &options, MLIRContext *context,
                     llvm::function_ref<void(double)> progress) {
  FailureOr<std::unique_ptr<RowModels>> models =
      RowModels::get(rows, target, context);
  if (failed(models))
    return failure();
  if ((*models)->size() == 0)
    return emitError(UnknownLoc::get(context))
           << "no row is of an op that can be predicted";
  return Calibrator(**models, target, options, context, progress).run();
}
