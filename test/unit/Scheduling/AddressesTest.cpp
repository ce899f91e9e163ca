//===- AddressesTest.cpp - Where data lies in private memory --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Addresses.h"
#include "RandomProblems.h"

#include <map>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

namespace {

/// One engine "npu" with so much private memory, and slots on it that are
/// written down: addresses need no more of a schedule than its times and sizes.
class OnePlace {
public:
  explicit OnePlace(int64_t privateBytes) : problem(machine(1)) {
    problem.engines[0].privateBytes = privateBytes;
    problem.engines.push_back({"dma", memory, 8, {1024}, 0});
  }

  /// A part in [start, end) with a working set and, if it has bytes, a slice
  /// that is fetched from `fetchStart` on.
  OnePlace &add(int64_t start, int64_t end, int64_t workingSet,
                int64_t fetchStart = 0, int64_t slice = 0) {
    unsigned index = problem.tasks.size();
    Task added = task("t" + std::to_string(index), matrix, end - start, 0);
    added.parts[0].workingSetBytes = workingSet;
    Slot slot{index, 0, {0, 0}, start, end, {0}, {}};
    if (slice > 0) {
      added.parts[0].sources = {{"w", {1}, slice}};
      slot.prefetches = {{0, {1, 0}, fetchStart, fetchStart + 1, {1}}};
    }
    problem.tasks.push_back(added);
    solution.slots.push_back(slot);
    return *this;
  }

  Addresses allocate() const { return allocateAddresses(problem, solution); }

  Problem problem;
  Solution solution;
};

/// A range of bytes in a range of cycles.
struct Box {
  int64_t start, end, from, to;
  bool overlaps(const Box &other) const {
    return start < other.end && other.start < end && from < other.to &&
           other.from < to;
  }
};

} // namespace

/// Compares every pair: what overlaps in time and place, or leaves the memory.
static std::string findFault(const Problem &problem, const Solution &solution,
                             const Addresses &addresses) {
  std::map<std::pair<unsigned, int64_t>, std::vector<Box>> boxes;
  for (size_t i = 0; i < solution.slots.size(); ++i) {
    const Slot &slot = solution.slots[i];
    if (!addresses.ofSlots[i])
      continue;
    const SlotAddresses &place = *addresses.ofSlots[i];
    const Part &part = problem.tasks[slot.task].parts[slot.part];
    std::vector<Box> &own = boxes[{slot.engine.group, slot.engine.index}];
    if (slot.start < slot.end)
      own.push_back({slot.start, slot.end, place.workingSet,
                     place.workingSet + workingSetWith(part, slot.prefetches)});
    for (size_t f = 0; f < slot.prefetches.size(); ++f)
      own.push_back({slot.prefetches[f].start, slot.end, place.slices[f],
                     place.slices[f] +
                         part.sources[slot.prefetches[f].source].sliceBytes});
  }
  for (const auto &[engine, own] : boxes)
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i].from < 0 ||
          own[i].to > problem.engines[engine.first].privateBytes)
        return "outside: " + std::to_string(own[i].from);
      for (size_t j = 0; j < i; ++j)
        if (own[i].overlaps(own[j]))
          return "overlap at " + std::to_string(own[i].from);
    }
  return "";
}

// The working set of 30 lies at the upper end, the slice at the lower one.
TEST(Addresses, workingSetsAboveSlices) {
  Addresses addresses = OnePlace(100).add(5, 9, 30, 2, 40).allocate();
  ASSERT_TRUE(addresses.shortages.empty());
  EXPECT_EQ(addresses.ofSlots[0]->workingSet, 70);
  EXPECT_EQ(addresses.ofSlots[0]->slices, std::vector<int64_t>{0});
}

// a: 40 in cycles 0 to 10; b: 20 in 1 to 30; c: 40 in 10 to 20, as a has ended:
// its place; d: 10 in 10 to 40 beside them, behind b.
TEST(Addresses, roomThatWasGivenBackIsTakenAgain) {
  OnePlace place(80);
  place.add(5, 10, 0, 0, 40).add(25, 30, 0, 1, 20).add(15, 20, 0, 10, 40);
  place.add(35, 40, 0, 10, 10);
  Addresses addresses = place.allocate();
  ASSERT_TRUE(addresses.shortages.empty());
  std::vector<int64_t> slices;
  for (const auto &slot : addresses.ofSlots)
    slices.push_back(slot->slices[0]);
  EXPECT_EQ(slices, (std::vector<int64_t>{0, 40, 0, 60}));
}

