//===- OverlapTracks.h - Slices of a track that overlap ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_OVERLAPTRACKS_H
#define LLM_TRACE_OVERLAPTRACKS_H

#include "llm/Trace/TraceSink.h"

namespace mlir::llm {

/// The tracks that slices of one track are on: its own, and those for slices
/// that overlap others without lying in them, as a schedule that breaks a rule
/// or a measurement can have them. Viewers drop such slices or pair their ends
/// wrongly. Times are of any unit, in the order in which slices begin.
class OverlapTracks {
public:
  /// The layout and the sink must outlive it. All tracks are those of the
  /// layout so far.
  OverlapTracks(const TraceLayout &layout, TraceSink &sink)
      : layout(layout), sink(sink), tracks(layout.tracks.size()),
        nextTrack(layout.tracks.size()) {
    for (auto [track, own] : llvm::enumerate(tracks))
      own.push_back({unsigned(track), {}});
  }

  /// Where a slice goes that begins now; a new track where there is no room.
  unsigned begin(unsigned track, int64_t end);
  /// Where the innermost slice was that ends then.
  unsigned end(unsigned track, int64_t end);

private:
  struct Open {
    unsigned track;
    SmallVector<int64_t, 4> ends; ///< of slices under way
  };
  const TraceLayout &layout;
  TraceSink &sink;
  std::vector<SmallVector<Open, 1>> tracks; ///< of each track of the layout
  unsigned nextTrack;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OVERLAPTRACKS_H
