//===- CollectiveModelTest.cpp - Times of collectives, by hand ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memory of 1 TB/s moves 1,000 bytes in a nanosecond, and a link of 100 GB/s
// passes 100 on. The comments derive what is expected from that.
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Cost/Kernels/ExpertExchange.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr int64_t giga = 1000000000;
constexpr double memoryRate = 1e12;

Link makeLink(StringRef name, int64_t gigabytesPerSecond, int64_t devices) {
  Link link;
  link.name = name.str();
  link.bytesPerSecond = gigabytesPerSecond * giga;
  link.devices = devices;
  return link;
}

Target makeTarget(std::vector<Link> links) {
  Target target;
  target.links = std::move(links);
  Memory dram;
  dram.name = "dram";
  dram.bytesPerSecond = int64_t(memoryRate);
  target.memories.push_back(dram);
  return target;
}

Collective neighbours(CollectiveKind kind, int64_t chips, int64_t bytes) {
  Collective group{kind, chips, chips, bytes};
  group.axes.push_back({chips, 1});
  return group;
}

double timeOf(const Collective &collective, const Target &target) {
  return timeCollective(collective, target).nanoseconds;
}

//===----------------------------------------------------------------------===//
// Protocols of a ring
//===----------------------------------------------------------------------===//

CollectiveTime reduceOver(const Link &link, int64_t chips, int64_t bytes) {
  return timeCollective(CollectiveKind::AllReduce, chips, bytes, link,
                        memoryRate);
}

// Of 2 chips, an all-reduce of S bytes passes on S in 2 steps of 500 ns: in
// 9,000 + S / 1 GB/s with low latency, or in 10,000 + S / 50 GB/s.
TEST(Ring, Lines) {
  Link link = makeLink("board", 100, 8);
  link.bandwidthNanoseconds = 20000;
  link.stepNanoseconds = 500;
  link.lowLatencyNanoseconds = 8000;
  link.lowLatencyBytesPerSecond = giga;
  link.ll128Nanoseconds = 9000;
  link.ll128BytesPerSecond = 50 * giga;
  auto time = [&](int64_t bytes) {
    return reduceOver(link, 2, bytes).nanoseconds;
  };
  EXPECT_NEAR(time(500), 9500, 1e-6);
  EXPECT_NEAR(time(2000), 10040, 1e-6);
  EXPECT_EQ(reduceOver(link, 2, 2000).startNanoseconds, 9000);
  link.lowLatencyBytesPerSecond.reset(); // one does not need the other
  EXPECT_NEAR(time(500), 10010, 1e-6);
}

// Of 4 chips, each sends 3 MB to 3 others: in 6,000 + 3 x 100 + 3 MB / 10 GB/s,
// or in 15,000 + 3 MB / 50 GB/s and 2 MB of memory. 3,000 bytes take 6,600 ns.
TEST(Ring, Exchange) {
  Link link = makeLink("board", 100, 8);
  link.lowLatencyBytesPerSecond = 100 * giga; // of rings
  link.exchangeNanoseconds = 6000;
  link.exchangePeerNanoseconds = 100;
  link.exchangeLowLatencyBytesPerSecond = 10 * giga;
  link.exchangeBandwidthNanoseconds = 15000;
  link.exchangeBytesPerSecond = 50 * giga;
  auto time = [&](int64_t bytes) {
    return timeCollective(CollectiveKind::AllToAll, 4, bytes, link, memoryRate)
        .nanoseconds;
  };
  EXPECT_NEAR(time(4000), 6600, 1e-6);
  EXPECT_NEAR(time(4000000), 77000, 1e-6);
  link.exchangeBytesPerSecond.reset(); // as a ring
  EXPECT_NEAR(time(4000), 30, 1e-6);
}

//===----------------------------------------------------------------------===//
// The all-reduce of serving stacks
//===----------------------------------------------------------------------===//

