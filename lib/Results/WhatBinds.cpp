//===- WhatBinds.cpp - What the time of a program is spent on -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/WhatBinds.h"
#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Cost/CostModel.h"
#include "llm/Cost/OpOnTarget.h"
#include "llm/Cost/Rates.h"
#include "llm/Cost/Roofline.h"
#include "llm/Results/Report.h"
#include "llm/Results/RunComparison.h"
#include "llm/Results/SlotSweep.h"
#include "llm/Support/Units.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

CostBound mlir::llm::boundOfParts(CostAttr cost) {
  auto cycles = [](PartCostAttr part) {
    return checkedMul(part.getCycles(), part.getCount()).value_or(maxCount);
  };
  PartCostAttr longest = cost.getParts().front();
  for (PartCostAttr part : cost.getParts())
    if (cycles(part) > cycles(longest))
      longest = part;
  return longest.getBound();
}

namespace {
/// Cycles of one run, summed over the parts.
struct Terms {
  double overhead = 0, serial = 0, compute = 0, memory = 0;
  double alone = 0; ///< compute and memory side by side, alone on the machine

  explicit Terms(CostAttr cost) {
    for (PartCostAttr part : cost.getParts()) {
      double count = double(part.getCount());
      overhead += count * double(part.getOverheadCycles());
      serial += count * double(part.getSerialCycles());
      compute += count * double(part.getComputeCycles());
      memory += count * double(part.getMemoryCycles());
      alone += count * double(std::max(part.getComputeCycles(),
                                       part.getMemoryCycles()));
    }
  }
  /// How long one part after the other takes, each alone on the machine.
  double cycles() const { return overhead + serial + alone; }
  double launchesOf(double scheduled) const {
    return std::min(overhead, scheduled);
  }
  /// What the slots take besides launches and what overlaps with nothing.
  double overlappedOf(double scheduled) const {
    return std::max(0.0, scheduled - launchesOf(scheduled) - serial);
  }
  /// Whether slots take longer than alone, as bandwidth is shared.
  bool isSlowedDown(double scheduled) const {
    return overlappedOf(scheduled) > 1.01 * alone;
  }
};
} // namespace

static const Engine *engineGroupOf(const Target &target, CostAttr cost) {
  for (const Engine &engine : target.engines)
    if (engine.name == cost.getEngine().getValue())
      return &engine;
  return nullptr;
}

/// Returns the cycles in which the shared memories move all bytes of one run,
/// at what streams reach.
static double sharedCycles(CostAttr cost, const Target &target) {
  double most = 0;
  for (const Memory *memory : target.sharedMemories()) {
    double bytes = 0;
    for (PartCostAttr part : cost.getParts())
      bytes += double(part.getCount()) * double(part.getBytes(memory->name));
    most = std::max(most, bytes * double(target.clockHz) /
                              double(memory->usableBytesPerSecond()));
  }
  return most;
}

/// Returns on how many engines the parts can run side by side.
static double enginesOf(CostAttr cost, const Target &target) {
  double parts = 0;
  for (PartCostAttr part : cost.getParts())
    parts += double(part.getCount());
  const Engine *group = engineGroupOf(target, cost);
  return group ? std::min(parts, double(group->count)) : parts;
}

