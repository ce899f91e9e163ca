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

/// A list of numbers. It finds the first large or small one in O(log n).
class NumberRow {
public:
  size_t size() const { return count; }
  void push_back(int64_t number);
  int64_t operator[](size_t place) const { return nodes[leaves + place].least; }
  void set(size_t place, int64_t number);
  /// These return the first place with such a number, or `size()` if there is
  /// none.
  size_t findAtLeast(int64_t number) const;
  size_t findAtMost(int64_t number) const;

private:
  struct Node {
    int64_t least = INT64_MAX, most = INT64_MIN;
  };
  template <typename Holds>
  size_t findFirst(Holds holds) const;
  void update(size_t node);

  size_t count = 0, leaves = 0;
  std::vector<Node> nodes; ///< a binary tree whose root is at 1
};

/// Chooses tracks for slices, so that slices on a track only nest. If slices of
/// a track overlap without nesting, some get further tracks. A measurement can
/// have such slices, and so can a schedule that breaks a rule. Viewers drop
/// them or pair their ends wrongly. Calls must be in the order of time, in any
/// unit. A slice takes O(log n) for n tracks.
class OverlapTracks {
public:
  /// The layout and the sink must outlive it. It begins with the tracks of the
  /// layout.
  OverlapTracks(const TraceLayout &layout, TraceSink &sink)
      : layout(layout), sink(sink), tracks(layout.tracks.size()),
        nextTrack(layout.tracks.size()) {
    for (auto [number, track] : llvm::enumerate(tracks))
      track.add(number);
  }

  /// Returns the track for a slice that begins now. It is a new track if no
  /// track has room.
  unsigned begin(unsigned track, int64_t end);
  /// Returns the track of the innermost slice that ends now.
  unsigned end(unsigned track, int64_t end);

private:
  /// A track of the layout, and further tracks for slices that overlap on it.
  struct Track {
    struct Open {
      unsigned track;
      SmallVector<int64_t, 4> ends; ///< the ends of the open slices
    };
    void add(unsigned track);
    unsigned push(size_t place, int64_t end);
    unsigned pop(size_t place);

    std::vector<Open> open;
    NumberRow nextEnds; ///< by track: the next end; INT64_MAX if none is open
  };
  const TraceLayout &layout;
  TraceSink &sink;
  std::vector<Track> tracks;
  unsigned nextTrack;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OVERLAPTRACKS_H
