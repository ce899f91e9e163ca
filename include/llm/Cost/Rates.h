//===- Rates.h - How fast one engine does its work --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_RATES_H
#define LLM_COST_RATES_H

#include "llm/Cost/OpOnTarget.h"

namespace mlir::llm {

/// Returns the cycles of all arithmetic if the op runs uncut on its engine.
/// Stages run one after the other. The kinds of work within a stage run side by
/// side. With several engines, the busiest one counts. Fails if an engine has
/// no rate for a kind of work, or for the element type of a contraction.
FailureOr<int64_t> computeCycles(const OpOnTarget &context);
/// Does the same as if a product of any size filled the arrays. A share of the
/// iterations never takes less than the same share of these cycles.
FailureOr<int64_t> computeCyclesWithoutGranules(const OpOnTarget &context);
/// Does the same in tiles of these sizes, one for each loop. `tilesInFlow`
/// tiles do not depend on each other, so that several engines can work on
/// different ones at a time. If there is only one, the engines wait for each
/// other.
FailureOr<int64_t> computeCyclesInTiles(const OpOnTarget &context,
                                        ArrayRef<int64_t> tileSizes,
                                        int64_t tilesInFlow = 1);

/// Returns the cycles in which `bytes` pass through one engine's port to a
/// shared memory, or in which arithmetic uses them in a private one. They are 0
/// for a memory without a rate. Returns nothing if they do not fit into 64
/// bits.
std::optional<int64_t> memoryCycles(const OpOnTarget &context,
                                    const Memory &memory, int64_t bytes);
/// Returns the smallest rate of one engine's ports to the shared memories.
int64_t slowestPortBytesPerSecond(const OpOnTarget &context);

/// What a target's power limit allows one op: a burst takes more, until the
/// limit acts.
struct PowerLimit {
  PowerLimit() = default;
  explicit PowerLimit(const Target &target);
  /// Returns the fewest seconds in which an op may take so much energy. They
  /// are 0 without a limit.
  double secondsOf(double joules) const;
  /// Returns the seconds of an op that takes so much energy at the full clock,
  /// and so long without a limit.
  double secondsOf(double joules, double unlimitedSeconds) const;
  /// Returns the most energy that an op may take within these seconds.
  double joulesWithin(double seconds) const;
  /// Returns how long an op takes which at the full clock takes `unlimited` and
  /// would need `limit` for its energy, in the unit of both. If its energy
  /// follows the clock, to which share s must that fall? Power goes with
  /// s^(4/3), so s = (unlimited / limit)^(3/4).
  double stretched(double limit, double unlimited) const;

  double watts = 0; ///< above idle; 0 without a limit
  double burstShare = 1, burstSeconds = 0;
  bool energyFollowsClock = false;
};

/// Returns the fewest cycles in which an op may take this energy, which is that
/// at the full clock, if it takes so many cycles without a limit. It is nothing
/// if they do not fit into 64 bits.
std::optional<int64_t> powerCycles(const Target &target, int64_t picojoules,
                                   int64_t unlimitedCycles);
/// Returns the fewest cycles of work that takes this energy at the full clock,
/// and without a limit at least so many cycles, however it is cut into ops,
/// each with a burst of its own.
std::optional<int64_t>
leastPowerCycles(const Target &target, int64_t picojoules, int64_t leastCycles);
/// Returns the energy of the multiply-accumulates and of the bytes in each
/// memory that they pass, rounded up. `bytes` has an entry for each shared
/// memory, in the order of the target. Bytes that pass the nearest one pass the
/// private memory, too. Returns nothing on overflow.
std::optional<int64_t> energyPicojoules(const OpOnTarget &context, int64_t macs,
                                        ArrayRef<int64_t> bytes,
                                        int64_t cachedBytes);

/// Returns what is assumed about the target, as sentences for remarks. If the
/// engine has no rate for the element type of the contraction, a sentence names
/// the type whose rate is used instead.
SmallVector<std::string> describeAssumptions(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_COST_RATES_H
