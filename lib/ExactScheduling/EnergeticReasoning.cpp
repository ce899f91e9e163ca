//===- EnergeticReasoning.cpp - What must happen within a window ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnergeticReasoning.h"
#include "Model.h"

#include <algorithm>

using namespace Gecode;

namespace mlir::llm::scheduling::exact {

/// Lists the sets of engine groups that some activity is confined to.
static std::vector<std::vector<bool>> groupSets(const Instance &instance) {
  std::vector<std::vector<bool>> sets;
  for (const Activity &activity : instance.activities.all) {
    std::vector<bool> set(instance.machinesOfGroup.size(), false);
    for (const Way &way : activity.ways)
      set[way.group] = true;
    if (std::find(sets.begin(), sets.end(), set) == sets.end())
      sets.push_back(std::move(set));
  }
  return sets;
}

EnergyPools makePools(const Instance &instance) {
  EnergyPools pools;
  auto add = [&](int64_t capacity, auto heldBy) {
    EnergyPool &pool = pools.all.emplace_back();
    pool.capacity = capacity;
    for (const Activity &activity : instance.activities.all) {
      std::vector<int64_t> &held = pool.held.emplace_back();
      for (const Way &way : activity.ways)
        held.push_back(heldBy(way));
    }
  };
  for (unsigned m : instance.activities.contended)
    add(instance.problem->resources[m].lanes,
        [&](const Way &way) { return way.lanes[m]; });
  for (const std::vector<bool> &set : groupSets(instance)) {
    int64_t engines = 0;
    for (const Machine &machine : instance.machines)
      engines += set[machine.group] ? machine.places : 0;
    add(engines, [&](const Way &way) { return set[way.group] ? 1 : 0; });
  }
  return pools;
}

namespace {

struct Window {
  int64_t begin, end;
};

class EnergeticReasoning : public Propagator {
public:
  EnergeticReasoning(Home home, ViewArray<Int::IntView> &times,
                     ViewArray<Int::IntView> &ways, const EnergyPools &pools)
      : Propagator(home), times(times), ways(ways), pools(pools) {
    times.subscribe(home, *this, Int::PC_INT_BND);
    ways.subscribe(home, *this, Int::PC_INT_DOM);
  }
  EnergeticReasoning(Space &home, EnergeticReasoning &other)
      : Propagator(home, other), pools(other.pools) {
    times.update(home, other.times);
    ways.update(home, other.ways);
  }
  Actor *copy(Space &home) override {
    return new (home) EnergeticReasoning(home, *this);
  }
  PropCost cost(const Space &, const ModEventDelta &) const override {
    return PropCost::cubic(PropCost::HI, ways.size());
  }
  void reschedule(Space &home) override {
    times.reschedule(home, *this, Int::PC_INT_BND);
    ways.reschedule(home, *this, Int::PC_INT_DOM);
  }
  size_t dispose(Space &home) override {
    times.cancel(home, *this, Int::PC_INT_BND);
    ways.cancel(home, *this, Int::PC_INT_DOM);
    (void)Propagator::dispose(home);
    return sizeof(*this);
  }
  ExecStatus propagate(Space &home, const ModEventDelta &) override;

private:
  int64_t needOfWay(const Model &model, const EnergyPool &pool, unsigned index,
                    int way, Window window) const;
  int64_t needOfPart(const Model &model, const EnergyPool &pool, unsigned index,
                     Window window) const;
  int64_t needOfFetch(const Model &model, const EnergyPool &pool,
                      unsigned index, Window window) const;

  struct Demand {
    unsigned part;
    Window hull; ///< of the part and its fetches
    int64_t all; ///< what it holds at least, within the hull
  };
  std::vector<Demand> demands(const Model &model, const EnergyPool &pool) const;
  bool fits(const Model &model, const EnergyPool &pool,
            const std::vector<Demand> &demands, Window window) const;

