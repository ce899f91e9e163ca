//===- Instance.h - What the constraint model is made of --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_INSTANCE_H
#define LLM_LIB_EXACTSCHEDULING_INSTANCE_H

#include "Activities.h"

namespace mlir::llm::scheduling::exact {

/// A place where activities run. Engines are told apart only in groups into
/// whose private memory something may be fetched. In other groups it does not
/// matter which engine it is, so the group is one machine of several places.
struct Machine {
  unsigned group = 0;
  int64_t index = 0; ///< of the engine, in a group of engines told apart
  int64_t places = 1;
  bool isToldApart = false;
  int64_t privateBytes = 0; ///< scaled; of an engine that is told apart
};

/// A problem whose numbers all fit the solver's integers. Others are refused.
struct Instance {
  const Problem *problem = nullptr;
  Activities activities;
  std::vector<Machine> machines;
  std::vector<std::vector<int>> machinesOfGroup;
  /// All private bytes are multiples of this.
  int64_t byteScale = 1;

  size_t size() const { return activities.all.size(); }
  const Activity &operator[](size_t index) const {
    return activities.all[index];
  }
  /// The machine of an optional activity that does not take place.
  int nowhere() const { return machines.size(); }
  /// The way of an optional activity that does not take place.
  int absent(size_t index) const { return activities.all[index].ways.size(); }

  /// Whether some part takes longer than the horizon in each of its ways.
  bool isHopeless() const {
    for (const Activity &activity : activities.all)
      if (activity.ways.empty() && !activity.isOptional)
        return true;
    return false;
  }

  /// Returns the scaled private memory that a way needs, if its engines are
  /// told apart; else 0.
  int64_t needOf(const Way &way) const {
    return machines[machinesOfGroup[way.group].front()].isToldApart
               ? way.workingSetBytes / byteScale
               : 0;
  }
  /// The tasks that end before the activity starts (S5, S8).
  const std::vector<unsigned> &tasksBefore(const Activity &activity) const {
    return activity.isFetch()
               ? activity.part->sources[activity.source].predecessors
               : problem->tasks[activity.task].predecessors;
  }

  int64_t sliceOf(const Activity &fetch) const {
    return fetch.part->sources[fetch.source].sliceBytes / byteScale;
  }
};

/// Makes the instance of a sound problem with a known schedule that takes
/// `horizon` cycles. Otherwise returns why it is beyond the solver.
std::variant<Instance, std::string> makeInstance(const Problem &problem,
                                                 int64_t horizon);

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_INSTANCE_H