CostBound mlir::llm::boundOf(CostAttr cost, const Target &target,
                             int64_t scheduledCycles) {
  CostBound ofParts = boundOfParts(cost);
  if (ofParts == CostBound::Memory)
    return ofParts;
  Terms terms(cost);
  double engines = enginesOf(cost, target);
  // On one engine, the bound of the parts has said this.
  if (engines > 1 && sharedCycles(cost, target) * engines >
                         std::max(terms.compute, terms.overhead))
    return CostBound::Memory;
  double scheduled = double(scheduledCycles);
  bool isLaunch = ofParts == CostBound::Overhead &&
                  terms.launchesOf(scheduled) >= terms.overlappedOf(scheduled);
  return terms.isSlowedDown(scheduled) && !isLaunch ? CostBound::Memory
                                                    : ofParts;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

static CostAttr costOf(const Report &report, unsigned op) {
  return report.program->ops()[op].op->getAttrOfType<CostAttr>(
      LlmDialect::costAttrName);
}

/// Says whether an op runs on an engine of the group, or holds one beside.
static bool holds(CostAttr cost, const Engine &group) {
  return cost.getEngine().getValue() == group.name ||
         llvm::any_of(cost.getWith(), [&](StringAttr other) {
           return other.getValue() == group.name;
         });
}

static bool isExchange(const Target &target, CostAttr cost) {
  const Engine *group = engineGroupOf(target, cost);
  return group && group->isLink;
}

/// Returns the group that has work for longest on each of its engines.
static const Engine *findBusiest(const Report &report) {
  const Engine *busiest = nullptr;
  double most = 0;
  for (const Engine &group : report.target->engines) {
    double busy = 0;
    for (auto [index, op] : llvm::enumerate(report.ops))
      if (!group.isLink && holds(costOf(report, index), group))
        busy += double(op.allRuns.scheduledCycles) / double(group.count);
    if (busy > most)
      most = busy, busiest = &group;
  }
  return busiest;
}

//===----------------------------------------------------------------------===//
// When
//===----------------------------------------------------------------------===//

namespace {
/// Cycles of the makespan, each of them counted once.
struct Spent {
  /// For each op, those in which it holds engines of the group. For each
  /// exchange, those in which none of these has work. Ops side by side share a
  /// cycle by the engines that they hold.
  std::vector<double> ops;
  /// Those in which none of these engines has work, nothing is exchanged, and
  /// something is fetched ahead.
  double fetching = 0;
};

/// Goes through the slots of a stretch in the order of time.
class StretchSweep {
public:
  StretchSweep(const Report &report, const Engine &group, Spent &spent)
      : report(report), group(group), spent(spent) {}

  void run(ArrayRef<unsigned> ops) {
    runs = double(report.ops[ops.front()].count);
    std::vector<SlotSeries> series;
    for (unsigned op : ops)
      list(op, series);
    SlotSweep(std::move(series))
        .run([&](const SlotSeries &of, int64_t, int64_t cycle, bool isStart) {
          passTo(cycle);
          change(of, isStart ? 1 : -1);
        });
  }

private:
  /// Adds the slots and the fetches of an op; other engines have no say.
  void list(unsigned op, std::vector<SlotSeries> &series) {
    CostAttr cost = costOf(report, op);
    bool isHeld = holds(cost, group);
    auto slots = report.program->ops()[op].op->getAttrOfType<SlotsAttr>(
        LlmDialect::slotsAttrName);
    for (SlotRunAttr run : slots.getRuns()) {
      SlotSeries slot{run.getStartCycle(), run.getEndCycle(),
                      run.getStartStride(), run.getCount(), SpanKind::Slot};
      slot.owner = op;
      if (!isHeld)
        slot.kind = SpanKind::Held;
      if (isHeld || isExchange(*report.target, cost))
        series.push_back(slot);
      for (PrefetchAttr fetch : run.getPrefetches()) {
        slot.kind = SpanKind::Fetch;
        slot.startCycle = fetch.getStartCycle();
        slot.endCycle = fetch.getEndCycle();
        series.push_back(slot);
      }
    }
  }

  void passTo(int64_t cycle) {
    double cycles = runs * double(cycle - std::exchange(now, cycle));
    if (!share(slots, cycles) && !share(exchanges, cycles) && fetches > 0)
      spent.fetching += cycles;
  }

  /// Gives cycles to ops. Returns false if none of them is under way.
  bool share(const std::map<unsigned, int64_t> &underWay, double cycles) {
    double all = 0;
    for (auto [op, own] : underWay)
      all += double(own);
    for (auto [op, own] : underWay)
      spent.ops[op] += cycles * double(own) / all;
    return !underWay.empty();
  }

  static void count(std::map<unsigned, int64_t> &underWay, unsigned op,
                    int64_t by) {
    if ((underWay[op] += by) == 0)
      underWay.erase(op);
  }

  void change(const SlotSeries &of, int64_t by) {
    if (of.kind == SpanKind::Fetch)
      fetches += by;
    else
      count(of.kind == SpanKind::Held ? exchanges : slots, of.owner, by);
  }

  const Report &report;
  const Engine &group;
  Spent &spent;
  double runs = 1;
  int64_t now = 0, fetches = 0;
  std::map<unsigned, int64_t> slots, exchanges; ///< those under way, by op
};
} // namespace

static void sweep(const Report &report, ArrayRef<ProgramItem> items,
                  const Engine &group, Spent &spent) {
  for (const ProgramItem &item : items) {
    if (item.isLoop())
      sweep(report, item.body, group, spent);
    else if (!item.ops.empty())
      StretchSweep(report, group, spent).run(item.ops);
  }
}

//===----------------------------------------------------------------------===//
// What more of each would bring
//===----------------------------------------------------------------------===//

namespace {
/// Shares of the time of one op: what it goes to, and what would be saved.
struct OpShares {
  double launches = 0;
  bool isMemory = false;
  double savedByBandwidth = 0, savedByArithmetic = 0;
};
} // namespace

/// Returns the share of a time that is saved if it takes `now` because of one
/// of two rates, and that rate is doubled.
static double savedShare(double now, double other) {
  return now > 0 ? 1 - std::min(now, std::max(now / 2, other)) / now : 0;
}

/// Says whether units that share an op wait longer for the bytes that they have
/// in flight than for arithmetic. A cost says it only of an op that this binds.
static bool doUnitsWaitForBytes(WorkloadOpInterface op, CostAttr cost,
                                const Engine &group, const Target &target) {
  if (!group.hasUnitTiles())
    return false;
  FailureOr<Workload> workload = op.getWorkload([] { return Refusal(); });
  if (failed(workload))
    return false;
  std::optional<int64_t> rate =
      kernelBytesPerSecond(op, *workload, group, target);
  if (!rate)
    return false;
  auto sum = [&](auto amountOf) {
    double all = 0;
    for (PartCostAttr part : cost.getParts())
      all += double(part.getCount()) * double(amountOf(part));
    return all;
  };
  double moving = sum([&](PartCostAttr part) {
                    return part.getBytes(target.dram().name);
                  }) /
                  double(*rate);
  auto clock = double(group.sustainedClockHz.value_or(target.clockHz));
  return llvm::all_of(
      ArrayRef{WorkKind::Alu, WorkKind::Special, WorkKind::Compare},
      [&](WorkKind kind) {
        std::optional<int64_t> perCycle = Target::opsPerCycle(group, kind);
        return !perCycle || sum([&](PartCostAttr part) {
                              return part.getWork(stringify(kind));
                            }) / (double(*perCycle) * clock) <
                                moving;
      });
}

/// Returns the cycles in which the ports of all units move the bytes of one
/// run; 0 without a limit.
static double portCycles(const OpReport &op, const Engine &group,
                         const Target &target) {
  std::optional<int64_t> rate = unitBytesPerSecond(group, target);
  return rate ? double(op.figures.dramBytes) * double(target.clockHz) /
                    double(*rate)
              : 0;
}

namespace {
/// The machine with twice of something that a power limit weighs.
class ChangedMachine {
public:
  static ChangedMachine withTwicePower(const Target &target);
  static ChangedMachine withTwiceArithmetic(const Target &target);
  /// Returns the share of its time that an op saves there, alone on the
  /// machine.
  double savedShareOf(WorkloadOpInterface op, CostAttr cost);

private:
  explicit ChangedMachine(const Target &target) : changed(target) {
    changed.forgetMeasuredTimes(); // what they say of the formula stays
  }

  Target changed;
  StampTexts texts;
};
} // namespace

ChangedMachine ChangedMachine::withTwicePower(const Target &target) {
  ChangedMachine result(target);
  *result.changed.powerLimitWatts +=
      *target.powerLimitWatts - target.idleWatts.value_or(0);
  return result;
}

ChangedMachine ChangedMachine::withTwiceArithmetic(const Target &target) {
  ChangedMachine result(target);
  // A faster clock of the units, as more units would want other tiles.
  for (Engine &engine : result.changed.engines)
    engine.sustainedClockHz =
        2 * engine.sustainedClockHz.value_or(target.clockHz);
  return result;
}

double ChangedMachine::savedShareOf(WorkloadOpInterface op, CostAttr cost) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  double now = Terms(cost).cycles();
  if (!tile || now == 0)
    return 0;
  FailureOr<OpOnTarget> context =
      OpOnTarget::get(op, changed, Reasons::unsaid());
  if (failed(context))
    return 0;
  FailureOr<CostAttr> there =
      computeCost(*context, tile, CostStamps(*context, texts));
  return succeeded(there) ? std::max(0.0, 1 - Terms(*there).cycles() / now) : 0;
}

