//===- MoreWorkTest.cpp - On units, more work takes no less time ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

struct MoreWorkTest : testing::Test {
  Target preset(StringRef name) {
    FailureOr<Target> target = loadPreset(
        name, &context, [&] { return emitError(UnknownLoc::get(&context)); });
    EXPECT_TRUE(succeeded(target));
    return *target;
  }
  MLIRContext context;
};

double cyclesOf(const std::string &text, const Target &target) {
  OneOp op(text);
  OpOnTarget context = *OpOnTarget::get(op.op, target);
  return double(computePartCost(context, *searchTile(context))->getCycles());
}

/// The launch and the rest are rounded up to whole cycles, each by itself.
constexpr double roundingCycles = 2;

//===----------------------------------------------------------------------===//
// Norms and elementwise ops
//===----------------------------------------------------------------------===//

using Make = llvm::function_ref<std::string(int64_t rows, int64_t columns)>;

/// Rows around those of 108 units (A100), columns around powers of two and the
/// 768 of Qwen3's experts.
const int64_t rowCounts[] = {1,  2,  5,   8,   31,  32,  36,  37,
                             40, 48, 107, 108, 109, 215, 217, 1000},
              columnCounts[] = {1,    32,   100,  511,   512,   767,  768,
                                896,  1000, 1023, 1024,  1025,  2047, 2048,
                                4096, 8191, 8192, 32768, 32769, 65536};

/// Of each two neighbours in rows or columns the larger one takes at least
/// `share` of the time of the smaller one.
void expectMonotone(const Target &target, Make make, double share) {
  double before[std::size(columnCounts)] = {};
  for (int64_t rows : rowCounts) {
    double left = 0;
    for (auto [at, columns] : llvm::enumerate(columnCounts)) {
      double cycles = cyclesOf(make(rows, columns), target);
      EXPECT_GE(cycles, share * left - roundingCycles)
          << target.name << ": " << rows << " x " << columns;
      EXPECT_GE(cycles, share * before[at] - roundingCycles)
          << target.name << ": " << rows << " x " << columns;
      left = before[at] = cycles;
    }
  }
}

// Rows are never put together on one unit while others have none, so that no
// number of rows or columns is faster than a smaller one.
TEST_F(MoreWorkTest, RowsByColumns) {
  for (StringRef name : {"a100-sxm", "rtx4090"}) {
    Target target = preset(name);
    expectMonotone(
        target,
        [](int64_t r, int64_t c) { return swigluOracle(r, c, false).text; }, 1);
    expectMonotone(
        target, [](int64_t r, int64_t c) { return addOracle(r, c).text; }, 1);
    expectMonotone(
        target,
        [](int64_t r, int64_t c) { return rmsNormOracle(r, c, false).text; },
        1);
    // The items share the bytes of the weights: with one row, which is read
    // twice and written, these are a quarter of what its unit moves.
    expectMonotone(
        target,
        [](int64_t r, int64_t c) { return rmsNormOracle(r, c, true).text; },
        0.75);
  }
}

// 36 and 37 rows of 896 columns take equally long, and as long as by hand: a
// row of bf16 is moved three times, and the f32 weights are shared,
// (3 x 36 x 2 + 4) x 896 bytes / 36 = 5475.6 at 7.48 a cycle of 1.41 GHz,
// 0.5192 us; all rows at 1.8963 TB/s, 0.1040 us; the root of their squares and
// 1.96 us of launch are 2.4895 us, 3510.1 cycles.
TEST_F(MoreWorkTest, ShortRowsByHand) {
  Target target = preset("a100-sxm");
  EXPECT_NEAR(cyclesOf(rmsNormOracle(36, 896, true).text, target), 3511, 2);
  EXPECT_NEAR(cyclesOf(rmsNormOracle(37, 896, true).text, target), 3511, 2);
}

// All heads of a token are one item, whatever their number: one token on one
// unit takes longer with each head.
TEST_F(MoreWorkTest, HeadsOfOneToken) {
  Target target = preset("a100-sxm");
  double before = 0;
  for (int64_t heads : {1, 2, 7, 8, 9, 64, 128, 255, 256, 257, 512}) {
    double cycles =
        cyclesOf(positionsOracle("rope", 1, 1, heads, 128, false).text, target);
    EXPECT_GE(cycles, before - roundingCycles) << heads;
    before = cycles;
  }
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Where fewer parts are as long as more of them, fewer units stream: a context
/// that is a block longer may be cut into one more part of the same length, of
/// which each streams less. That buys a thousandth.
constexpr double streamingShare = 0.998;

// A longer context takes no less time: keys are cut into any number of parts.
TEST_F(MoreWorkTest, LongerContexts) {
  struct Heads {
    int64_t ofKeys, group;
  };
  for (StringRef name : {"a100-sxm", "rtx4090"})
    for (int64_t batch : {1, 3, 8})
      for (Heads heads : {Heads{8, 4}, {1, 8}, {5, 8}}) {
        Target target = preset(name);
        double longest = 0;
        for (int64_t keys = 64; keys <= 4096; keys += 64) {
          double cycles =
              cyclesOf(attentionOracle("gqa_attn", batch, heads.ofKeys,
                                       heads.group, 1, keys, 128, {true})
                           .text,
                       target);
          EXPECT_GE(cycles, streamingShare * longest)
              << name.str() << ", batch " << batch << ", " << heads.ofKeys
              << " kv heads, " << keys << " keys";
          longest = std::max(longest, cycles);
        }
      }
}

// Seven blocks of keys (769 to 896 of them) can be cut into seven parts: they
// take a percent longer than six at most, and eight a percent longer than they.
TEST_F(MoreWorkTest, SevenBlocks) {
  Target target = preset("a100-sxm");
  auto cycles = [&](int64_t keys) {
    return cyclesOf(
        attentionOracle("gqa_attn", 1, 8, 4, 1, keys, 128, {true}).text,
        target);
  };
  EXPECT_NEAR(cycles(832) / cycles(768), 1, 0.01);
  EXPECT_NEAR(cycles(960) / cycles(896), 1, 0.01);
}

} // namespace
