//===- CountsTest.cpp - Closed-form counts against enumeration ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Loops and buffers of the op are those of its description.
void expectSameShape(const Oracle &oracle, const Workload &workload) {
  ASSERT_EQ(oracle.loops.size(), workload.loops.size()) << oracle.text;
  for (size_t loop = 0; loop < oracle.loops.size(); ++loop) {
    EXPECT_EQ(oracle.loops[loop], workload.loops[loop].name) << oracle.text;
    EXPECT_EQ(oracle.extents[loop], workload.loops[loop].extent) << oracle.text;
    EXPECT_EQ(oracle.tileable[loop], workload.loops[loop].isTileable())
        << oracle.text;
  }
  ASSERT_EQ(oracle.buffers.size(), workload.buffers.size()) << oracle.text;
  for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer)
    EXPECT_EQ(oracle.buffers[buffer].name, workload.buffers[buffer].name)
        << oracle.text;
  ASSERT_EQ(oracle.stages.size(), workload.stages.size()) << oracle.text;
}

void expectSameCounts(const Oracle &oracle, OneOp &op, const Workload &workload,
                      const OracleBox &box) {
  std::string where = oracle.text;
  for (const Interval &interval : box)
    where += " [" + std::to_string(interval.begin) + "," +
             std::to_string(interval.end) + ")";
  for (size_t stage = 0; stage < oracle.stages.size(); ++stage)
    EXPECT_EQ(oracle.countPoints(stage, box),
              op.op.countPoints(workload, stage, box))
        << "stage " << workload.stages[stage].name << " of " << where;
  for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer)
    EXPECT_EQ(oracle.countElements(buffer, box),
              op.op.countElements(workload, buffer, box))
        << "buffer " << workload.buffers[buffer].name << " of " << where;
}

/// A box that is not empty, inside the iterations.
OracleBox randomBox(const Oracle &oracle, Random &random) {
  OracleBox box;
  for (int64_t extent : oracle.extents) {
    int64_t begin = random(0, extent - 1);
    box.push_back({begin, random(begin + 1, extent)});
  }
  return box;
}

/// The whole of 400 random ops, and 10 random boxes of each, count as
/// enumeration does.
TEST(CountsTest, RandomBoxesMatchEnumeration) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    expectSameShape(oracle, workload);
    expectSameCounts(oracle, op, workload, oracle.fullBox());
    for (int cut = 0; cut < 10; ++cut)
      expectSameCounts(oracle, op, workload, randomBox(oracle, random));
    if (HasFailure())
      return;
  }
}

/// Causal, with windows and with chunks that begin before, at and after the
/// first key.
std::vector<OracleMask> causalMasks() {
  std::vector<OracleMask> masks = {{true}};
  for (int64_t window : {1, 2, 3, 9})
    masks.push_back({true, window});
  for (int64_t chunk : {1, 2, 3, 9})
    for (int64_t firstKey : {0, 1, 2, 6})
      masks.push_back({true, 0, chunk, firstKey});
  return masks;
}

/// All intervals in [0, extent], empty ones included.
std::vector<Interval> intervalsOf(int64_t extent) {
  std::vector<Interval> intervals;
  for (int64_t begin = 0; begin <= extent; ++begin)
    for (int64_t end = begin; end <= extent; ++end)
      intervals.push_back({begin, end});
  return intervals;
}

/// Every box of queries and keys of a small causal attention, with and without
/// a prefix, empty ones included, counts as enumeration does.
TEST(CountsTest, EveryCausalBoxMatchesEnumeration) {
  for (auto [queries, keys] : {std::pair{4, 4}, {3, 5}, {1, 4}})
    for (const OracleMask &mask : causalMasks()) {
      Oracle oracle =
          attentionOracle("gqa_attn", 1, 1, 1, queries, keys, 1, mask);
      OneOp op(oracle.text);
      Workload workload = op.workload();
      OracleBox box = oracle.fullBox();
      size_t s = oracle.loop("s"), t = oracle.loop("t");
      for (int64_t s0 = 0; s0 <= queries; ++s0)
        for (int64_t s1 = s0; s1 <= queries; ++s1)
          for (int64_t t0 = 0; t0 <= keys; ++t0)
            for (int64_t t1 = t0; t1 <= keys; ++t1) {
              box[s] = {s0, s1};
              box[t] = {t0, t1};
              expectSameCounts(oracle, op, workload, box);
            }
    }
}

/// Every box of sequences, queries and keys of a small ragged batch, empty ones
/// included, counts as enumeration does: sequences have as many keys as the
/// tensors or fewer, and begin at positions of their own.
TEST(CountsTest, EveryRaggedBoxMatchesEnumeration) {
  std::vector<OracleMask> masks = causalMasks();
  masks.push_back({});
  for (OracleMask mask : masks)
    for (auto [first, second] : {std::pair{4, 2}, {2, 3}}) {
      mask.lengths = {first, second};
      if (mask.chunk)
        mask.firstKeys = {mask.firstKey, mask.firstKey + 1};
      Oracle oracle = attentionOracle("gqa_attn", 2, 1, 1, 2, 4, 1, mask,
                                      /*sinksAndCap=*/true);
      OneOp op(oracle.text);
      Workload workload = op.workload();
      OracleBox box = oracle.fullBox();
      size_t b = oracle.loop("b"), s = oracle.loop("s"), t = oracle.loop("t");
      for (Interval ofB : intervalsOf(2))
        for (Interval ofS : intervalsOf(2))
          for (Interval ofT : intervalsOf(4)) {
            box[b] = ofB;
            box[s] = ofS;
            box[t] = ofT;
            expectSameCounts(oracle, op, workload, box);
          }
    }
}

/// Tiles that cover the iterations have as many points as the whole, whatever
/// the mask.
TEST(CountsTest, PointsOfTilesAddUp) {
  Oracle oracle =
      attentionOracle("gqa_attn", 2, 2, 2, 37, 101, 16, {/*isCausal=*/true});
  OneOp op(oracle.text);
  Workload workload = op.workload();
  size_t s = oracle.loop("s"), t = oracle.loop("t");
  for (int64_t size : {1, 7, 16, 64}) {
    int64_t sum = 0;
    OracleBox box = oracle.fullBox();
    for (int64_t s0 = 0; s0 < 37; s0 += size)
      for (int64_t t0 = 0; t0 < 101; t0 += size) {
        box[s] = {s0, std::min<int64_t>(s0 + size, 37)};
        box[t] = {t0, std::min<int64_t>(t0 + size, 101)};
        sum += *op.op.countPoints(workload, 0, box);
      }
    // Query s of 37 sees 64 + s + 1 of the 101 keys: 37 * 64 + 37 * 38 / 2 =
    // 3071 pairs, for 2 x 2 x 2 heads and 16 features.
    EXPECT_EQ(sum, 3071 * 8 * 16);
  }
}

/// Counts that 64 bits do not hold are failures, never wrapped: 2^31 queries
/// and keys have 2^62 pairs, above the limit of 2^61.
TEST(CountsTest, OverflowIsFailure) {
  OneOp op(functionText(
      "llm.qk %0, %1 mask full scale 0.5",
      {tensorText({1, 2147483648, 1, 1}), tensorText({1, 2147483648, 1, 1})}));
  Workload workload = op.workload();
  EXPECT_TRUE(failed(op.op.countPoints(workload, 0, workload.fullBox())));
  EXPECT_TRUE(failed(op.op.countElements(workload, 2, workload.fullBox())));
  EXPECT_TRUE(succeeded(op.op.countElements(workload, 0, workload.fullBox())));
}

} // namespace
