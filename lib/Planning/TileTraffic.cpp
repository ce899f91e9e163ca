//===- TileTraffic.cpp - How long the bytes of a tiling take --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileTraffic.h"
#include "llm/Cost/Movement.h"
#include "llm/Cost/Rates.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

TileTraffic::TileTraffic(const OpOnTarget &context)
    : context(context), tiles(context.op, context.workload),
      rooms(roomsInFront(*context.target)),
      keepsAny(llvm::any_of(rooms, [](int64_t room) { return room > 0; })) {
  const Target &target = *context.target;
  for (const Memory *memory : target.sharedMemories())
    rates.push_back(std::max<int64_t>(
        1, std::min(target.portBytesPerSecond(*context.engine, *memory),
                    memory->usableBytesPerSecond() / context.countTeams())));
  slowestRate = *llvm::min_element(rates);
  if (const Memory *own = context.tileMemory())
    tileRate = own->usableBytesPerSecond();
}

bool TileTraffic::areCyclesCountable(int64_t bytes) const {
  return ceilMulDiv(bytes, context.target->clockHz, 1, slowestRate).has_value();
}

Count TileTraffic::countAll(function_ref<Count(unsigned)> count) const {
  Count bytes = int64_t(0);
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    bytes = plus(bytes, count(buffer));
  return bytes;
}

TileTraffic::Returning TileTraffic::returningLoops(const Tiling &tiling) const {
  Returning returning;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    returning.push_back(tiles.returningLoops(tiling, buffer));
  return returning;
}

std::optional<int64_t> TileTraffic::countTime(const Tiling &tiling,
                                              const Returning &returning,
                                              int64_t most, Kept kept) const {
  constexpr int64_t shareOfOthers = 64;
  int64_t longest = 0, others = 0;
  auto add = [&](Count bytes, int64_t rate) {
    std::optional<int64_t> time = succeeded(bytes)
                                      ? ceilMulDiv(*bytes, slowestRate, 1, rate)
                                      : std::nullopt;
    if (!time || *time > most || *time > maxCount - others)
      return false;
    others += std::min(*time, longest);
    longest = std::max(*time, longest);
    return true;
  };
  for (auto [rate, room] : llvm::zip_equal(rates, rooms)) {
    bool movesOnce = kept == Kept::All && room > 0;
    std::optional<Tiling> far;
    if (room > 0 && !movesOnce)
      far = tiles.growTilesInto(room, tiling);
    Count bytes = countAll([&](unsigned buffer) {
      if (movesOnce)
        return tiles.compulsoryBytes(buffer);
      return far ? tiles.trafficBytes(*far, buffer)
                 : tiles.trafficBytesWith(returning[buffer], tiling, buffer);
    });
    if (!add(bytes, rate))
      return std::nullopt;
  }
  auto use = [&](unsigned buffer) { return tiles.usedBytes(tiling, buffer); };
  if (tileRate > 0 && !add(countAll(use), tileRate))
    return std::nullopt;
  int64_t time = longest + others / shareOfOthers;
  return time <= most ? std::optional<int64_t>(time) : std::nullopt;
}

std::optional<int64_t> TileTraffic::countBytes(const Tiling &tiling,
                                               const Returning &returning,
                                               int64_t most, Kept kept) const {
  // If no memory keeps anything, the same bytes pass all memories.
  return keepsAny || tileRate > 0 ? countTime(tiling, returning, most, kept)
                                  : countNearBytes(tiling, returning, most);
}

std::optional<int64_t> TileTraffic::countNearBytes(const Tiling &tiling,
                                                   const Returning &returning,
                                                   int64_t most) const {
  int64_t bytes = 0;
  for (auto [buffer, loops] : llvm::enumerate(returning)) {
    Count moved = tiles.trafficBytesWith(loops, tiling, buffer);
    // Both terms are below a quarter of what 64 bits hold.
    if (failed(moved) || (bytes += *moved) > most)
      return std::nullopt;
  }
  return bytes;
}

FailureOr<SmallVector<int64_t, 4>>
TileTraffic::bytesOfBuffers(const Tiling &tiling) const {
  SmallVector<int64_t, 4> bytes;
  std::optional<Tiling> kept;
  if (rooms.back() > 0)
    kept = tiles.growTilesInto(rooms.back(), tiling);
  const Tiling &far = kept ? *kept : tiling;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count moved = tiles.trafficBytes(far, buffer);
    if (failed(moved))
      return failure();
    bytes.push_back(*moved);
  }
  return bytes;
}
