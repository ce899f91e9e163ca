//===- Model.h - The rules as constraints -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_MODEL_H
#define LLM_LIB_EXACTSCHEDULING_MODEL_H

#include "Instance.h"

#include <gecode/int.hh>
#include <gecode/minimodel.hh>

namespace mlir::llm::scheduling::exact {

struct EnergyPools;

/// S1 to S8 as constraints on the start, the way and the machine of each
/// activity. An activity that does not take place has no length, and starts
/// when its task (or the consumer of the fetch) does.
class Model : public Gecode::IntMinimizeSpace {
public:
  /// Makes a model of schedules of at most `horizon` cycles. The instance and
  /// the pools must outlive the model and its copies.
  Model(const Instance &instance, const EnergyPools &pools, int horizon);
  Model(Model &other);

  Gecode::Space *copy() override { return new Model(*this); }
  Gecode::IntVar cost() const override { return makespan; }

  /// Whether it is decided when, where and how the activity runs, or that it
  /// does not take place. For a fetch, the machine of its consumer must be
  /// decided, too.
  bool isDecided(unsigned index) const {
    if (!way[index].assigned())
      return false;
    unsigned consumer = instance[index].consumer.value_or(index);
    return isAbsent(index) ||
           (start[index].assigned() && machine[index].assigned() &&
            machine[consumer].assigned());
  }
  bool isAbsent(unsigned index) const {
    return way[index].assigned() && way[index].val() == instance.absent(index);
  }

  const Instance &instance;
  // These are by activity.
  Gecode::IntVarArray start, length, end, way, machine;
  Gecode::IntVarArray choice; ///< by task
  Gecode::IntVar makespan;

private:
  void postWays();
  void postChoices();
  void postPrecedences();
  void postChains();
  void postLanes();
  void postEngines();
  void postPrivateMemory();
  void postTwins();

  /// Makes a table of an amount by way of an activity. The last entry is that
  /// of an activity that does not take place.
  template <typename Amount>
  Gecode::IntArgs byWay(unsigned index, Amount amount, int ofAbsent) const;
  Gecode::IntArgs shortestSpans(unsigned task) const;
  Gecode::IntVar elementOf(const Gecode::IntArgs &table, Gecode::IntVar index);
};

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_MODEL_H