/// A ring starts in 20 us. One shot and two take 3 and 4 us, and 0.1 and 0.2
/// for each other chip.
Link makeShots() {
  Link link = makeLink("board", 100, 8);
  link.bandwidthNanoseconds = 20000;
  link.oneShotNanoseconds = 3000;
  link.oneShotPeerNanoseconds = 100;
  link.oneShotBytesPerSecond = 50 * giga;
  link.twoShotNanoseconds = 4000;
  link.twoShotPeerNanoseconds = 200;
  link.twoShotBytesPerSecond = 80 * giga;
  return link;
}

// Of 4 chips, one shot of 1,000 bytes reads 3,000 at 50 GB/s: 60 ns.
TEST(Shots, One) {
  CollectiveTime time = reduceOver(makeShots(), 4, 1000);
  EXPECT_EQ(time.startNanoseconds, 3000);
  EXPECT_DOUBLE_EQ(time.nanoseconds, 3000 + 3 * 100 + 60);
  EXPECT_EQ(*time.countSentBytes(1000), 3000);
}

// Two shots of 100,000 bytes read 2 x 75,000 at 80 GB/s: 1,875 ns. One would
// read 300,000 at 50: 6,000.
TEST(Shots, Two) {
  CollectiveTime time = reduceOver(makeShots(), 4, 100000);
  EXPECT_EQ(time.startNanoseconds, 4000);
  EXPECT_DOUBLE_EQ(time.nanoseconds, 4000 + 3 * 200 + 1875);
  EXPECT_EQ(*time.countSentBytes(100000), 150000);
}

// Above the most bytes the ring counts: it passes 1.5 x 120,000 at 100 GB/s,
// and its memory moves 2 x 30,000.
TEST(Shots, MostBytes) {
  Link link = makeShots();
  link.shotMostBytes = 100000;
  EXPECT_DOUBLE_EQ(reduceOver(link, 4, 100000).nanoseconds, 6475);
  EXPECT_DOUBLE_EQ(reduceOver(link, 4, 120000).nanoseconds, 20000 + 1800 + 60);
}

// Only an all-reduce is made in shots.
TEST(Shots, OtherKinds) {
  EXPECT_DOUBLE_EQ(timeCollective(CollectiveKind::AllGather, 4, 1000,
                                  makeShots(), memoryRate)
                       .nanoseconds,
                   20000 + 7.5 + 0.5);
}

