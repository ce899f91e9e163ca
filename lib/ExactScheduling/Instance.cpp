//===- Instance.cpp - What the constraint model is made of ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include <algorithm>
#include <numeric>

namespace mlir::llm::scheduling::exact {

/// Gecode's integers have 32 bits; sums of a few must fit.
static constexpr int64_t largest = 500'000'000;

/// Returns the largest number that divides all amounts of private memory.
static int64_t commonBytes(const Instance &instance) {
  int64_t common = 0;
  for (const EngineGroup &engine : instance.problem->engines)
    common = std::gcd(common, engine.privateBytes);
  for (const Activity &activity : instance.activities.all) {
    for (const Way &way : activity.ways)
      common = std::gcd(common, way.workingSetBytes);
    if (activity.isFetch())
      common =
          std::gcd(common, activity.part->sources[activity.source].sliceBytes);
  }
  return std::max<int64_t>(common, 1);
}

static void addMachines(Instance &instance) {
  const Problem &problem = *instance.problem;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    const EngineGroup &engine = problem.engines[group];
    int64_t users = 0;
    bool isToldApart = false;
    for (const Activity &activity : instance.activities.all) {
      bool isUser = false;
      for (const Way &way : activity.ways) {
        isUser |= way.group == group;
        isToldApart |= way.group == group && way.fetched != 0;
      }
      users += isUser;
    }
    // There are never more engines in use than activities that use one.
    int64_t count = std::max<int64_t>(1, std::min(engine.count, users));
    std::vector<int> &machines = instance.machinesOfGroup.emplace_back();
    for (int64_t index = 0; index < (isToldApart ? count : 1); ++index) {
      machines.push_back(instance.machines.size());
      instance.machines.push_back({group, index, isToldApart ? 1 : count,
                                   isToldApart,
                                   engine.privateBytes / instance.byteScale});
    }
  }
}

static bool fits(const Instance &instance) {
  for (const Machine &machine : instance.machines)
    if (machine.isToldApart && machine.privateBytes > largest)
      return false;
  int64_t slices = 0;
  for (const Activity &activity : instance.activities.all)
    if (activity.isFetch() && (slices += instance.sliceOf(activity)) > largest)
      return false;
  return true;
}

std::variant<Instance, std::string> makeInstance(const Problem &problem,
                                                 int64_t horizon) {
  if (horizon > largest)
    return "schedules of more than " + std::to_string(largest) +
           " cycles are beyond the integers of the solver";
  for (const Resource &resource : problem.resources)
    if (resource.lanes > largest)
      return "'" + resource.name + "' has more than " +
             std::to_string(largest) + " lanes";
  auto activities = listActivities(problem);
  if (auto *why = std::get_if<std::string>(&activities))
    return std::move(*why);
  Instance instance;
  instance.problem = &problem;
  instance.activities = std::move(std::get<Activities>(activities));
  // A way that takes longer than the known schedule is of no use.
  for (Activity &activity : instance.activities.all)
    activity.ways.erase(
        std::remove_if(activity.ways.begin(), activity.ways.end(),
                       [&](const Way &way) { return way.length > horizon; }),
        activity.ways.end());
  instance.byteScale = commonBytes(instance);
  addMachines(instance);
  if (!fits(instance))
    return std::string("private memories and slices are too large, and have no "
                       "common divisor, for the integers of the solver");
  return instance;
}

} // namespace mlir::llm::scheduling::exact
