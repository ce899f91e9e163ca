//===- FetchLimits.h - What limits fetching ahead ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts whose sources were fetched ahead are shorter. Memory engines move only
// so many bytes in a cycle, and private memory holds only so many. Each limit
// is a quantity that parts need, and of which there is only so much in a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H
#define LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H

#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// With more tasks, only the bounds that are found fast are computed.
inline constexpr size_t mostTasksLookedAtClosely = 20'000;

/// One way to run a part.
struct PartRun {
  const Part *part;
  const EngineGroup *engine; ///< of this group
  unsigned fetched;          ///< bit i is set if source i was
  int64_t cycles;            ///< the least that it takes
  int64_t needBytes;         ///< of private memory, with slices
};

/// What was fetched before any of some tasks starts.
struct HeldAhead {
  int64_t bytes = 0;       ///< of a resource
  int64_t sliceBytes = 0;  ///< of private memory
  int64_t fetchCycles = 0; ///< of one slice, where no resource is given
};

class FetchLimit {
public:
  /// If `roomShare` is 0, the limit is that memory engines move only so many
  /// bytes of the resource in a cycle. If it is 1, the limit is that, while a
  /// part runs, no more is fetched for its engine than fits beside it. This
  /// counts for all engines together. Between these, it is the mean of both,
  /// weighted so.
  static FetchLimit ofBytes(const Problem &problem, size_t resource,
                            double roomShare);
  /// Private memory holds a slice from the start of its fetch to the end of its
  /// part. What takes more than j of `shares` + 1 equal shares of it counts as
  /// j. `shares` of these fit at any time (a dual feasible function: Fekete,
  /// Schepers, "New classes of fast lower bounds for bin packing problems",
  /// 2001). With 0 shares, bytes count as they are.
  static FetchLimit ofRoom(const Problem &problem, int64_t shares);

  /// The amount that one run needs.
  double amountOf(const PartRun &run) const;
  /// The amount that there is in a cycle, with so many engines.
  double perCycle(double engines) const;
  double heldAhead(const HeldAhead &held, double engines) const;

  /// The resource of a limit on bytes; nothing for a limit on room.
  std::optional<size_t> resource() const { return of; }
  bool isRoom() const { return !of || roomShare > 0; }

private:
  explicit FetchLimit(const Problem &problem) : problem(&problem) {}
  double shareOf(int64_t bytes, const EngineGroup &engine) const;

  const Problem *problem;
  std::optional<size_t> of;
  double roomShare = 0, bytesPerCycle = 0; ///< of bytes
  int64_t shares = 0;                      ///< of room
};

/// All limits that are looked at. With very many tasks there is none of room.
/// Without a memory engine there is none at all.
std::vector<FetchLimit> findFetchLimits(const Problem &problem);

/// The most that all private memories can hold, in bytes of the resource if one
/// is given. Nothing stands for any number.
std::optional<HeldAhead> mostHeldAhead(const Problem &problem,
                                       std::optional<size_t> resource,
                                       Cuts cuts);

/// The cycles in which the fastest memory engine fetches the source; nothing if
/// there is no memory engine that can.
std::optional<int64_t> fetchCycles(const Problem &problem,
                                   const Source &source);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H
