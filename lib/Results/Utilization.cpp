//===- Utilization.cpp - How much of the machine an op uses ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Utilization.h"
#include "llm/Cost/Roofline.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

MachinePeaks::MachinePeaks(const Target &target) : target(target) {
  for (auto [kind, rate] : llvm::zip_equal(allWorkKinds, operations))
    rate = kind == WorkKind::Mac ? 0 : peakPerSecond(target, kind, Type());
  for (const Memory *memory : target.sharedResources())
    memories.push_back(double(memory->bytesPerSecond));
}

MachinePeaks::MacRates MachinePeaks::macRatesOf(Type type) {
  if (!type)
    return {};
  auto [known, isNew] = macs.try_emplace(type);
  if (isNew)
    known->second = {peakPerSecond(target, WorkKind::Mac, type),
                     llm::datasheetMacsPerSecond(target, type)};
  return known->second;
}

double MachinePeaks::operationsPerSecond(WorkKind kind) const {
  return operations[size_t(llvm::find(allWorkKinds, kind) -
                           allWorkKinds.begin())];
}

namespace {
/// Cycles in which an op is under way.
struct Span {
  int64_t firstFetch = INT64_MAX, firstStart = INT64_MAX, end = 0;
  double engineCycles = 0;

  int64_t ofSlots() const { return std::max<int64_t>(end - firstStart, 0); }
  int64_t withFetches() const {
    return std::max<int64_t>(end - std::min(firstFetch, firstStart), 0);
  }
};
} // namespace

static Span spanOf(const Timeline &timeline, unsigned op) {
  Span span;
  Iterations firstRun(timeline.loopsOf(op).size(), 0);
  timeline.forEachTimedSlot(op, firstRun, [&](const TimedSlot &slice) {
    bool isFetch = !slice.prefetched.empty();
    int64_t &first = isFetch ? span.firstFetch : span.firstStart;
    first = std::min(first, slice.startCycle);
    if (isFetch)
      return;
    span.end = std::max(span.end, slice.endCycle);
    span.engineCycles += double(slice.endCycle - slice.startCycle);
  });
  return span;
}

/// Returns an amount per second; 0 if it takes no time.
static double rate(double amount, int64_t cycles, int64_t clockHz) {
  return cycles > 0 ? amount * double(clockHz) / double(cycles) : 0;
}

static double percent(double rate, double peak) {
  return peak > 0 ? 100 * rate / peak : 0;
}

Utilization mlir::llm::utilizationOf(const Timeline &timeline, unsigned op,
                                     Type macType, MachinePeaks &peaks) {
  const Target &target = peaks.machine();
  auto cost = timeline.program().ops()[op].op->getAttrOfType<CostAttr>(
      LlmDialect::costAttrName);
  auto sumOf = [&](auto figureOf) {
    double sum = 0;
    for (PartCostAttr part : cost.getParts())
      sum += double(figureOf(part)) * double(part.getCount());
    return sum;
  };
  Span span = spanOf(timeline, op);
  double clock = double(target.clockHz);
  Utilization used;
  used.engineCycles = span.engineCycles;
  used.seconds = double(span.ofSlots()) / clock;
  used.secondsWithFetches = double(span.withFetches()) / clock;
  for (WorkKind kind : allWorkKinds) {
    double perSecond = rate(
        sumOf([&](PartCostAttr part) { return part.getWork(stringify(kind)); }),
        span.ofSlots(), target.clockHz);
    bool isMac = kind == WorkKind::Mac;
    used.computePercent =
        std::max(used.computePercent,
                 percent(perSecond, isMac ? peaks.macsPerSecond(macType)
                                          : peaks.operationsPerSecond(kind)));
    if (isMac)
      used.teraflopPerSecond = 2 * perSecond / 1e12;
  }
  // An exchange is about its link, which has the name of the engine.
  StringRef link = cost.getEngine().getValue();
  bool isExchange = llvm::any_of(
      target.network, [&](const Memory &other) { return other.name == link; });
  StringRef counted = isExchange ? link : StringRef(target.dram().name);
  for (auto [memory, peak] :
       llvm::zip_equal(target.sharedResources(), peaks.bytesPerSecond())) {
    double perSecond = rate(
        sumOf([&](PartCostAttr part) { return part.getBytes(memory->name); }),
        span.withFetches(), target.clockHz);
    used.memoryPercent = std::max(used.memoryPercent, percent(perSecond, peak));
    if (memory->name == counted)
      used.gigabytesPerSecond = perSecond / 1e9;
  }
  return used;
}

std::array<NamedFigure, 6> mlir::llm::namedFigures(const Utilization &used,
                                                   int64_t count,
                                                   double microseconds,
                                                   double sharePercent) {
  return {{{"time_us", microseconds},
           {"total_time_us", microseconds * double(count)},
           {"share_percent", sharePercent},
           {"tflop_per_second", used.teraflopPerSecond},
           {"gb_per_second", used.gigabytesPerSecond},
           {"percent_of_limit", used.percentOfLimit()}}};
}
