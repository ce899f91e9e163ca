//===- Readout.cpp - The schedule that a model stands for -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Readout.h"

#include <algorithm>

namespace mlir::llm::scheduling::exact {

/// The engine of each activity, in the order of starts.
static std::vector<EngineId> placeOnEngines(const Model &model,
                                            std::vector<unsigned> present) {
  const Instance &instance = model.instance;
  std::stable_sort(present.begin(), present.end(), [&](unsigned a, unsigned b) {
    return model.start[a].val() < model.start[b].val();
  });
  std::vector<EngineId> engines(instance.size());
  std::vector<std::vector<int>> freeAt(instance.machines.size());
  for (unsigned i : present) {
    const Machine &machine = instance.machines[model.machine[i].val()];
    int64_t index = machine.index;
    int start = model.start[i].val(), end = model.end[i].val();
    if (!machine.isToldApart) {
      std::vector<int> &ends = freeAt[model.machine[i].val()];
      auto idle = std::find_if(ends.begin(), ends.end(),
                               [&](int time) { return time <= start; });
      // An activity without length can be on any engine.
      index = start == end ? 0 : idle - ends.begin();
      if (start < end && idle == ends.end())
        ends.push_back(end);
      else if (start < end)
        *idle = end;
    }
    engines[i] = {machine.group, index};
  }
  return engines;
}

Solution readOut(const Model &model) {
  const Instance &instance = model.instance;
  std::vector<unsigned> present;
  for (unsigned i = 0; i < instance.size(); ++i)
    if (!model.isAbsent(i))
      present.push_back(i);
  std::vector<EngineId> engines = placeOnEngines(model, present);

  Solution solution;
  for (unsigned t = 0; t < instance.problem->tasks.size(); ++t)
    solution.choices.push_back(model.choice[t].val());
  for (unsigned i : present) {
    const Activity &activity = instance[i];
    if (activity.isFetch())
      continue;
    Slot slot{activity.task,
              activity.number,
              engines[i],
              model.start[i].val(),
              model.end[i].val(),
              activity.ways[model.way[i].val()].lanes,
              {}};
    for (unsigned fetch : activity.fetches)
      if (!model.isAbsent(fetch))
        slot.prefetches.push_back(
            {instance[fetch].source, engines[fetch], model.start[fetch].val(),
             model.end[fetch].val(),
             instance[fetch].ways[model.way[fetch].val()].lanes});
    solution.makespan = std::max(solution.makespan, slot.end);
    solution.slots.push_back(std::move(slot));
  }
  return solution;
}

} // namespace mlir::llm::scheduling::exact
