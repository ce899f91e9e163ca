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
  int consumerMachine = -1; ///< if it is a fetch
};

/// What the decided activities of a model hold. Time is filled from the left,
/// so no undecided activity starts before them.
class DecidedUse {
public:
  explicit DecidedUse(const Model &model);

  /// Whether it could start at this time beside all that is decided.
  bool fits(const Placing &placing, int time) const;
  /// Whether it could start at an earlier time than this one.
  bool fitsBefore(const Placing &placing, int time) const;
  /// Whether the time is the end of a decided activity, or the beginning.
  bool isEvent(int time) const;
  /// The first end behind `time`, or -1.
  int nextEvent(int time) const;
  /// Whether nothing runs on the machine from `time` on, and nothing is fetched
  /// into its memory.
  bool isBlank(int machine, int time) const;

private:
  struct Item {
    int start, end, machine;
    const Way *way;
  };
  struct Holding {
    int machine, start;
    /// The least end, and the end as long as nothing says that it comes
    /// earlier.
    int leastEnd, end;
    int64_t bytes;
  };
  bool lanesFit(const Placing &placing, int start, int end) const;
  bool machineFits(const Placing &placing, int start, int end) const;
  /// Whether there is room, with `until` as the ends: the least ends, or ends
  /// that are late enough for sure.
  bool memoryFits(const Placing &placing, int start, int end,
                  int Holding::*until) const;
  int readyTime(const Placing &placing) const;

  const Model &model;
  std::vector<Item> items;
  std::vector<Holding> holdings;
};

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_DECIDEDUSE_H
