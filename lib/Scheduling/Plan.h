//===- Plan.h - What every run of the list scheduler shares -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_PLAN_H
#define LLM_LIB_SCHEDULING_PLAN_H

#include "Parts.h"

namespace mlir::llm::scheduling {

/// A part that may start: highest rank first, then program order.
struct Ready {
  int64_t rank;
  size_t part;
  bool operator<(const Ready &other) const {
    return rank != other.rank ? rank > other.rank : part < other.part;
  }
};

/// The parts of a problem without alternatives, and in which order they matter.
struct Plan {
  PartTable table;
  std::vector<std::vector<unsigned>> successors;
  /// Of each part: the longest way from its start to the end of all.
  std::vector<int64_t> rank;
  /// All parts, highest rank first. Nothing waits for what stands behind it.
  std::vector<Ready> order;
  /// Parts that can run on the same groups wait in one queue, so that those
  /// that wait for a busy kind of engine hide no others.
  std::vector<unsigned> queueOfPart;
  std::vector<std::vector<unsigned>> groupsOfQueue;

  /// Nothing on overflow.
  static std::optional<Plan> make(const Problem &problem);
};

/// Cycles that no task is shorter than, from its first start to its last end:
/// its longest part, all parts over the engines that can run them, and the
/// joining part behind them, with these cycles of each entry of `parts`.
std::optional<int64_t> spanOf(const Problem &problem, const Task &task,
                              const std::vector<Part> &parts, bool lastCombines,
                              const std::vector<int64_t> &cycles);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_PLAN_H
