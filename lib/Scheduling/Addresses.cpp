//===- Addresses.cpp - Where data lies in private memory ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One part runs at a time on an engine: its working set lies at the upper end
// of the private memory. Slices are packed from the lower end. So of all
// working sets only the largest counts for a slice: it limits where the slice
// may end.
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

/// A fetched slice: it lives in cycles [start, end) and must end at or below
/// `limit`.
struct Slice {
  size_t slot = 0, fetch = 0;
  int64_t start = 0, end = 0;
  int64_t bytes = 0;
  int64_t limit = 0;
};

/// The largest of a range of numbers, in O(log n).
class RangeMaximum {
public:
  explicit RangeMaximum(const std::vector<int64_t> &values)
      : count(values.size()), tree(2 * values.size(), 0) {
    std::copy(values.begin(), values.end(), tree.begin() + count);
    for (size_t i = count; i-- > 1;)
      tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
  }
  /// Of [first, last); 0 for none.
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

/// The slices of one engine get addresses.
class Packing {
public:
  explicit Packing(std::vector<Slice> slices);

  /// Takes the order with which everything fits, or else misses least; the
  /// bytes that are missing.
  int64_t run();

  const std::vector<Slice> &slices() const { return all; }
  int64_t addressOf(size_t slice) const { return addresses[slice]; }

private:
  /// One after the other, as they start to live.
  void packByStart();
  /// The largest first, each at the lowest address that is free for as long as
  /// it lives. False where too many live at a time.
  bool packBySize();
  bool findNeighbours(std::vector<std::vector<size_t>> &neighbours) const;
  int64_t countMissing() const;

  std::vector<Slice> all; ///< by start
  std::vector<int64_t> addresses;
};

} // namespace

Packing::Packing(std::vector<Slice> slices)
    : all(std::move(slices)), addresses(all.size(), 0) {
  std::sort(all.begin(), all.end(), [](const Slice &a, const Slice &b) {
    return std::tie(a.start, a.slot, a.fetch) <
           std::tie(b.start, b.slot, b.fetch);
  });
}

int64_t Packing::countMissing() const {
  int64_t missing = 0;
  for (size_t i = 0; i < all.size(); ++i)
    missing = std::max(missing, addresses[i] + all[i].bytes - all[i].limit);
  return missing;
}

int64_t Packing::run() {
  packByStart();
  int64_t missing = countMissing();
  if (missing == 0)
    return 0;
  std::vector<int64_t> byStart = addresses;
  if (packBySize() && countMissing() < missing)
    return countMissing();
  addresses = std::move(byStart);
  return missing;
}

void Packing::packByStart() {
  FreeRanges free;
  using Live = std::pair<int64_t, size_t>; // end, slice
  std::priority_queue<Live, std::vector<Live>, std::greater<Live>> live;
  for (size_t i = 0; i < all.size(); ++i) {
    for (; !live.empty() && live.top().first <= all[i].start; live.pop()) {
      size_t ended = live.top().second;
      free.giveBack(addresses[ended], all[ended].bytes);
    }
    addresses[i] = free.take(all[i].bytes, all[i].limit);
    live.push({all[i].end, i});
  }
}