namespace {
/// What changes where a power limit counts. Twice the arithmetic needs a lower
/// clock, and so less energy.
struct UnderPowerLimit {
  explicit UnderPowerLimit(const Target &target)
      : withTwicePower(ChangedMachine::withTwicePower(target)),
        withTwiceArithmetic(ChangedMachine::withTwiceArithmetic(target)) {}

  ChangedMachine withTwicePower, withTwiceArithmetic;
};
} // namespace

/// On several engines the parts share the memories, and the whole counts: with
/// more bandwidth, more engines find work. On one engine the slots say more.
static OpShares sharesOf(const OpReport &op, WorkloadOpInterface ofProgram,
                         CostAttr cost, const Target &target) {
  Terms terms(cost);
  double scheduled = double(op.figures.scheduledCycles);
  if (scheduled == 0)
    return {};
  double overlapped = terms.overlappedOf(scheduled);
  OpShares shares;
  shares.launches = terms.launchesOf(scheduled) / scheduled;
  const Engine *group = engineGroupOf(target, cost);
  bool waits = group && doUnitsWaitForBytes(ofProgram, cost, *group, target);
  shares.isMemory = op.bound == CostBound::Memory ||
                    (op.bound == CostBound::Overhead &&
                     (terms.memory > terms.compute || waits));
  double all = group ? double(group->count) : 1;
  double engines = enginesOf(cost, target);
  double share = overlapped / scheduled, shared = sharedCycles(cost, target);
  // If streaming binds and compute is above memory, both terms are streaming;
  // one is that through the ports of the units. Units that wait for what they
  // have in flight wait as long with a faster memory.
  bool streams =
      boundOfParts(cost) == CostBound::Memory &&
      terms.compute >= terms.memory && !terms.isSlowedDown(scheduled) &&
      !(waits && terms.compute > 1.01 * portCycles(op, *group, target));
  if (!shares.isMemory)
    shares.savedByArithmetic =
        share * (engines > 1 ? savedShare(terms.compute / engines, shared)
                             : savedShare(overlapped, terms.memory));
  else if (streams)
    shares.savedByBandwidth = terms.memory / 2 / scheduled;
  else
    shares.savedByBandwidth =
        share * (all > 1 ? savedShare(shared, terms.compute / all)
                         : savedShare(overlapped, terms.compute));
  return shares;
}