// What a library has stands over the link's own figures: by default, or where
// it is chosen. Another one has those of the link.
TEST(Shots, DefaultLibrary) {
  Link board = makeLink("board", 100, 8), own = makeShots();
  board.bandwidthNanoseconds = 20000;
  own.name = "board@stack";
  own.bandwidthNanoseconds = std::nullopt;
  Target target = makeTarget({board, own});
  Collective sum = neighbours(CollectiveKind::AllReduce, 4, 1000);
  constexpr double ring = 20000 + 15 + 0.5, shot = 3360;
  EXPECT_DOUBLE_EQ(timeOf(sum, target), ring);
  target.links[1].isDefault = 1;
  EXPECT_DOUBLE_EQ(timeOf(sum, target), shot);
  for (auto [library, expected] : {std::pair<StringRef, double>("", shot),
                                   {"stack", shot},
                                   {"nccl", ring}}) {
    Target selected = target;
    selectKernels(selected, library, /*replayed=*/false);
    EXPECT_DOUBLE_EQ(timeOf(sum, selected), expected) << library.str();
  }
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

constexpr int64_t half = 524288; // bytes

Target makeRack() {
  return makeTarget({makeLink("board", 100, 4), makeLink("rack", 10, 16)});
}

// Two boards of 4. Inside, 3/4 of 524,288 bytes pass at 100 GB/s (3,932.16 ns)
// and 2 x 131,072 through memory (262.144), twice. Across, 131,072 pass at 10
// GB/s (13,107.2), and 2 x 65,536 through memory.
TEST(Levels, AllReduce) {
  CollectiveTime time = timeCollective(
      neighbours(CollectiveKind::AllReduce, 8, half), makeRack());
  EXPECT_NEAR(time.nanoseconds, 2 * (3932.16 + 262.144) + 13107.2 + 131.072,
              1e-6);
  EXPECT_EQ(*time.countSentBytes(half), 131072); // over the rack
}

// Four boards. Across, 3/4 of 131,072 bytes pass.
TEST(Levels, ScatterAndGather) {
  for (CollectiveKind kind :
       {CollectiveKind::ReduceScatter, CollectiveKind::AllGather}) {
    CollectiveTime time =
        timeCollective(neighbours(kind, 16, half), makeRack());
    EXPECT_NEAR(time.nanoseconds, 3932.16 + 262.144 + 9830.4 + 65.536, 1e-6);
    EXPECT_EQ(*time.countSentBytes(half), 98304);
  }
}

// 12 of 16 pieces cross the rack (39,321.6 ns), while 3 stay on the board.
TEST(Levels, AllToAll) {
  CollectiveTime time = timeCollective(
      neighbours(CollectiveKind::AllToAll, 16, half), makeRack());
  EXPECT_NEAR(time.nanoseconds, 39321.6 + 65.536, 1e-6);
  EXPECT_EQ(*time.countSentBytes(half), 393216);
}

// One chip of each board: nothing is near. 3/2 of the bytes cross the rack.
TEST(Levels, OneOfEachBoard) {
  Collective group{CollectiveKind::AllReduce, 4, 13, half};
  group.axes.push_back({4, 4});
  EXPECT_NEAR(timeOf(group, makeRack()), 78643.2 + 262.144, 1e-6);
  group.axes.clear(); // equally far apart
  EXPECT_NEAR(timeOf(group, makeRack()), 78643.2 + 262.144, 1e-6);
}

// Levels cost a start each, so little goes all at once: 15/16 of 1,600 bytes
// at 10 GB/s, and 2 x 100 through memory.
TEST(Levels, FlatIfFaster) {
  Target rack = makeRack();
  rack.links[0].bandwidthNanoseconds = 5000;
  rack.links[1].bandwidthNanoseconds = 2000;
  EXPECT_DOUBLE_EQ(
      timeOf(neighbours(CollectiveKind::AllGather, 16, 1600), rack),
      2000 + 150 + 0.2);
}

TEST(Levels, CountAmong) {
  Collective group{CollectiveKind::AllReduce, 8, 20, 1};
  group.axes = {{2, 16}, {4, 1}}; // of a grid of 2 x 4 x 4
  EXPECT_EQ(group.countAmong(1), 1);
  EXPECT_EQ(group.countAmong(2), 2);
  EXPECT_EQ(group.countAmong(4), 4);
  EXPECT_EQ(group.countAmong(16), 4);
  EXPECT_EQ(group.countAmong(32), 8);
}

//===----------------------------------------------------------------------===//
// Without switches
//===----------------------------------------------------------------------===//

constexpr int64_t million = 1000000;

// Three wires of 50 GB/s. Two chips have one: 1,000,000 bytes take 20,000 ns,
// and 1,000 in memory. Four chips pass 1,500,000 over all.
TEST(Wires, FullyConnected) {
  Link link = makeLink("hive", 150, 4);
  link.fullyConnected = 1;
  EXPECT_DOUBLE_EQ(reduceOver(link, 2, million).nanoseconds, 20000 + 1000);
  EXPECT_DOUBLE_EQ(reduceOver(link, 4, million).nanoseconds, 10000 + 500);
  // Everybody is one step away, there and back.
  link.lowLatencyBytesPerSecond = 150 * giga;
  link.stepNanoseconds = 1;
  EXPECT_DOUBLE_EQ(reduceOver(link, 4, million).nanoseconds, 10000 + 2);
}

/// 4 x 4 chips with four wires of 100 GB/s.
Target makeTorus() {
  Link link = makeLink("ici", 400, 16);
  link.torusX = link.torusY = 4;
  return makeTarget({link});
}

// A ring along x or y has two wires, and a part of it one.
TEST(Wires, Torus) {
  Target torus = makeTorus();
  Collective row = neighbours(CollectiveKind::AllGather, 4, million);
  EXPECT_DOUBLE_EQ(timeOf(row, torus), 3750 + 500);
  Collective column = row;
  column.span = 13;
  column.axes = {{4, 4}};
  EXPECT_DOUBLE_EQ(timeOf(column, torus), 3750 + 500);
  EXPECT_DOUBLE_EQ(
      timeOf(neighbours(CollectiveKind::AllGather, 2, million), torus),
      5000 + 1000);
  EXPECT_DOUBLE_EQ(
      timeOf(neighbours(CollectiveKind::AllGather, 16, million), torus),
      2343.75 + 125);
}

// Half of what 8 chips have crosses the 8 wires between them and the others:
// 4,000,000 bytes at 800 GB/s.
TEST(Wires, TorusIsCutInHalf) {
  EXPECT_DOUBLE_EQ(
      timeOf(neighbours(CollectiveKind::AllToAll, 16, million), makeTorus()),
      5000 + 125);
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

TEST(Experts, ChipsOfAToken) {
  EXPECT_DOUBLE_EQ(chipsOfRandomExperts(4, 1), 1);
  EXPECT_DOUBLE_EQ(chipsOfRandomExperts(4, 2), 1.75);      // 4 (1 - 9 / 16)
  EXPECT_DOUBLE_EQ(chipsOfRandomExperts(2, 8), 1.9921875); // 2 (1 - 1 / 256)
  EXPECT_DOUBLE_EQ(chipsOfSpreadExperts(4, 8), 4);
  EXPECT_DOUBLE_EQ(chipsOfSpreadExperts(16, 8), 8);
}

// 5,000,000 bytes, of which 3/4 are for or of other chips: 3,750,000 bytes at
// 500 GB/s take 7,500 ns.
TEST(Experts, Exchange) {
  Link link = makeLink("board", 600, 4);
  link.expertDispatchNanoseconds = 10000;
  link.expertDispatchPeerNanoseconds = 300;
  link.expertDispatchBytesPerSecond = 500 * giga;
  constexpr int64_t bytes = 5000000;
  CollectiveTime time = timeCollective(CollectiveKind::ExpertDispatch, 4, bytes,
                                       link, memoryRate);
  EXPECT_EQ(time.startNanoseconds, 10000);
  EXPECT_DOUBLE_EQ(time.nanoseconds, 10000 + 3 * 300 + 7500);
  // The way back has no figures: it is an all-to-all at 600 GB/s, and memory
  // moves 2 x 1,250,000.
  EXPECT_DOUBLE_EQ(timeCollective(CollectiveKind::ExpertCombine, 4, bytes, link,
                                  memoryRate)
                       .nanoseconds,
                   6250 + 2500);
}

//===----------------------------------------------------------------------===//
// What no link may break
//===----------------------------------------------------------------------===//

class RandomLinks {
public:
  explicit RandomLinks(unsigned seed) : generator(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  }
  bool oneIn(int64_t count) { return between(1, count) == 1; }

  /// A near link, and one that is at most half as fast and starts later, of the
  /// same protocols. A switch that makes sums has less to do with more chips.
  Target make() {
    Link near = makeLink("near", between(50, 400), 4);
    auto rate = [&](std::optional<int64_t> &figure) {
      if (!oneIn(3))
        figure = near.bytesPerSecond / between(1, 4);
    };
    auto start = [&](std::optional<int64_t> &figure) {
      if (!oneIn(4))
        figure = between(0, 30000);
    };
    for (std::optional<int64_t> Link::*each :
         {&Link::sustainedBytesPerSecond, &Link::lowLatencyBytesPerSecond,
          &Link::ll128BytesPerSecond, &Link::oneShotBytesPerSecond,
          &Link::twoShotBytesPerSecond, &Link::exchangeBytesPerSecond,
          &Link::exchangeLowLatencyBytesPerSecond})
      rate(near.*each);
    for (std::optional<int64_t> Link::*each : starts)
      start(near.*each);
    if (oneIn(2))
      near.shotMostBytes = between(1, 10000000);
    Link far = withRates(near, 1.0 / double(between(2, 20)));
    far.name = "far";
    far.devices = 64;
    for (std::optional<int64_t> Link::*each : starts)
      far.*each = (near.*each).value_or(0) + between(0, 10000);
    return makeTarget({near, far});
  }

  static constexpr std::optional<int64_t> Link::*starts[] = {
      &Link::lowLatencyNanoseconds,  &Link::stepNanoseconds,
      &Link::ll128Nanoseconds,       &Link::bandwidthNanoseconds,
      &Link::oneShotNanoseconds,     &Link::oneShotPeerNanoseconds,
      &Link::twoShotNanoseconds,     &Link::twoShotPeerNanoseconds,
      &Link::exchangeNanoseconds,    &Link::exchangePeerNanoseconds,
      &Link::exchangeBandwidthNanoseconds};

private:
  std::mt19937 generator;
};

unsigned seedOf(unsigned test) {
  return test +
         1000 * unsigned(testing::UnitTest::GetInstance()->random_seed());
}

// More bytes, more chips, slower starts and slower rates never take less.
TEST(Monotone, AllOfThem) {
  for (unsigned test = 0; test < 2000; ++test) {
    RandomLinks random(seedOf(test));
    Target target = random.make();
    int64_t chips = int64_t(1) << random.between(1, 5);
    int64_t bytes = int64_t(1) << random.between(4, 30);
    bytes += random.between(0, bytes);
    for (CollectiveKind kind : allCollectiveKinds) {
      SCOPED_TRACE("test " + std::to_string(test) + ", " +
                   std::string(stringify(kind)) + " of " +
                   std::to_string(bytes) + " bytes, " + std::to_string(chips) +
                   " chips");
      double time = timeOf(neighbours(kind, chips, bytes), target);
      auto expectMore = [&](int64_t moreChips, int64_t moreBytes,
                            const Target &slower, StringRef what) {
        double more = timeOf(neighbours(kind, moreChips, moreBytes), slower);
        EXPECT_GE(more, time * (1 - 1e-9)) << what.str();
      };
      expectMore(chips, bytes + random.between(1, bytes), target, "bytes");
      expectMore(2 * chips, bytes, target, "chips");
      for (Link &link : target.links) {
        Target slower = target;
        Link &changed = slower.links[size_t(&link - target.links.data())];
        changed = withRates(link, 0.7);
        expectMore(chips, bytes, slower, "rates");
        changed = link;
        for (std::optional<int64_t> Link::*start : RandomLinks::starts) {
          changed.*start = (link.*start).value_or(0) + 500;
          expectMore(chips, bytes, slower, "starts");
        }
      }
    }
  }
}

// The same of rows that go to experts, by their own figures.
TEST(Monotone, Experts) {
  for (unsigned test = 0; test < 2000; ++test) {
    RandomLinks random(seedOf(test));
    Link link = random.make().links.front();
    if (random.oneIn(2)) {
      link.expertDispatchBytesPerSecond = random.between(10, 50) * giga;
      link.expertDispatchPeerNanoseconds = random.between(0, 1000);
    }
    int64_t chips = random.between(2, 63),
            bytes = random.between(1, 100 * 1000 * 1000);
    auto time = [&](int64_t chips, int64_t bytes) {
      return timeCollective(CollectiveKind::ExpertDispatch, chips, bytes, link,
                            memoryRate)
          .nanoseconds;
    };
    double now = time(chips, bytes) * (1 - 1e-9);
    EXPECT_GE(time(chips + 1, bytes), now) << test;
    EXPECT_GE(time(chips, bytes + random.between(1, bytes)), now) << test;
  }
}

} // namespace