/// Of each slice those that live at the same time, as long as they are few.
bool Packing::findNeighbours(
    std::vector<std::vector<size_t>> &neighbours) const {
  constexpr size_t maxNeighbours = 64; // of a slice, on average
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

bool Packing::packBySize() {
  std::vector<std::vector<size_t>> neighbours;
  if (!findNeighbours(neighbours))
    return false;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return all[a].bytes > all[b].bytes;
  });
  std::vector<bool> isPlaced(all.size(), false);
  for (size_t slice : order) {
    std::vector<std::pair<int64_t, int64_t>> taken; // from, to
    for (size_t other : neighbours[slice])
      if (isPlaced[other])
        taken.push_back(
            {addresses[other], addresses[other] + all[other].bytes});
    std::sort(taken.begin(), taken.end());
    int64_t address = 0;
    for (auto [from, to] : taken) {
      if (from - address >= all[slice].bytes)
        break;
      address = std::max(address, to);
    }
    addresses[slice] = address;
    isPlaced[slice] = true;
  }
  return true;
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
  /// The slots of one engine, by start.
  void placeEngine(const std::vector<size_t> &slots);
  std::vector<Slice> collectSlices(const std::vector<size_t> &slots) const;
  int64_t workingSetOf(const Slot &slot) const {
    return slot.start == slot.end
               ? 0
               : workingSetWith(numbers.part(slot.task, slot.part),
                                slot.prefetches);
  }

  const Problem &problem;
  PartNumbers numbers;
  const Solution &solution;
  Addresses addresses;
};
} // namespace

std::vector<Slice>
Allocator::collectSlices(const std::vector<size_t> &slots) const {
  std::vector<int64_t> starts, ends, workingSets;
  for (size_t index : slots) {
    const Slot &slot = solution.slots[index];
    if (slot.start == slot.end)
      continue;
    starts.push_back(slot.start);
    ends.push_back(slot.end);
    workingSets.push_back(workingSetOf(slot));
  }
  RangeMaximum largest(workingSets);
  std::vector<Slice> slices;
  for (size_t index : slots) {
    const Slot &slot = solution.slots[index];
    const Part &part = numbers.part(slot.task, slot.part);
    for (size_t fetch = 0; fetch < slot.prefetches.size(); ++fetch) {
      Slice slice;
      slice.slot = index;
      slice.fetch = fetch;
      slice.start = slot.prefetches[fetch].start;
      slice.end = slot.start == slot.end ? slot.end + 1 : slot.end;
      slice.bytes = part.sources[slot.prefetches[fetch].source].sliceBytes;
      // Of slots that do not overlap, those that it meets are neighbours.
      size_t first = std::upper_bound(ends.begin(), ends.end(), slice.start) -
                     ends.begin();
      size_t last = std::lower_bound(starts.begin(), starts.end(), slice.end) -
                    starts.begin();
      slice.limit = problem.engines[slot.engine.group].privateBytes -
                    largest.of(first, std::max(first, last));
      if (slice.bytes > 0)
        slices.push_back(slice);
    }
  }
  return slices;
}

void Allocator::placeEngine(const std::vector<size_t> &slots) {
  EngineId engine = solution.slots[slots.front()].engine;
  Packing packing(collectSlices(slots));
  if (int64_t missing = packing.run()) {
    addresses.shortages.push_back({engine, missing});
    return;
  }
  for (size_t index : slots) {
    const Slot &slot = solution.slots[index];
    addresses.ofSlots[index] = SlotAddresses{
        problem.engines[engine.group].privateBytes - workingSetOf(slot),
        std::vector<int64_t>(slot.prefetches.size(), 0)};
  }
  for (size_t i = 0; i < packing.slices().size(); ++i) {
    const Slice &slice = packing.slices()[i];
    addresses.ofSlots[slice.slot]->slices[slice.fetch] = packing.addressOf(i);
  }
}

Addresses Allocator::run() {
  std::vector<size_t> order(solution.slots.size());
  std::iota(order.begin(), order.end(), 0);
  auto keyOf = [&](size_t index) {
    const Slot &slot = solution.slots[index];
    return std::tuple(slot.engine.group, slot.engine.index, slot.start,
                      slot.end, index);
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return keyOf(a) < keyOf(b); });
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last < order.size() && solution.slots[order[last]].engine ==
                                      solution.slots[order[first]].engine)
      ++last;
    placeEngine({order.begin() + first, order.begin() + last});
    first = last;
  }
  return std::move(addresses);
}

Addresses allocateAddresses(const Problem &problem, const Solution &solution) {
  return Allocator(problem, solution).run();
}

} // namespace mlir::llm::scheduling