  ViewArray<Int::IntView> times, ways;
  const EnergyPools &pools;
};

} // namespace

/// Returns the least that the activity holds within the window, if it is
/// shifted as far to the left or to the right as it can be.
int64_t EnergeticReasoning::needOfWay(const Model &model,
                                      const EnergyPool &pool, unsigned index,
                                      int way, Window window) const {
  int64_t held = pool.held[index][way];
  if (held == 0)
    return 0;
  int64_t length = model.instance[index].ways[way].length;
  int64_t ofLeft = model.start[index].min() + length - window.begin;
  int64_t ofRight = window.end - (model.end[index].max() - length);
  int64_t within = std::min(std::min(ofLeft, ofRight),
                            std::min(length, window.end - window.begin));
  return held * std::max<int64_t>(within, 0);
}

int64_t EnergeticReasoning::needOfFetch(const Model &model,
                                        const EnergyPool &pool, unsigned index,
                                        Window window) const {
  int64_t least = INT64_MAX;
  for (IntVarValues way(model.way[index]); way(); ++way)
    if (way.val() != model.instance.absent(index))
      least = std::min(least, needOfWay(model, pool, index, way.val(), window));
  return least == INT64_MAX ? 0 : least;
}

int64_t EnergeticReasoning::needOfPart(const Model &model,
                                       const EnergyPool &pool, unsigned index,
                                       Window window) const {
  const Activity &part = model.instance[index];
  int64_t ofFetches[8];
  for (size_t i = 0; i < part.fetches.size(); ++i)
    ofFetches[i] = needOfFetch(model, pool, part.fetches[i], window);
  int64_t least = INT64_MAX;
  for (IntVarValues way(model.way[index]); way(); ++way) {
    if (way.val() == model.instance.absent(index))
      return 0;
    int64_t need = needOfWay(model, pool, index, way.val(), window);
    for (size_t i = 0; i < part.fetches.size(); ++i)
      if (part.ways[way.val()].fetched >>
              model.instance[part.fetches[i]].source &
          1)
        need += ofFetches[i];
    least = std::min(least, need);
  }
  return least;
}

/// Lists when each part that holds something of the pool does so, and how much
/// it holds at least.
std::vector<EnergeticReasoning::Demand>
EnergeticReasoning::demands(const Model &model, const EnergyPool &pool) const {
  std::vector<Demand> found;
  for (unsigned i = 0; i < model.instance.size(); ++i) {
    if (model.instance[i].isFetch() || model.isAbsent(i))
      continue;
    Window hull = {model.start[i].min(), model.end[i].max()};
    for (unsigned fetch : model.instance[i].fetches)
      if (!model.isAbsent(fetch))
        hull.begin = std::min<int64_t>(hull.begin, model.start[fetch].min());
    int64_t all = needOfPart(model, pool, i, hull);
    if (all > 0)
      found.push_back({i, hull, all});
  }
  return found;
}

bool EnergeticReasoning::fits(const Model &model, const EnergyPool &pool,
                              const std::vector<Demand> &demands,
                              Window window) const {
  int64_t left = pool.capacity * (window.end - window.begin);
  for (const Demand &demand : demands) {
    if (demand.hull.end <= window.begin || window.end <= demand.hull.begin)
      continue;
    bool isWithin =
        window.begin <= demand.hull.begin && demand.hull.end <= window.end;
    left -=
        isWithin ? demand.all : needOfPart(model, pool, demand.part, window);
    if (left < 0)
      return false;
  }
  return true;
}

/// Sorts times and drops repetitions.
static std::vector<int> unique(std::vector<int> times) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

ExecStatus EnergeticReasoning::propagate(Space &home, const ModEventDelta &) {
  const Model &model = static_cast<const Model &>(home);
  std::vector<int> begins, ends;
  for (unsigned i = 0; i < model.instance.size(); ++i) {
    if (model.isDecided(i))
      continue;
    begins.push_back(model.start[i].min());
    ends.push_back(model.end[i].max());
  }
  begins = unique(std::move(begins));
  ends = unique(std::move(ends));
  for (const EnergyPool &pool : pools.all) {
    std::vector<Demand> all = demands(model, pool);
    for (int begin : begins)
      for (int end : ends)
        if (begin < end && !fits(model, pool, all, {begin, end}))
          return ES_FAILED;
  }
  return ES_FIX;
}

void postEnergy(Model &model, const EnergyPools &pools) {
  IntVarArgs times;
  times << model.start << model.end;
  IntVarArgs ways;
  ways << model.way;
  ViewArray<Int::IntView> timeViews(model, times), wayViews(model, ways);
  (void)new (model) EnergeticReasoning(model, timeViews, wayViews, pools);
}

} // namespace mlir::llm::scheduling::exact