/// Returns the share of the time of an exchange that is saved if all rates of
/// its link are doubled.
static double savedByLink(WorkloadOpInterface op, const Target &target) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload) || !workload->collective)
    return 0;
  double now = timeCollective(*workload->collective, target).nanoseconds;
  double twice = timeCollective(*workload->collective, target, 2).nanoseconds;
  return now > 0 ? 1 - twice / now : 0;
}

StringRef WhatBinds::largest() const {
  return llvm::max_element(shares,
                           [](const TimeShare &one, const TimeShare &other) {
                             return one.percent < other.percent;
                           })
      ->name;
}

const TimeShare *WhatBinds::findSaving(StringRef name) const {
  auto found = llvm::find_if(
      savings, [&](const TimeShare &saving) { return saving.name == name; });
  return found == savings.end() ? nullptr : &*found;
}

double WhatBinds::percentOf(StringRef name) const {
  for (const TimeShare &share : shares)
    if (share.name == name)
      return share.percent;
  return 0;
}

/// Returns the share of the makespan in which something is exchanged.
static double exchangedPercentOf(const Report &report) {
  SmallVector<unsigned> exchanges;
  for (unsigned op = 0; op < report.ops.size(); ++op)
    if (isExchange(*report.target, costOf(report, op)))
      exchanges.push_back(op);
  double makespan = report.makespanMicroseconds();
  return makespan > 0 ? 100 * elapsedMicroseconds(report, exchanges) / makespan
                      : 0;
}

