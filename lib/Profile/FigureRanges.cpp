//===- FigureRanges.cpp - Which figures are fitted, and where -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FigureRanges.h"
#include "llm/Target/Figures.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Figures are looked for within a factor of e^2 of where they start.
static constexpr double reach = 2;
/// The rows that must agree to move a figure of a datasheet. One row of few may
/// be a mistake, but not two that agree.
static constexpr double inertiaOfDatasheet = 1.5;
/// The same for an energy. No datasheet tells it, so it only must not be higher
/// than rows ask for.
static constexpr double inertiaOfEnergy = 0.5;

int64_t FigureRange::valueAt(double log) const {
  // Searches end near a border and not on it, so this puts the figure there.
  if (boundAt(log) == FigureBound::Limit)
    return *limit;
  return std::max<int64_t>(1, std::llround(std::exp(log)));
}

FigureBound FigureRange::boundAt(double log) const {
  constexpr double near = 1e-3;
  if (log - lowLog < near)
    return FigureBound::Low;
  if (highLog - log >= near)
    return FigureBound::None;
  return limit && highLog < startLog + reach ? FigureBound::Limit
                                             : FigureBound::High;
}

std::vector<double> mlir::llm::startLogs(ArrayRef<FigureRange> figures) {
  std::vector<double> logs;
  for (const FigureRange &figure : figures)
    logs.push_back(figure.startLog);
  return logs;
}

Target mlir::llm::withFigures(Target target, ArrayRef<FigureRange> figures,
                              ArrayRef<double> logs) {
  for (auto [figure, log] : llvm::zip_equal(figures, logs))
    setFigure(target, figure.path, figure.valueAt(log));
  return target;
}

namespace {
class Collector {
public:
  Collector(const Target &start, MLIRContext *context)
      : start(start), context(context) {}

  LogicalResult add(StringRef path, bool isNamed);
  std::vector<FigureRange> figures;

private:
  InFlightDiagnostic emitError() const {
    return mlir::emitError(UnknownLoc::get(context));
  }
  const Target &start;
  MLIRContext *context;
};
} // namespace

LogicalResult Collector::add(StringRef path, bool isNamed) {
  for (const FigureRange &known : figures)
    if (known.path == path)
      return known.isNamed == isNamed
                 ? LogicalResult::success()
                 : emitError() << "figure '" << path
                               << "' is named twice, by itself and by its "
                                  "group: leave out one of the two (--figures)";
  std::optional<int64_t> value = getFigure(start, path);
  if (!value)
    return emitError() << "target '" << start.name << "' gives no figure '"
                       << path
                       << "' to start from; figures have the paths of the "
                          "target file, such as engines.gpu.sustained_clock_hz";
  if (*value <= 0 && !isNamed) // as what the rows do not determine, it stays
    return success();
  if (*value <= 0)
    return emitError() << "figure '" << path
                       << "' is 0: give it a value to start from in the "
                          "target file";
  FigureRange figure;
  figure.path = path.str();
  figure.before = *value;
  figure.isNamed = isNamed;
  figure.limit = figureLimit(start, path);
  if (isEnergyFigure(path))
    figure.inertiaRows = inertiaOfEnergy;
  else if (path.contains(".sustained_"))
    figure.inertiaRows = inertiaOfDatasheet;
  figure.startLog =
      std::log(double(std::min(*value, figure.limit.value_or(*value))));
  figure.lowLog = figure.startLog - reach;
  figure.highLog = figure.startLog + reach;
  if (figure.limit)
    figure.highLog = std::min(figure.highLog, std::log(double(*figure.limit)));
  figures.push_back(std::move(figure));
  return success();
}

/// Returns the figures of a class that rows have if they name no library: those
/// of the default ones, and `group` if a kernel has no default.
static std::vector<std::string>
figuresOfUnnamed(const Target &start, const RowModels &models,
                 StringRef opClass, const std::vector<std::string> &group) {
  std::vector<std::string> figures;
  auto add = [&](const std::vector<std::string> &paths) {
    for (const std::string &path : paths)
      if (!llvm::is_contained(figures, path))
        figures.push_back(path);
    return !paths.empty();
  };
  for (const RowModels::Kernel &kernel : models.kernelsOf(opClass)) {
    bool hasDefault =
        add(figuresOfDefault(start, kernel.opName, kernel.format));
    for (StringRef name : opClassesFor(kernel.opClass))
      if (name.starts_with(opClass)) // the class, or a narrower one
        hasDefault |= add(figuresOfDefault(start, name, kernel.format));
    if (!hasDefault)
      add(group);
  }
  return figures.empty() ? group : figures;
}

FailureOr<std::vector<FigureRange>>
mlir::llm::collectFigures(const Target &start,
                          const CalibrationOptions &options,
                          const RowModels &models,
                          ArrayRef<Type> sustainedTypes, MLIRContext *context) {
  Collector collector(start, context);
  for (const std::string &name : options.figures) {
    std::vector<std::string> group =
        figuresOfGroup(start, name, options.library);
    if (options.library.empty())
      group = figuresOfUnnamed(start, models, name, group);
    if (name == "device")
      for (Type type : sustainedTypes)
        if (std::optional<std::string> path = energyFigure(start, type))
          group.push_back(std::move(*path));
    for (const std::string &path : group)
      if (failed(collector.add(path, /*isNamed=*/false)))
        return failure();
    if (group.empty() && failed(collector.add(name, /*isNamed=*/true)))
      return failure();
  }
  return std::move(collector.figures);
}
