//===- DecidedUse.h - Who holds what, of what is decided --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_DECIDEDUSE_H
#define LLM_LIB_EXACTSCHEDULING_DECIDEDUSE_H

#include "Model.h"

namespace mlir::llm::scheduling::exact {

/// Where and how an activity would run.
struct Placing {
  unsigned activity = 0;
  int way = 0;
  int machine = 0;
  int consumerMachine = -1; ///< of a fetch
};

/// What the decided activities of a model hold, where time has been filled from
/// the left: nothing that is not decided starts before them.
class DecidedUse {
public:
  explicit DecidedUse(const Model &model);

  /// It could start at this time beside all that is decided.
  bool fits(const Placing &placing, int time) const;
  /// It could start at an earlier time than this one.
  bool fitsBefore(const Placing &placing, int time) const;
  /// The end of something decided, or the beginning.
  bool isEvent(int time) const;
  /// The first end behind `time`, or -1.
  int nextEvent(int time) const;
  /// Nothing runs on the machine from `time` on, and nothing is fetched into
  /// its memory.
  bool isBlank(int machine, int time) const;

private:
  struct Item {
    int start, end, machine;
    const Way *way;
  };
  struct Holding {
    int machine, start;
    /// At the least, and as long as nothing says that it ends.
    int leastEnd, end;
    int64_t bytes;
  };
  bool lanesFit(const Placing &placing, int start, int end) const;
  bool machineFits(const Placing &placing, int start, int end) const;
  /// What is held for the least time, or for sure: as long as it may be.
  bool memoryFits(const Placing &placing, int start, int end,
                  int Holding::*until) const;
  int readyTime(const Placing &placing) const;

  const Model &model;
  std::vector<Item> items;
  std::vector<Holding> holdings;
};

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_DECIDEDUSE_H
