//===- TimeOrigins.cpp - What predicted times rest on ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/TimeOrigins.h"
#include "llm/Cost/CostModel.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::llm;

StringRef llm::stringify(TimeSource source) {
  switch (source) {
  case TimeSource::Formula:
    return "formula";
  case TimeSource::Corrected:
    return "corrected";
  case TimeSource::Measured:
    return "measured";
  }
  llvm_unreachable("one of the three");
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// Two runs of one lab differ by 2 % for the same product (docs/accuracy.md).
static constexpr TimeSpread spreadOfRuns{0.97, 1.03};

TimeOrigins::TimeOrigins(const Target &target)
    : target(target), formula(target) {
  formula.measured.clear();
}

static std::optional<TimeSpread> toSpread(std::optional<int64_t> p10Percent,
                                          std::optional<int64_t> p90Percent) {
  constexpr double percent = 100;
  if (!p10Percent || !p90Percent)
    return std::nullopt;
  return TimeSpread{double(*p10Percent) / percent,
                    double(*p90Percent) / percent};
}

/// Returns what the figures of the op's kernel, or of its link, say.
static std::optional<TimeSpread> spreadOfFigures(const OpOnTarget &context,
                                                 std::string &group) {
  const Target &target = *context.target;
  if (const std::optional<Collective> &among = context.workload.collective) {
    const Link *link = target.findLink(among->span);
    if (!link)
      return std::nullopt;
    group = link->name;
    Link figures = target.withDefaultLibrary(*link);
    return toSpread(figures.p10Percent, figures.p90Percent);
  }
  std::unique_ptr<UnitKernel> kernel = unitKernelOf(context);
  if (!kernel)
    return std::nullopt;
  group = widestClassOf(kernel->opClass()).str();
  KernelFigures figures =
      kernelFiguresOf(context.op, context.workload, *context.engine, *kernel);
  return toSpread(figures.p10Percent, figures.p90Percent);
}

std::optional<TimeSpread> TimeOrigins::spreadOf(const MeasuredForm &form) {
  auto [known, isNew] = spreads.try_emplace(form.form);
  if (isNew)
    known->second = spreadLeftOut(form);
  return known->second;
}

/// Takes measured times into account.
void TimeOrigins::correct(const OpOnTarget &context, TileAttr tile,
                          TimeOrigin &origin) {
  FailureOr<OpOnTarget> byFormula =
      OpOnTarget::get(context.op, formula, Reasons::unsaid());
  FailureOr<PartCostAttr> cost = failed(byFormula)
                                     ? FailureOr<PartCostAttr>(failure())
                                     : computePartCost(*byFormula, tile);
  if (failed(cost) || cost->getCycles() == 0)
    return;
  MeasuredCorrection correction = correctionOf(
      context, double(cost->getCycles()) / double(target.clockHz));
  origin.perFormula = correction.factor;
  if (correction.isMeasured) {
    origin.source = TimeSource::Measured;
    origin.spread = spreadOfRuns;
    return;
  }
  if (2 * correction.share < 1)
    return;
  origin.source = TimeSource::Corrected;
  const MeasuredForm *form = context.workload.composition
                                 ? nullptr
                                 : findForm(target, formOf(context));
  std::optional<TimeSpread> near = form ? spreadOf(*form) : std::nullopt;
  if (!near || !origin.spread)
    return;
  auto between = [&](double far, double near) {
    return far + (near - far) * correction.share;
  };
  origin.spread = TimeSpread{between(origin.spread->p10, near->p10),
                             between(origin.spread->p90, near->p90)};
}

TimeOrigin TimeOrigins::of(WorkloadOpInterface op) {
  TimeOrigin origin;
  FailureOr<OpOnTarget> context =
      OpOnTarget::get(op, target, Reasons::unsaid());
  if (failed(context))
    return origin;
  origin.spread = spreadOfFigures(*context, origin.group);
  OpForm form = formOf(*context);
  origin.likeness = form.name;
  for (int64_t size : form.sizes)
    origin.likeness += " " + std::to_string(size);
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  if (!target.measured.empty() && canBeMeasured(*context) && tile)
    correct(*context, tile, origin);
  return origin;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// How far times may be off, downward or upward, in microseconds.
struct Deviations {
  double sum = 0, squares = 0;

  void add(double deviation) {
    sum += deviation;
    squares += deviation * deviation;
  }
  /// Half of the variance is common to all.
  double squared() const { return (sum * sum + squares) / 2; }
};
} // namespace

std::optional<TimeSpread> llm::spreadOfSum(ArrayRef<SummedTime> times) {
  struct Alike {
    double down = 0, up = 0;
  };
  std::map<std::string, std::map<std::string, Alike>> groups;
  double sum = 0, known = 0;
  for (const SummedTime &time : times) {
    sum += time.microseconds;
    const TimeOrigin &origin = time.origin;
    if (!origin.spread)
      continue;
    known += time.microseconds;
    Alike &alike = groups[origin.group][origin.likeness];
    alike.down += time.microseconds * (1 - origin.spread->p10);
    alike.up += time.microseconds * (origin.spread->p90 - 1);
  }
  if (sum == 0 || 2 * known < sum)
    return std::nullopt;
  double down = 0, up = 0;
  for (const auto &[group, ops] : groups) {
    Deviations downward, upward;
    for (const auto &[likeness, alike] : ops) {
      downward.add(alike.down);
      upward.add(alike.up);
    }
    down += downward.squared();
    up += upward.squared();
  }
  return TimeSpread{1 - std::sqrt(down) / sum, 1 + std::sqrt(up) / sum};
}
