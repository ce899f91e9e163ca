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
      slowestRate(slowestPortBytesPerSecond(context)) {
  for (const Memory *memory : context.target->sharedMemories())
    portRates.push_back(
        context.target->portBytesPerSecond(*context.engine, *memory));
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

std::optional<int64_t> TileTraffic::countTime(const Tiling &tiling,
                                              Kept kept) const {
  constexpr int64_t shareOfOthers = 64;
  int64_t longest = 0, others = 0;
  auto add = [&](Count bytes, int64_t rate) {
    std::optional<int64_t> time = succeeded(bytes)
                                      ? ceilMulDiv(*bytes, slowestRate, 1, rate)
                                      : std::nullopt;
    if (!time || *time > maxCount - others)
      return false;
    others += std::min(*time, longest);
    longest = std::max(*time, longest);
    return true;
  };
  SmallVector<Tiling, 2> tilings =
      tilesOfMemories(*context.target, tiles, tiling);
  for (unsigned memory = 0; memory < portRates.size(); ++memory) {
    bool movesOnce = kept == Kept::All && memory > 0;
    Count bytes = countAll([&](unsigned buffer) {
      return movesOnce ? tiles.compulsoryBytes(buffer)
                       : tiles.trafficBytes(tilings[memory], buffer);
    });
    if (!add(bytes, portRates[memory]))
      return std::nullopt;
  }
  auto use = [&](unsigned buffer) { return tiles.usedBytes(tiling, buffer); };
  if (tileRate > 0 && !add(countAll(use), tileRate))
    return std::nullopt;
  return longest + others / shareOfOthers;
}

std::optional<int64_t> TileTraffic::countBytes(const Tiling &tiling,
                                               int64_t most, Kept kept) const {
  if (portRates.size() == 1 && tileRate == 0)
    return countNearBytes(tiling, most);
  std::optional<int64_t> time = countTime(tiling, kept);
  return time && *time <= most ? time : std::nullopt;
}

std::optional<int64_t> TileTraffic::countNearBytes(const Tiling &tiling,
                                                   int64_t most) const {
  int64_t bytes = 0;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count moved = tiles.trafficBytes(tiling, buffer);
    // Neither is above a quarter of what 64 bits hold.
    if (failed(moved) || (bytes += *moved) > most)
      return std::nullopt;
  }
  return bytes;
}

FailureOr<SmallVector<int64_t, 4>>
TileTraffic::bytesOfBuffers(const Tiling &tiling) const {
  SmallVector<int64_t, 4> bytes;
  Tiling far = tilesOfMemories(*context.target, tiles, tiling).back();
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count moved = tiles.trafficBytes(far, buffer);
    if (failed(moved))
      return failure();
    bytes.push_back(*moved);
  }
  return bytes;
}