// a: 10 in 0 to 5, b: 20 in 1 to 20, c: 30 in 6 to 20, of 50. As they start: a
// at 0, b at 10 to 30, c does not fit into the hole of 10, nor behind b. The
// largest first: c at 0 to 30, b at 30 to 50, a at 0.
TEST(Addresses, theLargestFirstWhereTheEarliestFirstFails) {
  OnePlace place(50);
  place.add(4, 5, 0, 0, 10).add(18, 19, 0, 1, 20).add(19, 20, 0, 6, 30);
  Addresses addresses = place.allocate();
  ASSERT_TRUE(addresses.shortages.empty());
  EXPECT_EQ(addresses.ofSlots[0]->slices[0], 0);
  EXPECT_EQ(addresses.ofSlots[1]->slices[0], 30);
  EXPECT_EQ(addresses.ofSlots[2]->slices[0], 0);
}

/// Whether any addresses at all are right, by trying all.
static bool canPack(const std::vector<Box> &lives, int64_t capacity,
                    std::vector<Box> &placed) {
  if (placed.size() == lives.size())
    return true;
  Box box = lives[placed.size()];
  for (; box.to <= capacity; ++box.from, ++box.to) {
    bool isFree =
        std::none_of(placed.begin(), placed.end(),
                     [&](const Box &other) { return box.overlaps(other); });
    placed.push_back(box);
    if (isFree && canPack(lives, capacity, placed))
      return true;
    placed.pop_back();
  }
  return false;
}

// Seven slices that take at most 7 bytes at any time (cycle by cycle 7, 7, 7,
// 7, 7, 7, 7, 4), and for which no addresses below 7 exist. Found by a search.
TEST(Addresses, fragmentationIsSaid) {
  std::vector<Box> lives = {{0, 1, 0, 4}, {0, 2, 0, 3}, {1, 4, 0, 2},
                            {1, 5, 0, 2}, {2, 6, 0, 2}, {4, 7, 0, 3},
                            {6, 8, 0, 4}};
  std::vector<Box> placed;
  ASSERT_FALSE(canPack(lives, 7, placed));
  ASSERT_TRUE(canPack(lives, 8, placed));
  for (int64_t capacity : {7, 9}) {
    OnePlace place(capacity);
    for (const Box &live : lives)
      place.add(live.end - 1, live.end, 0, live.start, live.to);
    Addresses addresses = place.allocate();
    EXPECT_EQ(findFault(place.problem, place.solution, addresses), "");
    if (capacity > 7) {
      EXPECT_TRUE(addresses.shortages.empty());
      continue;
    }
    ASSERT_EQ(addresses.shortages.size(), 1u);
    EXPECT_GE(addresses.shortages[0].missingBytes, 1);
    EXPECT_LE(addresses.shortages[0].missingBytes, 2);
    EXPECT_FALSE(addresses.ofSlots[0]);
  }
}

// Memories that are full most of the time: nearly all can be packed, and what
// cannot is said, with the bytes that are missing and without addresses.
TEST(Addresses, aFullMemoryIsPackedOrSaidToBeTooSmall) {
  Dice dice(7);
  constexpr int64_t capacity = 12, slots = 9;
  unsigned rounds = 4000, shortages = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    OnePlace place(capacity);
    std::vector<int64_t> held(slots, 0);
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t start = dice.between(0, slot);
      int64_t most =
          *std::max_element(held.begin() + start, held.begin() + slot + 1);
      if (most == capacity)
        continue;
      int64_t bytes = dice.between(1, capacity - most);
      for (int64_t cycle = start; cycle <= slot; ++cycle)
        held[cycle] += bytes;
      place.add(slot, slot + 1, 0, start, bytes);
    }
    Addresses addresses = place.allocate();
    ASSERT_EQ(findFault(place.problem, place.solution, addresses), "");
    for (const AddressShortage &shortage : addresses.shortages) {
      ++shortages;
      EXPECT_GT(shortage.missingBytes, 0);
      EXPECT_FALSE(addresses.ofSlots[0]);
      // With these bytes more, the same order has room.
      place.problem.engines[0].privateBytes += shortage.missingBytes;
      EXPECT_TRUE(place.allocate().shortages.empty());
    }
  }
  EXPECT_GT(shortages, 0u);
  EXPECT_LT(shortages, rounds / 10);
}

// Valid schedules of random problems, every pair of ranges compared.
TEST(Addresses, nothingOverlapsInRandomSchedules) {
  Dice dice(11);
  unsigned slices = 0, shortages = 0;
  for (int round = 0; round < 5000; ++round) {
    Problem problem = ProblemMaker(dice).make();
    if (!problem.check().empty())
      continue;
    Solution solution = RandomScheduler(problem, dice).run();
    if (!verify(problem, solution).empty())
      continue;
    Problem resolved = spellOut(problem, solution);
    Addresses addresses = allocateAddresses(resolved, solution);
    ASSERT_EQ(findFault(resolved, solution, addresses), "") << round;
    shortages += addresses.shortages.size();
    for (const Slot &slot : solution.slots)
      slices += slot.prefetches.size();
  }
  EXPECT_GT(slices, 1000u);
  EXPECT_LT(shortages, slices / 20);
}