WhatBinds WhatBinds::of(const Report &report) {
  WhatBinds result;
  result.engine = findBusiest(report);
  double makespan = double(report.timeline.schedule().getMakespanCycles());
  Spent spent;
  spent.ops.resize(report.ops.size());
  if (result.engine)
    sweep(report, report.program->items(), *result.engine, spent);
  double compute = 0, memory = spent.fetching, launches = 0, exchange = 0;
  const Target &target = *report.target;
  std::optional<UnderPowerLimit> limited;
  bool isMeasured = report.timeline.schedule().isMeasured();
  if (target.powerLimitWatts && !isMeasured)
    limited.emplace(target);
  double bandwidth = spent.fetching / 2, arithmetic = 0, power = 0, links = 0;
  for (auto [index, op] : llvm::enumerate(report.ops)) {
    CostAttr cost = costOf(report, index);
    double cycles = spent.ops[index];
    result.exposedCycles.push_back(0);
    if (isExchange(target, cost)) {
      result.exposedCycles.back() = cycles;
      exchange += cycles;
      links +=
          cycles * savedByLink(report.program->ops()[index].op, target);
      continue;
    }
    OpShares shares =
        sharesOf(op, report.program->ops()[index].op, cost, target);
    launches += cycles * shares.launches;
    (shares.isMemory ? memory : compute) += cycles * (1 - shares.launches);
    bandwidth += cycles * shares.savedByBandwidth;
    if (limited && !shares.isMemory) {
      WorkloadOpInterface ofProgram = report.program->ops()[index].op;
      power += cycles * limited->withTwicePower.savedShareOf(ofProgram, cost);
      shares.savedByArithmetic =
          std::min(shares.savedByArithmetic,
                   limited->withTwiceArithmetic.savedShareOf(ofProgram, cost));
    }
    arithmetic += cycles * shares.savedByArithmetic;
  }
  auto percent = [&](double cycles) {
    return makespan > 0 && result.engine ? 100 * cycles / makespan : 0;
  };
  double known = compute + memory + launches + exchange;
  // What is left of rounded sums is no time.
  double waiting = makespan - known > 1e-9 * makespan ? makespan - known : 0;
  result.shares = {{"compute", percent(compute)},
                   {"memory", percent(memory)},
                   {"overhead", percent(launches)},
                   {"exchange", percent(exchange)},
                   {"waiting", percent(waiting)}};
  if (!target.network.empty())
    result.exchangePercent = exchangedPercentOf(report);
  if (isMeasured)
    return result;
  // Engines that wait for ops wait as much less as these take less.
  auto saved = [&](double cycles) {
    return known > 0 ? 100 * cycles / known : 0;
  };
  result.savings = {{"bandwidth", saved(bandwidth)},
                    {"arithmetic", saved(arithmetic)},
                    {"launches", saved(launches / 2)}};
  if (target.powerLimitWatts)
    result.savings.push_back({"power", saved(power)});
  if (result.exchangePercent)
    result.savings.push_back({"links", saved(links)});
  return result;
}
