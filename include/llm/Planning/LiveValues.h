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

/// How values would grow if sequences were longer.
struct Growth {
  int64_t keys = 0;        ///< number in each sequence now; 0: unknown
  bool isOfTokens = false; ///< new tokens would become as many more
};

/// Bytes that stay as they are, that grow with the length of the sequences, and
/// with its square.
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
  int64_t cycle = 0; ///< from the start of the stretch; or one of these:
  /// Just before or after a loop. What a loop starts with is handed to it
  /// before anything in it runs, and what else it uses stays until it ends.
  static constexpr int64_t beforeItem = -1,
                           afterItem = std::numeric_limits<int64_t>::max();
};

/// Calls `visit` whenever other things are in memory than before, and at least
/// once. Visits one iteration of each loop. Fails with a diagnostic if bytes do
/// not fit into 64 bits, or a tile does not fit its op.
LogicalResult
forEachMoment(const Program &program, const Target &target,
              const Growth &growth,
              function_ref<void(const Moment &, const MomentPlace &)> visit);

} // namespace mlir::llm

#endif // LLM_PLANNING_LIVEVALUES_H
