//===- MeasurementPlan.cpp - What is worth measuring ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/MeasurementPlan.h"
#include "Identify.h"
#include "RowCovariance.h"
#include "StagedFitter.h"
#include "llm/Profile/Calibration.h"
#include "llm/Profile/RowModel.h"
#include "llm/Target/Figures.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

/// The standard deviations of the logarithms of figures: of rates that a
/// datasheet tells, and of all others.
static constexpr double deviationOfRate = 0.1, deviationOfFigure = 0.3;
static constexpr size_t mostCandidates = 3000;

namespace {
/// The variances and covariances of all rows, given the rows chosen so far.
class Chooser {
public:
  Chooser(const RowCovariance &covariance, std::vector<double> weights);

  /// Returns the row that takes the most variance from all, and takes it.
  size_t chooseNext();
  double errorPercent() const;

private:
  double &at(size_t row, size_t column) {
    return covariances[row * weights.size() + column];
  }
  double at(size_t row, size_t column) const {
    return covariances[row * weights.size() + column];
  }
  double gainOf(size_t row) const;

  static constexpr double noise = RowCovariance::measurementError *
                                  RowCovariance::measurementError;
  std::vector<double> weights, covariances;
  std::vector<bool> isChosen;
};
} // namespace

Chooser::Chooser(const RowCovariance &covariance, std::vector<double> given)
    : weights(std::move(given)), covariances(weights.size() * weights.size()),
      isChosen(weights.size()) {
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double &weight : weights)
    weight /= sum;
  for (size_t row = 0; row < weights.size(); ++row)
    for (size_t column = 0; column <= row; ++column)
      at(row, column) = at(column, row) = covariance.between(row, column);
}

/// Returns by how much the weighted sum of variances falls.
double Chooser::gainOf(size_t row) const {
  double gain = 0;
  for (size_t other = 0; other < weights.size(); ++other)
    gain += weights[other] * at(row, other) * at(row, other);
  return gain / (at(row, row) + noise);
}

size_t Chooser::chooseNext() {
  size_t best = weights.size();
  double most = -1;
  for (size_t row = 0; row < weights.size(); ++row)
    if (double gain = isChosen[row] ? -1 : gainOf(row); gain > most) {
      most = gain;
      best = row;
    }
  isChosen[best] = true;
  // The covariances given one more measurement.
  std::vector<double> with(weights.size());
  for (size_t other = 0; other < weights.size(); ++other)
    with[other] = at(best, other);
  double variance = with[best] + noise;
  for (size_t row = 0; row < weights.size(); ++row)
    for (size_t column = 0; column < weights.size(); ++column)
      at(row, column) -= with[row] * with[column] / variance;
  return best;
}

double Chooser::errorPercent() const {
  double sum = 0;
  for (size_t row = 0; row < weights.size(); ++row)
    sum += weights[row] * std::max(0.0, at(row, row));
  return 100 * std::sqrt(sum);
}

/// Joins candidates of one op, whose runs add up.
static std::vector<PlanCandidate>
joinEqual(std::vector<PlanCandidate> candidates) {
  std::vector<PlanCandidate> joined;
  std::map<std::string, size_t> known;
  for (PlanCandidate &candidate : candidates) {
    auto [entry, isNew] =
        known.try_emplace(describeOp(candidate.row), joined.size());
    if (isNew)
      joined.push_back(std::move(candidate));
    else
      joined[entry->second].runs += candidate.runs;
  }
  return joined;
}

/// Lists the figures that calibrations change and the target gives.
static FailureOr<std::vector<FigureRange>>
listFigures(const RowModels &models, const Target &target,
            MLIRContext *context) {
  CalibrationOptions options;
  SmallVector<StringRef> groups = {"device"};
  llvm::append_range(groups, opClassNames());
  for (StringRef group : groups)
    if (!figuresOfGroup(target, group, /*library=*/"").empty())
      options.figures.push_back(group.str());
  SmallVector<Type> types;
  for (unsigned row : findSustainedRows(models, target).set_bits())
    if (Type type = models.macTypeOf(row); !llvm::is_contained(types, type))
      types.push_back(type);
  return collectFigures(target, options, models, types, context);
}

static RowCovariance makeCovariance(const RowModels &models,
                                    ArrayRef<FigureRange> figures,
                                    const Target &target) {
  std::vector<size_t> all(models.size());
  std::iota(all.begin(), all.end(), 0);
  auto logTimes = [&](ArrayRef<double> logs) {
    std::vector<double> times =
        models.predict(withFigures(target, figures, logs), all);
    for (double &time : times)
      time = std::log(std::max(time, 1e-9));
    return times;
  };
  std::vector<double> deviations;
  for (const FigureRange &figure : figures)
    deviations.push_back(StringRef(figure.path).contains(".sustained_")
                             ? deviationOfRate
                             : deviationOfFigure);
  std::vector<const MeasuredRow *> rows;
  for (size_t row : all)
    rows.push_back(&models.row(row));
  return RowCovariance(rows, differentiate(startLogs(figures), logTimes),
                       std::move(deviations));
}

FailureOr<MeasurementPlan>
mlir::llm::planMeasurements(std::vector<PlanCandidate> candidates,
                            bool isOfProgram, size_t budget,
                            const Target &target, MLIRContext *context) {
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  candidates = joinEqual(std::move(candidates));
  if (candidates.size() > mostCandidates)
    return emitError() << "there are " << candidates.size()
                       << " different shapes to choose from, and at most "
                       << mostCandidates
                       << " are compared: name fewer (--op-kind, or a table "
                          "with some of them)";
  std::vector<MeasuredRow> rows;
  for (const PlanCandidate &candidate : candidates)
    rows.push_back(candidate.row);
  std::unique_ptr<RowModels> models = RowModels::get(rows, target, context);
  MeasurementPlan plan;
  plan.candidates = models->size();
  plan.unpredicted = models->unpredicted();
  if (models->size() == 0) {
    emitErrors(models->unpredicted());
    return emitError() << "target '" << target.name
                       << "' can predict none of the shapes";
  }
  std::vector<size_t> all(models->size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> times = models->predict(target, all), weights;
  // Whether a row runs hot depends on its time, which is only predicted here.
  for (size_t index : all) {
    MeasuredRow &row = rows[&models->row(index) - rows.data()];
    row.microseconds = times[index];
    double share = candidates[&row - rows.data()].runs * times[index];
    weights.push_back(isOfProgram ? share * share : 1);
  }
  FailureOr<std::vector<FigureRange>> figures =
      listFigures(*models, target, context);
  if (failed(figures))
    return failure();
  Chooser chooser(makeCovariance(*models, *figures, target),
                  std::move(weights));
  plan.errorPercentBefore = chooser.errorPercent();
  for (size_t count = std::min(budget, models->size()); count > 0; --count) {
    const MeasuredRow &row = models->row(chooser.chooseNext());
    plan.rows.push_back({row, chooser.errorPercent()});
  }
  return plan;
}
