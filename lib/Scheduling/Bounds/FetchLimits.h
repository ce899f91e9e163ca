//===- FetchLimits.h - What limits fetching ahead ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts whose sources were fetched ahead are shorter. Memory engines move only
// so many bytes in a cycle, and private memory holds only so many: each limit
// is a quantity of which parts need some, and of which there is only so much in
// a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H
#define LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H

#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// Of more tasks bounds are those that are found fast.
inline constexpr size_t mostTasksLookedAtClosely = 20'000;

/// One way to run a part.
struct PartRun {
  const Part *part;
  const EngineGroup *engine; ///< of this group
  unsigned fetched;          ///< source i was, if bit i is set
  int64_t cycles;            ///< that it takes at least
  int64_t needBytes;         ///< of private memory, slices and all
};

/// What was fetched before anything of some tasks starts.
struct HeldAhead {
  int64_t bytes = 0;       ///< of a resource
  int64_t sliceBytes = 0;  ///< of private memory
  int64_t fetchCycles = 0; ///< of one slice, where no resource is given
};

class FetchLimit {
public:
  /// Memory engines move so many bytes of the resource in a cycle: `roomShare`
  /// is 0. While a part runs, no more is fetched for its engine than fits
  /// beside it: `roomShare` is 1, of all engines together. Between these: the
  /// mean of both, weighted so.
  static FetchLimit ofBytes(const Problem &problem, size_t resource,
                            double roomShare);
  /// Private memory holds a slice from the start of its fetch to the end of its
  /// part. What takes more than j of `shares` + 1 equal shares of it counts as
  /// j, of which `shares` fit at any time (a dual feasible function: Fekete,
  /// Schepers, "New classes of fast lower bounds for bin packing problems",
  /// 2001). Of 0 shares: bytes count as they are.
  static FetchLimit ofRoom(const Problem &problem, int64_t shares);

  /// Of one run.
  double amountOf(const PartRun &run) const;
  /// For so many engines.
  double perCycle(double engines) const;
  double heldAhead(const HeldAhead &held, double engines) const;

  /// The resource, of a limit on its bytes.
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

/// All that are looked at, of very many tasks none of room. None at all without
/// a memory engine.
std::vector<FetchLimit> findFetchLimits(const Problem &problem);

/// The most that all private memories can hold, in bytes of the resource where
/// one is given; nothing: any number.
std::optional<HeldAhead> mostHeldAhead(const Problem &problem,
                                       std::optional<size_t> resource,
                                       Cuts cuts);

/// On the fastest memory engine; nothing if there is none that can.
std::optional<int64_t> fetchCycles(const Problem &problem,
                                   const Source &source);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDS_FETCHLIMITS_H
