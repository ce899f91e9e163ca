//===- Fitter.cpp - Figures that bring predictions near to rows -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fitter.h"
#include "llm/Target/Figures.h"
#include "llvm/ADT/IntEqClasses.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::llm;

static constexpr unsigned evaluationsPerFigure = 120;
static constexpr double beyondBorder = 0.5;
/// The first steps of logarithms, from a start about which nothing is known,
/// and from the solution for nearly the same rows.
static const std::vector<double> farSteps = {0.25, -0.15, 0.1, -0.05},
                                 nearSteps = {0.1, -0.05};

Fitter::Fitter(const RowModels &models, const Target &start,
               const std::vector<FigureRange> &figures)
    : models(models), start(start), figures(figures) {
  findBlocks();
}

void Fitter::findBlocks() {
  std::vector<llvm::BitVector> rowsOf;
  for (const FigureRange &figure : figures) {
    Target other = start;
    setFigure(other, figure.path, 2 * figure.before + 1);
    rowsOf.push_back(models.findAffected(start, other));
  }
  llvm::IntEqClasses classes(unsigned(figures.size()));
  for (unsigned one = 0; one < figures.size(); ++one)
    for (unsigned other = 0; other < one; ++other)
      if (rowsOf[one].anyCommon(rowsOf[other]))
        classes.join(one, other);
  classes.compress();
  blocks.assign(classes.getNumClasses(),
                Block{{}, llvm::BitVector(unsigned(models.size()))});
  for (unsigned figure = 0; figure < figures.size(); ++figure) {
    Block &block = blocks[classes[figure]];
    block.figures.push_back(figure);
    block.rows |= rowsOf[figure];
  }
}

bool Fitter::isStartPlausible(ArrayRef<size_t> indices) const {
  std::vector<double> times =
      models.predict(withFigures(start, figures, startLogs(figures)), indices);
  size_t near = 0;
  for (auto [index, time] : llvm::zip_equal(indices, times))
    near +=
        time > 0 && std::abs(std::log(time / models.row(index).microseconds)) <
                        mostLogError;
  return 2 * near > indices.size();
}

