//===- TileTraffic.h - How long the bytes of a tiling take ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PLANNING_TILETRAFFIC_H
#define LLM_LIB_PLANNING_TILETRAFFIC_H

#include "llm/Cost/OpOnTarget.h"
#include "llm/Cost/TileModel.h"

namespace mlir::llm {

/// Counts what tilings of an op move, as bytes of the slowest memory that take
/// as long. With one memory these are just its bytes. The search calls this
/// millions of times.
class TileTraffic {
public:
  /// For each buffer, the loops that bring its tiles back (see
  /// `TileModel::returningLoops`).
  using Returning = SmallVector<SmallVector<unsigned, 2>, 4>;
  /// What memories keep for those behind them: what this tiling allows, or all
  /// that any tiling could.
  enum class Kept { ByTiling, All };

  /// The op must outlive it.
  explicit TileTraffic(const OpOnTarget &context);

  const TileModel &model() const { return tiles; }

  /// Returns the loops that bring tiles back if those of the tiling follow each
  /// other in its order.
  Returning returningLoops(const Tiling &tiling) const;
  /// Says whether all orders of loops with the same returning ones move the
  /// same bytes. A memory on the way keeps inner loops whole, whatever returns.
  bool followsReturningLoops() const { return !keepsAny; }
  /// Returns nothing if the count is above `most`, or does not exist.
  std::optional<int64_t> countBytes(const Tiling &tiling,
                                    const Returning &returning, int64_t most,
                                    Kept kept = Kept::ByTiling) const;
  /// Whether that many bytes have cycles below 2^61.
  bool areCyclesCountable(int64_t bytes) const;
  /// Bytes of each buffer through the last memory.
  FailureOr<SmallVector<int64_t, 4>> bytesOfBuffers(const Tiling &tiling) const;

private:
  std::optional<int64_t> countNearBytes(const Tiling &tiling,
                                        const Returning &returning,
                                        int64_t most) const;
  /// The time of the slowest memory, and a little of the others', so that among
  /// tilings that take equally long, those that move less are better. Returns
  /// nothing if it is above `most`.
  std::optional<int64_t> countTime(const Tiling &tiling,
                                   const Returning &returning, int64_t most,
                                   Kept kept) const;
  /// The sum over all buffers, as `count` has them.
  Count countAll(function_ref<Count(unsigned)> count) const;

  const OpOnTarget &context;
  TileModel tiles;
  /// For each memory that engines share, from near to far: the part of its rate
  /// that an engine gets if all work, and the room before it.
  SmallVector<int64_t, 2> rates, rooms;
  bool keepsAny = false; ///< whether there is any such room
  int64_t slowestRate = 0;
  int64_t tileRate = 0; ///< of the memory of the tiles; 0: no limit
};

} // namespace mlir::llm

#endif // LLM_LIB_PLANNING_TILETRAFFIC_H
