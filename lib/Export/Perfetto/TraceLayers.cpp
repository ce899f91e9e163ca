//===- TraceLayers.cpp - Layers of a model over time ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceLayers.h"
#include "llm/Support/ModuleNames.h"

#include <queue>
#include <set>

using namespace mlir;
using namespace mlir::llm;

TraceLayers::TraceLayers(const Timeline &timeline) : timeline(timeline) {
  lanes = visitItems(timeline.program().items(), 0);
}

ArrayRef<unsigned> TraceLayers::beginIn(const ProgramItem &stretch) const {
  auto known = begins.find(&stretch);
  if (known == begins.end())
    return {};
  return known->second;
}

std::string TraceLayers::nameOf(const LayerSpan &span,
                                ArrayRef<int64_t> iterations) const {
  if (!span.name.empty())
    return timeline.expandName(span.name, span.firstOp, iterations);
  std::string first = timeline.nameOf(span.firstOp, iterations);
  if (span.firstOp == span.lastOp)
    return first;
  return first + " .. " + timeline.nameOf(span.lastOp, iterations);
}

void TraceLayers::addOp(unsigned op, LayerSpan &span) {
  auto slots = timeline.program().ops()[op].op->getAttrOfType<SlotsAttr>(
      LlmDialect::slotsAttrName);
  for (SlotRunAttr run : slots.getRuns()) {
    int64_t shift = (run.getCount() - 1) * run.getStartStride();
    span.startCycle = std::min(span.startCycle, run.getStartCycle());
    span.endCycle = std::max(span.endCycle, run.getEndCycle() + shift);
  }
  ++span.ops;
  span.lastOp = op;
}

size_t TraceLayers::addSpan(const ProgramItem &stretch, LayerSpan span) {
  begins[&stretch].push_back(all.size());
  all.push_back(std::move(span));
  return all.size() - 1;
}

/// Returns the module right below the layer that the op belongs to. It is empty
/// for an op of the layer itself.
static std::string moduleInLayer(StringRef op, StringRef layer) {
  std::string module = moduleOf(op);
  size_t depth = partsOfModule(layer).size();
  std::vector<std::string_view> parts = partsOfModule(module);
  if (parts.size() <= depth || !StringRef(module).starts_with(layer))
    return "";
  return module.substr(0, parts[depth].data() + parts[depth].size() -
                              module.data());
}

void TraceLayers::addModule(const ProgramItem &stretch, unsigned op,
                            size_t layer, Known &known) {
  std::string module =
      moduleInLayer(timeline.program().ops()[op].name, all[layer].name);
  if (module.empty())
    return;
  auto [at, isNew] = known.try_emplace(module, 0);
  if (isNew)
    at->second = addSpan(stretch, {module, op, op, layer});
  addOp(op, all[at->second]);
}

/// `known` has the layers and modules of the loop's body so far.
void TraceLayers::addStretch(const ProgramItem &stretch, Known &known) {
  std::optional<size_t> outside;
  for (unsigned op : stretch.ops) {
    std::string layer = layerOf(timeline.program().ops()[op].name);
    if (layer.empty()) {
      if (!outside)
        outside = addSpan(stretch, {"", op, op});
      addOp(op, all[*outside]);
      continue;
    }
    auto [at, isNew] = known.try_emplace(layer, 0);
    if (isNew)
      at->second = addSpan(stretch, {layer, op, op});
    addOp(op, all[at->second]);
    addModule(stretch, op, at->second, known);
  }
}

/// Modules are slices on the track of their layer, so none may begin before
/// the one ahead of it has ended.
void TraceLayers::hideOverlapping(ArrayRef<size_t> spans) {
  std::map<size_t, std::vector<size_t>> modules; // by layer
  for (size_t number : spans)
    if (all[number].layer)
      modules[*all[number].layer].push_back(number);
  for (auto &[layer, inside] : modules) {
    llvm::stable_sort(inside, [&](size_t a, size_t b) {
      return all[a].startCycle < all[b].startCycle;
    });
    bool overlaps = false;
    for (size_t i = 1; i < inside.size(); ++i)
      overlaps |= all[inside[i]].startCycle < all[inside[i - 1]].endCycle;
    for (size_t number : inside) {
      all[number].isHidden = overlaps;
      all[number].lane = all[layer].lane;
    }
  }
}

/// Returns the number of lanes that the items take: the body of a loop, or the
/// whole program.
unsigned TraceLayers::visitItems(ArrayRef<ProgramItem> items,
                                 int64_t bodyStart) {
  Known known;
  std::vector<Room> rooms;
  std::vector<size_t> own;
  for (const ProgramItem &item : items) {
    size_t first = all.size();
    if (!item.isLoop()) {
      addStretch(item, known);
      for (size_t number = first; number < all.size(); ++number)
        own.push_back(number);
      continue;
    }
    const TimedLoop &loop = timeline.loops()[nextLoop++];
    unsigned needed = visitItems(item.body, loop.startCycle);
    int64_t start = loop.startCycle - bodyStart;
    if (needed > 0)
      rooms.push_back({start, start + loop.trips * loop.periodCycles, needed,
                       first, all.size()});
  }
  for (size_t number : own) // by now they have their ends
    if (!all[number].isModule())
      rooms.push_back({all[number].startCycle, all[number].endCycle, 1, number,
                       number + 1});
  unsigned needed = placeRooms(std::move(rooms));
  hideOverlapping(own);
  return needed;
}

/// Returns the first of `count` neighbouring lanes that are free. The highest
/// ones may be new.
static unsigned findLanes(const std::set<unsigned> &free, unsigned count,
                          unsigned lanes) {
  unsigned first = lanes, length = 0;
  for (unsigned lane : free) {
    bool isNext = length > 0 && lane == first + length;
    first = isNext ? first : lane;
    length = isNext ? length + 1 : 1;
    if (length == count)
      return first;
  }
  return length > 0 && first + length == lanes ? first : lanes;
}

/// Gives each room the lowest lanes that are free. Of rooms that start together
/// the longest one chooses first.
unsigned TraceLayers::placeRooms(std::vector<Room> rooms) {
  llvm::stable_sort(rooms, [](const Room &a, const Room &b) {
    return std::tie(a.startCycle, b.endCycle) <
           std::tie(b.startCycle, a.endCycle);
  });
  using Busy = std::pair<int64_t, unsigned>; // end, lane
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  std::set<unsigned> free;
  unsigned used = 0;
  for (const Room &room : rooms) {
    for (; !busy.empty() && busy.top().first <= room.startCycle; busy.pop())
      free.insert(busy.top().second);
    unsigned first = findLanes(free, room.lanes, used);
    used = std::max(used, first + room.lanes);
    for (unsigned lane = first; lane < first + room.lanes; ++lane) {
      free.erase(lane);
      busy.push({room.endCycle, lane});
    }
    for (size_t number = room.first; number < room.last; ++number)
      all[number].lane += first;
  }
  return used;
}
