//===- TraceLanes.cpp - Slices of a track that overlap --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/TraceLanes.h"

using namespace mlir;
using namespace mlir::llm;

unsigned TraceLanes::begin(unsigned track, int64_t end) {
  SmallVector<Lane, 1> &candidates = lanes[track];
  for (Lane &lane : candidates) {
    if (!lane.ends.empty() && lane.ends.back() < end)
      continue;
    lane.ends.push_back(end);
    return lane.track;
  }
  const TraceTrack &own = layout.tracks[track];
  sink.addTrack(
      {own.group, own.name + " overlap " + std::to_string(candidates.size())});
  candidates.push_back({nextTrack, {end}});
  return nextTrack++;
}

unsigned TraceLanes::end(unsigned track, int64_t end) {
  Lane *lane = llvm::find_if(lanes[track], [&](const Lane &candidate) {
    return !candidate.ends.empty() && candidate.ends.back() == end;
  });
  lane->ends.pop_back();
  return lane->track;
}