/// Returns the median of errors, which it reorders.
static double medianOf(MutableArrayRef<double> errors) {
  auto middle = errors.begin() + errors.size() / 2;
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

double Fitter::lossOf(ArrayRef<double> logs, ArrayRef<size_t> indices,
                      double mostError, bool hasInertia,
                      bool countsMedian) const {
  std::vector<double> times =
      models.predict(withFigures(start, figures, logs), indices);
  double sum = 0;
  std::vector<double> errors;
  for (auto [index, time] : llvm::zip_equal(indices, times)) {
    double ratio = time / models.row(index).microseconds;
    errors.push_back(
        std::min(ratio > 0 ? std::abs(std::log(ratio)) : mostError, mostError));
    sum += errors.back();
  }
  double median = countsMedian ? medianOf(errors) : 0;
  // Above the largest value of a figure, the time does not change any more.
  // This term leads back down.
  double above = 0;
  for (auto [figure, log] : llvm::zip_equal(figures, logs)) {
    above += std::max(0.0, log - figure.highLog);
    // This counts as if so many rows said that the figure is at its start.
    if (hasInertia)
      sum += figure.inertiaRows *
             std::min(std::abs(log - figure.startLog), mostLogError);
  }
  return sum / double(indices.size()) + median + above;
}

/// Moves to the best of some points anywhere in the box.
static void lookAround(SearchBox &box,
                       llvm::function_ref<double(ArrayRef<double>)> loss) {
  constexpr unsigned points = 256;
  std::mt19937_64 random(0);
  double least = loss(box.point);
  for (unsigned point = 0; point < points; ++point) {
    std::vector<double> tried;
    for (auto [low, high] : llvm::zip_equal(box.low, box.high))
      tried.push_back(low + (high - low) * double(random() >> 11) /
                                double(1ull << 53));
    if (double found = loss(tried); found < least) {
      least = found;
      box.point = tried;
    }
  }
}

SearchBox Fitter::boxOf(const Block &block, ArrayRef<double> logs) const {
  SearchBox box;
  for (size_t figure : block.figures) {
    box.point.push_back(logs[figure]);
    box.low.push_back(figures[figure].lowLog);
    // A simplex that starts on a border, such as the rate of a datasheet, would
    // stay on it. So it may go beyond.
    box.high.push_back(figures[figure].highLog + beyondBorder);
  }
  return box;
}

void Fitter::fitBlock(const Block &block, ArrayRef<size_t> indices, bool isNear,
                      std::vector<double> &logs, Progress progress) const {
  SearchBox box = boxOf(block, logs);
  auto place = [&](ArrayRef<double> point) {
    for (auto [figure, log] : llvm::zip_equal(block.figures, point))
      logs[figure] = log;
  };
  unsigned evaluations = evaluationsPerFigure * unsigned(box.point.size());
  // The search may start again, but seldom does so more than twice.
  double expected = 2.0 * evaluations, done = 0;
  bool hasInertia = isStartPlausible(indices);
  auto lossWith = [&](double mostError, bool countsMedian = false) {
    return [&, mostError, countsMedian](ArrayRef<double> point) {
      progress(std::min(1.0, ++done / expected));
      place(point);
      return lossOf(logs, indices, mostError, hasInertia, countsMedian);
    };
  };
  auto minimizeLoss = [&](SearchBox &from, double mostError) {
    return minimize(from, isNear ? nearSteps : farSteps, evaluations,
                    lossWith(mostError));
  };
  // If figures start far off, every row is an outlier at first.
  constexpr double farOff = 0.15, everyError = 100;
  SearchBox other = box;
  bool isFar =
      !isNear && lossOf(logs, indices, mostLogError, hasInertia) > farOff;
  double least = minimizeLoss(box, mostLogError);
  if (isFar) {
    lookAround(other, lossWith(everyError));
    minimizeLoss(other, everyError);
    if (minimizeLoss(other, mostLogError) < least)
      box = std::move(other);
  }
  // The median has more valleys. The mean leads to one of the deep ones. That
  // of few rows does not count: fits to 60 and 80 rows of attention did worse
  // on rows left out.
  constexpr size_t fewestRows = 200;
  if (indices.size() >= fewestRows)
    minimize(box, nearSteps, evaluations,
             lossWith(mostLogError, /*countsMedian=*/true));
  place(box.point);
  for (size_t figure : block.figures)
    logs[figure] = std::min(logs[figure], figures[figure].highLog);
}

std::vector<size_t> Fitter::rowsOf(const Block &block,
                                   ArrayRef<size_t> indices) const {
  std::vector<size_t> inside;
  llvm::copy_if(indices, std::back_inserter(inside),
                [&](size_t row) { return block.rows[unsigned(row)]; });
  return inside;
}

std::vector<double> Fitter::fitBlocks(std::vector<double> logs,
                                      ArrayRef<size_t> indices, bool isNear,
                                      Progress progress) const {
  for (auto [index, block] : llvm::enumerate(blocks))
    if (std::vector<size_t> rows = rowsOf(block, indices); !rows.empty())
      fitBlock(block, rows, isNear, logs, [&, index = index](double share) {
        progress((double(index) + share) / double(blocks.size()));
      });
  return logs;
}

std::vector<double> Fitter::fit(ArrayRef<size_t> indices,
                                Progress progress) const {
  return fitBlocks(startLogs(figures), indices, /*isNear=*/false, progress);
}

std::vector<double> Fitter::refit(std::vector<double> logs,
                                  ArrayRef<size_t> indices,
                                  Progress progress) const {
  return fitBlocks(std::move(logs), indices, /*isNear=*/true, progress);
}

std::vector<double> Fitter::takeBetter(std::vector<double> one,
                                       ArrayRef<double> other,
                                       ArrayRef<size_t> indices) const {
  for (const Block &block : blocks) {
    std::vector<size_t> rows = rowsOf(block, indices);
    if (rows.empty())
      continue;
    bool hasInertia = isStartPlausible(rows);
    if (lossOf(one, rows, mostLogError, hasInertia) <=
        lossOf(other, rows, mostLogError, hasInertia))
      continue;
    for (size_t figure : block.figures)
      one[figure] = other[figure];
  }
  return one;
}
