//===- StagedFitter.cpp - Clocks and energies by their own rows -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedFitter.h"
#include "Identify.h"
#include "llm/Target/Figures.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

llvm::BitVector mlir::llm::findSustainedRows(const RowModels &models,
                                             const Target &target) {
  // A benchmark repeats a row back to back, so an op that computes for so long
  // runs hot.
  constexpr double sustainedMicroseconds = 200;
  llvm::BitVector sustained{unsigned(models.size())};
  if (!target.powerLimitWatts)
    return sustained;
  Target slower = target;
  Memory &dram = slower.memories.back();
  constexpr double share = 0.95;
  dram.sustainedBytesPerSecond =
      int64_t(share * double(dram.usableBytesPerSecond()));
  std::vector<size_t> all(models.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> times = models.predict(target, all),
                      slowerTimes = models.predict(slower, all);
  for (size_t row : all) {
    bool streams =
        std::log(slowerTimes[row] / times[row]) > 0.5 * -std::log(share);
    sustained[unsigned(row)] =
        models.macTypeOf(row) && !streams &&
        models.row(row).microseconds >= sustainedMicroseconds;
  }
  return sustained;
}

static bool isClock(const FigureRange &figure) {
  return StringRef(figure.path).ends_with(".sustained_clock_hz");
}

static bool isEnergy(const FigureRange &figure) {
  return isEnergyFigure(figure.path);
}

StagedFitter::StagedFitter(const RowModels &models, const Target &start,
                           const std::vector<FigureRange> &figures,
                           const llvm::BitVector &sustained)
    : models(models), start(start), figures(figures) {
  bool isStaged =
      llvm::any_of(figures, isClock) || llvm::any_of(figures, isEnergy);
  for (bool ofEnergies : {false, true}) {
    Stage stage;
    for (auto [place, figure] : llvm::enumerate(figures))
      if (isEnergy(figure) == ofEnergies) {
        stage.places.push_back(place);
        stage.figures.push_back(figure);
      }
    if (stage.figures.empty())
      continue;
    stage.rows = sustained;
    if (!ofEnergies)
      stage.rows.flip();
    if (!isStaged)
      stage.rows.set();
    stages.push_back(std::move(stage));
  }
}

std::vector<double> StagedFitter::forEachStage(std::vector<double> logs,
                                               ArrayRef<size_t> indices,
                                               FitStage fit) const {
  Target from = start;
  for (const Stage &stage : stages) {
    std::vector<double> ofStage;
    for (size_t place : stage.places)
      ofStage.push_back(logs[place]);
    std::vector<size_t> rows;
    llvm::copy_if(indices, std::back_inserter(rows),
                  [&](size_t row) { return stage.rows[unsigned(row)]; });
    ofStage = fit(stage, from, std::move(ofStage), rows);
    for (auto [place, log] : llvm::zip_equal(stage.places, ofStage)) {
      logs[place] = log;
      setFigure(from, figures[place].path, figures[place].valueAt(log));
    }
  }
  return logs;
}

std::vector<double> StagedFitter::fit(ArrayRef<size_t> indices,
                                      Fitter::Progress progress) const {
  return forEachStage(
      startLogs(figures), indices,
      [&](const Stage &stage, const Target &from, std::vector<double> logs,
          const std::vector<size_t> &rows) {
        return rows.empty()
                   ? logs
                   : Fitter(models, from, stage.figures).fit(rows, progress);
      });
}

std::vector<double> StagedFitter::improve(ArrayRef<double> logs,
                                          ArrayRef<size_t> indices,
                                          Fitter::Progress progress) const {
  return forEachStage(
      std::vector<double>(logs.begin(), logs.end()), indices,
      [&](const Stage &stage, const Target &from, std::vector<double> logs,
          const std::vector<size_t> &rows) {
        if (rows.empty())
          return logs;
        Fitter fitter(models, from, stage.figures);
        return fitter.takeBetter(fitter.refit(std::move(logs), rows, progress),
                                 fitter.fit(rows, progress), rows);
      });
}

std::vector<double> StagedFitter::uncertainty(ArrayRef<double> logs,
                                              ArrayRef<size_t> indices) const {
  std::vector<double> errors(figures.size(),
                             std::numeric_limits<double>::infinity());
  forEachStage(
      std::vector<double>(logs.begin(), logs.end()), indices,
      [&](const Stage &stage, const Target &from, std::vector<double> logs,
          const std::vector<size_t> &rows) {
        if (rows.empty())
          return logs;
        Fitter fitter(models, from, stage.figures);
        std::vector<double> ofStage =
            standardErrors(logs, [&](ArrayRef<double> point) {
              std::vector<double> residuals =
                  models.predict(withFigures(from, stage.figures, point), rows);
              for (auto [row, time] : llvm::zip_equal(rows, residuals))
                time = std::log(time / models.row(row).microseconds);
              return residuals;
            });
        for (auto [place, error] : llvm::zip_equal(stage.places, ofStage))
          errors[place] = error;
        return logs;
      });
  return errors;
}
