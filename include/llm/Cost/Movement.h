//===- Movement.h - What a tiled op moves, and its room ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_MOVEMENT_H
#define LLM_COST_MOVEMENT_H

#include "llm/Cost/OpOnTarget.h"
#include "llm/Cost/TileModel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// The bytes that each buffer of the workload moves, and the room that its
/// tiles take.
struct Movement {
  using OfBuffers = SmallVector<int64_t, 4>;
  /// The bytes through each memory that engines share, in the order of the
  /// target (the nearest is first).
  SmallVector<OfBuffers, 2> bytes;
  /// The bytes of tiles that arithmetic reads and writes, if their memory has a
  /// rate.
  int64_t usedBytes = 0;
  /// The bytes that a collective sends over its link.
  int64_t sentBytes = 0;
  /// The buffers that already lie in the engine's private memory.
  llvm::SmallBitVector resident;
  int64_t workingSetBytes = 0;
  /// Whether the bytes already count each stage that reads rows.
  bool isPerStage = false;
};

/// Returns the number of tiles of each buffer that a level has room for. It is
/// 1 if the level does not say.
SmallVector<int64_t, 4> tilesHeld(const Workload &workload,
                                  TileLevelAttr level);

/// Returns for each memory that engines share, the nearest first: the largest
/// room for tiles of one engine in a memory before it (`bytesPerEngine`). 0 is
/// no room.
SmallVector<int64_t, 2> roomsInFront(const Target &target);

/// Returns for each of these memories the tiling that it sees: tiles as large
/// as the room before it can hold.
SmallVector<Tiling, 2> tilingsSeen(const Target &target, const TileModel &model,
                                   const Tiling &tiling);

/// Reads a level of a tile: finds its loops by their names, and their sizes.
FailureOr<Tiling> readTiling(const OpOnTarget &context, TileLevelAttr level);
/// Does the same for a part of an op whose tile has this level. Tiles are no
/// larger than the part.
FailureOr<Tiling> readTilingOfPart(const OpOnTarget &part, TileLevelAttr level);

/// Computes the movement through the tiles of the private memory, if there is
/// one. `hasUnits` says that the engine's units share the op. A tile that does
/// not fit the op, its target or the memory is an error.
FailureOr<Movement> moveTiled(const OpOnTarget &context, TileAttr tile,
                              bool hasUnits);

/// Computes the movement of every element once, streamed through as much of the
/// private memory as there is.
FailureOr<Movement> moveCompulsory(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_COST_MOVEMENT_H
