//===- Addresses.cpp - Where data lies in private memory ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most schedules are packed in one sweep. One part runs at a time on an engine,
// so its working set lies at the upper end of the private memory. Slices are
// packed from the lower end as they come. If that fails, all blocks get
// addresses one by one in some other order. Each gets the lowest address that
// is free for as long as it lives.
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Addresses.h"
#include "FreeRanges.h"
#include "PartNumbers.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

namespace mlir::llm::scheduling {

namespace {

/// A working set, or a fetched slice: it lives in cycles [start, end).
struct Block {
  size_t slot = 0;
  std::optional<size_t> fetch; ///< nothing: the working set
  int64_t start = 0, end = 0;
  int64_t slotStart = 0;
  int64_t bytes = 0;
  int64_t address = 0;

  int64_t cycles() const { return end - start; }
};

/// Blocks that share a memory get addresses.
class Packing {
public:
  Packing(std::vector<Block> blocks, int64_t capacity);

  /// Takes the order with which everything fits, or else the one that misses
  /// least. Returns the bytes that are missing.
  int64_t run();

  const std::vector<Block> &blocks() const { return all; }

private:
  /// Packs slices in the order of their starts, from the lower end on, as
  /// `take` says. Puts working sets at the upper end.
  template <typename Take>
  void packFromBothEnds(Take take);
  /// Returns the upper end of the room that each slice has under the working
  /// sets that it meets.
  std::vector<int64_t> limitSlices() const;

  /// Lists for each block the blocks that live at the same time. Returns false
  /// if these are many.
  bool findNeighbours();
  using Order = bool (*)(const Block &, const Block &);
  void packInOrder(Order isBefore);

  /// Packs with `pack` and keeps what misses least.
  template <typename Pack>
  void tryToPack(Pack pack);

  std::vector<Block> all; ///< by start
  int64_t capacity;
  std::vector<std::vector<size_t>> neighbours;
  std::vector<Block> best;
  int64_t missing = INT64_MAX; ///< with `best`
};

} // namespace

Packing::Packing(std::vector<Block> blocks, int64_t capacity)
    : all(std::move(blocks)), capacity(capacity) {
  auto keyOf = [](const Block &block) {
    return std::tuple(block.start, block.slotStart, block.slot, block.fetch);
  };
  std::sort(all.begin(), all.end(), [&](const Block &a, const Block &b) {
    return keyOf(a) < keyOf(b);
  });
}

template <typename Pack>
void Packing::tryToPack(Pack pack) {
  if (missing == 0)
    return;
  pack();
  int64_t peak = 0, lowest = 0;
  for (const Block &block : all) {
    peak = std::max(peak, block.address + block.bytes - capacity);
    lowest = std::min(lowest, block.address);
  }
  if (peak - lowest >= missing)
    return;
  missing = peak - lowest;
  best = all;
}

static bool isLarger(const Block &a, const Block &b) {
  return a.bytes > b.bytes;
}
static bool isLargerForLonger(const Block &a, const Block &b) {
  return static_cast<double>(a.bytes) * a.cycles() >
         static_cast<double>(b.bytes) * b.cycles();
}
static bool startsEarlier(const Block &a, const Block &b) {
  return a.start < b.start;
}

//===----------------------------------------------------------------------===//
// One sweep
//===----------------------------------------------------------------------===//

namespace {
/// The largest of a range of numbers, in O(log n).
class RangeMaximum {
public:
  explicit RangeMaximum(const std::vector<int64_t> &values)
      : count(values.size()), tree(2 * values.size(), 0) {
    std::copy(values.begin(), values.end(), tree.begin() + count);
    for (size_t i = count; i-- > 1;)
      tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
  }
  /// The largest of [first, last); 0 for none.
  int64_t of(size_t first, size_t last) const {
    int64_t maximum = 0;
    for (first += count, last += count; first < last; first /= 2, last /= 2) {
      if (first % 2)
        maximum = std::max(maximum, tree[first++]);
      if (last % 2)
        maximum = std::max(maximum, tree[--last]);
    }
    return maximum;
  }

private:
  size_t count;
  std::vector<int64_t> tree;
};
} // namespace

std::vector<int64_t> Packing::limitSlices() const {
  std::vector<int64_t> starts, ends, bytes;
  for (const Block &block : all)
    if (!block.fetch) {
      starts.push_back(block.start);
      ends.push_back(block.end);
      bytes.push_back(block.bytes);
    }
  RangeMaximum largest(bytes);
  std::vector<int64_t> limits;
  for (const Block &block : all) {
    // Parts do not overlap, so those that a slice meets are neighbours.
    size_t first =
        std::upper_bound(ends.begin(), ends.end(), block.start) - ends.begin();
    size_t last = std::lower_bound(starts.begin(), starts.end(), block.end) -
                  starts.begin();
    limits.push_back(capacity - largest.of(first, std::max(first, last)));
  }
  return limits;
}

template <typename Take>
void Packing::packFromBothEnds(Take take) {
  std::vector<int64_t> limits = limitSlices();
  FreeRanges free;
  using Live = std::pair<int64_t, size_t>; // end, block
  std::priority_queue<Live, std::vector<Live>, std::greater<Live>> live;
  int64_t tooHigh = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].fetch)
      continue;
    for (; !live.empty() && live.top().first <= all[i].start; live.pop()) {
      const Block &ended = all[live.top().second];
      free.giveBack(ended.address, ended.bytes);
    }
    all[i].address = take(free, all[i].bytes, limits[i]);
    live.push({all[i].end, i});
    tooHigh = std::max(tooHigh, all[i].address + all[i].bytes - limits[i]);
  }
  // Working sets lie above all slices, and so above the end if a slice is too
  // high.
  for (Block &block : all)
    if (!block.fetch)
      block.address = capacity - block.bytes + tooHigh;
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

