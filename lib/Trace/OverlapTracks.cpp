//===- OverlapTracks.cpp - Slices of a track that overlap -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OverlapTracks.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// NumberRow
//===----------------------------------------------------------------------===//

void NumberRow::update(size_t node) {
  nodes[node] = {std::min(nodes[2 * node].least, nodes[2 * node + 1].least),
                 std::max(nodes[2 * node].most, nodes[2 * node + 1].most)};
}

void NumberRow::push_back(int64_t number) {
  if (count == leaves) {
    std::vector<Node> grown(leaves ? 4 * leaves : 2);
    std::copy_n(nodes.begin() + leaves, leaves,
                grown.begin() + grown.size() / 2);
    nodes = std::move(grown);
    leaves = nodes.size() / 2;
    for (size_t node = leaves; node-- > 1;)
      update(node);
  }
  set(count++, number);
}

void NumberRow::set(size_t place, int64_t number) {
  size_t node = leaves + place;
  nodes[node] = {number, number};
  while (node /= 2)
    update(node);
}

template <typename Holds>
size_t NumberRow::findFirst(Holds holds) const {
  if (count == 0 || !holds(nodes[1]))
    return count;
  size_t node = 1;
  while (node < leaves)
    node = holds(nodes[2 * node]) ? 2 * node : 2 * node + 1;
  return node - leaves;
}

size_t NumberRow::findAtLeast(int64_t number) const {
  return findFirst([&](const Node &node) { return node.most >= number; });
}

size_t NumberRow::findAtMost(int64_t number) const {
  return findFirst([&](const Node &node) { return node.least <= number; });
}

//===----------------------------------------------------------------------===//
// OverlapTracks
//===----------------------------------------------------------------------===//

static constexpr int64_t noEnd = INT64_MAX;

void OverlapTracks::Track::add(unsigned track) {
  open.push_back({track, {}});
  nextEnds.push_back(noEnd);
}

unsigned OverlapTracks::Track::push(size_t place, int64_t end) {
  open[place].ends.push_back(end);
  nextEnds.set(place, end);
  return open[place].track;
}

unsigned OverlapTracks::Track::pop(size_t place) {
  SmallVectorImpl<int64_t> &ends = open[place].ends;
  ends.pop_back();
  nextEnds.set(place, ends.empty() ? noEnd : ends.back());
  return open[place].track;
}

unsigned OverlapTracks::begin(unsigned number, int64_t end) {
  Track &track = tracks[number];
  size_t place = track.nextEnds.findAtLeast(end);
  if (place < track.open.size())
    return track.push(place, end);
  const TraceTrack &own = layout.tracks[number];
  sink.addTrack(
      {own.group, own.name + " overlap " + std::to_string(track.open.size())});
  track.add(nextTrack++);
  return track.push(place, end);
}

unsigned OverlapTracks::end(unsigned number, int64_t end) {
  Track &track = tracks[number];
  size_t place = track.nextEnds.findAtMost(end);
  assert(place < track.open.size() && track.nextEnds[place] == end &&
         "no slice that ends then has begun");
  return track.pop(place);
}
