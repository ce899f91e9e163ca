//===- OverlapTracks.cpp - Slices of a track that overlap -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OverlapTracks.h"

using namespace mlir;
using namespace mlir::llm;

unsigned OverlapTracks::begin(unsigned track, int64_t end) {
  SmallVector<Open, 1> &candidates = tracks[track];
  for (Open &open : candidates) {
    if (!open.ends.empty() && open.ends.back() < end)
      continue;
    open.ends.push_back(end);
    return open.track;
  }
  const TraceTrack &own = layout.tracks[track];
  sink.addTrack(
      {own.group, own.name + " overlap " + std::to_string(candidates.size())});
  candidates.push_back({nextTrack, {end}});
  return nextTrack++;
}

unsigned OverlapTracks::end(unsigned track, int64_t end) {
  Open *open = llvm::find_if(tracks[track], [&](const Open &candidate) {
    return !candidate.ends.empty() && candidate.ends.back() == end;
  });
  assert(open != tracks[track].end() && "no slice that ends then has begun");
  open->ends.pop_back();
  return open->track;
}