bool Packing::findNeighbours() {
  constexpr size_t maxNeighbours = 64; // of a block, on average
  neighbours.resize(all.size());
  size_t pairs = 0;
  std::vector<size_t> live;
  for (size_t i = 0; i < all.size(); ++i) {
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](size_t other) {
                                return all[other].end <= all[i].start;
                              }),
               live.end());
    pairs += live.size();
    if (pairs > maxNeighbours * all.size())
      return false;
    for (size_t other : live) {
      neighbours[i].push_back(other);
      neighbours[other].push_back(i);
    }
    live.push_back(i);
  }
  return true;
}

void Packing::packInOrder(Order isBefore) {
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return isBefore(all[a], all[b]);
  });
  std::vector<bool> isPlaced(all.size(), false);
  for (size_t index : order) {
    std::vector<std::pair<int64_t, int64_t>> taken; // from, to
    for (size_t other : neighbours[index])
      if (isPlaced[other])
        taken.push_back(
            {all[other].address, all[other].address + all[other].bytes});
    std::sort(taken.begin(), taken.end());
    int64_t address = 0;
    for (auto [from, to] : taken) {
      if (from - address >= all[index].bytes)
        break;
      address = std::max(address, to);
    }
    all[index].address = address;
    isPlaced[index] = true;
  }
}

int64_t Packing::run() {
  // The solvers of this library fetch only what fits in this way.
  tryToPack([&] {
    packFromBothEnds([](FreeRanges &free, int64_t bytes, int64_t) {
      return free.takeLowest(bytes);
    });
  });
  tryToPack([&] {
    packFromBothEnds([](FreeRanges &free, int64_t bytes, int64_t limit) {
      return free.take(bytes, limit);
    });
  });
  if (missing > 0 && findNeighbours())
    for (Order order : {isLarger, isLargerForLonger, startsEarlier})
      tryToPack([&] { packInOrder(order); });
  all = std::move(best);
  return missing;
}

//===----------------------------------------------------------------------===//
// All engines
//===----------------------------------------------------------------------===//

namespace {
class Allocator {
public:
  Allocator(const Problem &problem, const Solution &solution)
      : problem(problem), numbers(problem), solution(solution) {
    addresses.ofSlots.resize(solution.slots.size());
  }
  Addresses run();

private:
  void placeEngine(EngineId engine, const std::vector<size_t> &slots);
  void collectBlocks(size_t index, std::vector<Block> &blocks) const;

  const Problem &problem;
  PartNumbers numbers;
  const Solution &solution;
  Addresses addresses;
};
} // namespace

void Allocator::collectBlocks(size_t index, std::vector<Block> &blocks) const {
  const Slot &slot = solution.slots[index];
  const Part &part = numbers.part(slot.task, slot.part);
  bool takesTime = slot.start < slot.end;
  if (int64_t bytes = workingSetWith(part, slot.prefetches);
      takesTime && bytes > 0)
    blocks.push_back(
        {index, std::nullopt, slot.start, slot.end, slot.start, bytes});
  for (size_t fetch = 0; fetch < slot.prefetches.size(); ++fetch)
    if (int64_t bytes = part.sources[slot.prefetches[fetch].source].sliceBytes)
      blocks.push_back({index, fetch, slot.prefetches[fetch].start,
                        takesTime ? slot.end : slot.end + 1, slot.start,
                        bytes});
}

void Allocator::placeEngine(EngineId engine, const std::vector<size_t> &slots) {
  std::vector<Block> blocks;
  for (size_t index : slots)
    collectBlocks(index, blocks);
  if (blocks.empty())
    return;
  Packing packing(std::move(blocks),
                  problem.engines[engine.group].privateBytes);
  if (int64_t missing = packing.run()) {
    addresses.shortages.push_back({engine, missing});
    return;
  }
  for (size_t index : slots) {
    size_t fetches = solution.slots[index].prefetches.size();
    addresses.ofSlots[index] = {0, std::vector<int64_t>(fetches, 0)};
  }
  for (const Block &block : packing.blocks()) {
    SlotAddresses &place = *addresses.ofSlots[block.slot];
    (block.fetch ? place.slices[*block.fetch] : place.workingSet) =
        block.address;
  }
}

Addresses Allocator::run() {
  std::vector<size_t> order(solution.slots.size());
  std::iota(order.begin(), order.end(), 0);
  auto engineOf = [&](size_t index) {
    EngineId engine = solution.slots[index].engine;
    return std::pair(engine.group, engine.index);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return engineOf(a) < engineOf(b);
  });
  for (auto first = order.begin(); first != order.end();) {
    auto last = std::find_if(first, order.end(), [&](size_t index) {
      return engineOf(index) != engineOf(*first);
    });
    placeEngine(solution.slots[*first].engine, {first, last});
    first = last;
  }
  return std::move(addresses);
}

Addresses allocateAddresses(const Problem &problem, const Solution &solution) {
  return Allocator(problem, solution).run();
}

} // namespace mlir::llm::scheduling
