//===- LiveValues.h - What lies in memory at a time -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values between ops lie in the last shared memory. Each lies there from the
// start of the op that makes it to the end of the last op that uses it. Ops run
// as their slots say, or, before there are slots, one after the other in the
// order of the program.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_LIVEVALUES_H
#define LLM_PLANNING_LIVEVALUES_H

#include "llm/Cost/CostModel.h"
#include "llm/Program/Program.h"

#include <array>
#include <limits>

namespace mlir::llm {

/// Says how values would grow if sequences were longer.
struct Growth {
  int64_t keys = 0;        ///< keys of each sequence now; 0: unknown
  bool isOfTokens = false; ///< the number of new tokens would grow as well
};

/// Bytes that do not grow, that grow with the length of the sequences, and that
/// grow with its square (in this order).
struct GrowingBytes {
  std::array<int64_t, 3> byDegree = {};

  int64_t total() const { return byDegree[0] + byDegree[1] + byDegree[2]; }
};

/// What lies in memory at one moment, beside weights and caches.
struct Moment {
  GrowingBytes values;
  int64_t workspaceBytes = 0; ///< partial results of reductions that are cut

  int64_t totalBytes() const { return values.total() + workspaceBytes; }
};

/// The time at which a moment begins.
struct MomentPlace {
  /// The first op of a stretch, or a loop; null: the start of the function.
  Operation *item = nullptr;
  int64_t cycle = 0; ///< from the start of the stretch, or one of these:
  /// Just before or after a loop. The initial values of a loop live up to its
  /// start, and all else that it uses lives until it ends.
  static constexpr int64_t beforeItem = -1,
                           afterItem = std::numeric_limits<int64_t>::max();
};

/// Calls `visit` whenever the values in memory change, and at least once.
/// Visits one iteration of each loop. Fails with a diagnostic if bytes do not
/// fit into 64 bits, or a tile does not fit its op.
LogicalResult
forEachMoment(const Program &program, const Target &target,
              const Growth &growth,
              function_ref<void(const Moment &, const MomentPlace &)> visit);

} // namespace mlir::llm

#endif // LLM_PLANNING_LIVEVALUES_H
