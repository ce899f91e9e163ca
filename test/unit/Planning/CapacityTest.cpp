//===- CapacityTest.cpp - What programs hold, by hand and by simulation ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Capacity.h"
#include "Fixtures.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

class CapacityTest : public ::testing::Test {
protected:
  CapacityTest() {
    DialectRegistry registry;
    registerExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<LlmDialect, func::FuncDialect, arith::ArithDialect,
                        scf::SCFDialect, tensor::TensorDialect>();
  }

  /// Of the function in `text`.
  Capacity capacityOf(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Capacity capacity;
    EXPECT_TRUE(succeeded(forEachProgram(*module, [&](const Program &program) {
      FailureOr<Totals> totals = computeTotals(program);
      FailureOr<Capacity> found = Capacity::compute(program, *totals, target);
      if (succeeded(found))
        capacity = *found;
      return success(succeeded(found));
    })));
    return capacity;
  }

  MLIRContext context;
  Target target = toyTarget(1 << 20);
};

/// llm.slots of one part.
std::string slots(int64_t start, int64_t end) {
  return "{llm.slots = #llm.slots<[<part = 0, engine = \"core\"[0], "
         "start_cycle = " +
         std::to_string(start) + ", end_cycle = " + std::to_string(end) +
         ", lanes = {}>]>}";
}

// One op after the other: %x (64 bytes) is the caller's; when the sum runs, %a,
// %b and %c (128 bytes each) are there. The weight takes 8 x 16 x 4 = 512.
TEST_F(CapacityTest, Chain) {
  Capacity capacity = capacityOf(R"(
func.func @f(%x: tensor<2x8xf32>) -> tensor<2x16xf32> {
  %w = llm.weight "w" : tensor<8x16xf32>
  %a = llm.matmul %x, %w : tensor<2x8xf32>, tensor<8x16xf32>
  %b = llm.activation silu %a : tensor<2x16xf32>
  %c = llm.add %a, %b : tensor<2x16xf32>, tensor<2x16xf32>
  return %c : tensor<2x16xf32>
})");
  EXPECT_EQ(capacity.weightBytes, 512);
  EXPECT_EQ(capacity.cacheBytes, 0);
  EXPECT_EQ(capacity.valueBytes, 64 + 3 * 128);
  EXPECT_EQ(capacity.workspaceBytes, 0);
  EXPECT_EQ(capacity.neededBytes(), 512 + 448);
  EXPECT_FALSE(capacity.isChecked());
  EXPECT_TRUE(capacity.fits());
}

// Exactly as much as there is fits.
TEST_F(CapacityTest, Boundary) {
  std::string text = functionText(
      "llm.add %0, %0", {tensorText({8}, "f32"), tensorText({8}, "f32")});
  for (int64_t bytes : {95, 96, 97}) { // two arguments and a result of 32
    target.memories.back().capacityBytes = bytes;
    EXPECT_EQ(capacityOf(text).fits(), bytes >= 96) << bytes;
  }
}

// A view has no bytes, and what it shows stays until the view's last use: in
// the last op %a, %c and %d (32 bytes each), beside %x.
TEST_F(CapacityTest, Views) {
  Capacity capacity = capacityOf(R"(
func.func @f(%x: tensor<2x4xf32>) {
  %a = llm.activation silu %x : tensor<2x4xf32>
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %b = llm.activation silu %x : tensor<2x4xf32>
  %w = tensor.collapse_shape %b [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %c = llm.activation silu %w : tensor<8xf32>
  %d = llm.add %v, %c : tensor<8xf32>, tensor<8xf32>
  return
})");
  EXPECT_EQ(capacity.valueBytes, 32 + 3 * 32);
}

// In the loop: %x, which the last op needs, the carried value, %n and %s, of 64
// bytes each. Behind it only three. Weights: one of 256 bytes for each of the 4
// iterations, and one for all.
TEST_F(CapacityTest, Loop) {
  Capacity capacity = capacityOf(R"(
func.func @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y = llm.activation silu %x : tensor<2x8xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %y) -> (tensor<2x8xf32>) {
    %w = llm.weight "{}.w"[%i] : tensor<8x8xf32>
    %v = llm.weight "v" : tensor<8x8xf32>
    %n = llm.matmul %h, %w : tensor<2x8xf32>, tensor<8x8xf32>
    %m = llm.matmul %n, %v : tensor<2x8xf32>, tensor<8x8xf32>
    %s = llm.add %h, %m : tensor<2x8xf32>, tensor<2x8xf32>
    scf.yield %s : tensor<2x8xf32>
  }
  %out = llm.add %r, %x : tensor<2x8xf32>, tensor<2x8xf32>
  return %out : tensor<2x8xf32>
})");
  EXPECT_EQ(capacity.weightBytes, 4 * 256 + 256);
  EXPECT_EQ(capacity.valueBytes, 4 * 64);
}

// What a loop uses beside what it carries stays through all iterations: %a
// until the loop ends, though its last use is the first op in it.
TEST_F(CapacityTest, CapturedByLoop) {
  Capacity capacity = capacityOf(R"(
func.func @f() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = llm.weight "t" : tensor<8xf32>
  %a = llm.activation silu %t : tensor<8xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %w = llm.weight "{}.w"[%i] : tensor<8xf32>
      %b = llm.add %a, %w : tensor<8xf32>, tensor<8xf32>
      %c = llm.activation silu %b : tensor<8xf32>
      %d = llm.activation silu %c : tensor<8xf32>
    }
  }
  return
})");
  // %a, and two of %b, %c, %d at a time.
  EXPECT_EQ(capacity.valueBytes, 32 + 2 * 32);
  // %w counts the outer loop only.
  EXPECT_EQ(capacity.weightBytes, 32 + 2 * 32);
}

// Two chains of two ops. In program order one ends before the other begins;
// with these slots all four values are there in cycle 10.
TEST_F(CapacityTest, Slots) {
  auto text = [](bool hasSlots) {
    auto slot = [&](int64_t start, int64_t end) {
      return hasSlots ? slots(start, end) : std::string();
    };
    std::string type = " : tensor<8xf32>\n";
    return "func.func @f(%x: tensor<8xf32>) {\n"
           "%a = llm.activation silu %x " +
           slot(0, 10) + type + "%b = llm.activation silu %a " + slot(10, 20) +
           type + "%c = llm.activation silu %x " + slot(0, 10) + type +
           "%d = llm.activation silu %c " + slot(10, 20) + type + "return\n}";
  };
  EXPECT_EQ(capacityOf(text(false)).valueBytes, 32 + 2 * 32);
  EXPECT_EQ(capacityOf(text(true)).valueBytes, 32 + 4 * 32);
}

// Caches count at their capacity: 2 x 1 x 16 x 2 x 4 x 2 bytes = 512 for each
// layer, in a loop of 3; states of one are one, and so are two that name the
// same; an argument is one, too.
TEST_F(CapacityTest, Caches) {
  Capacity capacity = capacityOf(R"(
!cache = !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 4, capacity = 16, bf16>
!rows = tensor<1x1x2x4xbf16>
func.func @f(%k: !rows, %own: !cache) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %own1 = llm.kv_write %own, %k, %k at 0 : !cache, !rows, !rows
  %same0 = llm.kv_cache "one" : !cache
  %same1 = llm.kv_cache "one" : !cache
  scf.for %i = %c0 to %c3 step %c1 {
    %0 = llm.kv_cache "{}"[%i] : !cache
    %1 = llm.kv_write %0, %k, %k at 3 : !cache, !rows, !rows
    %2 = llm.kv_write %1, %k, %k at 4 : !cache, !rows, !rows
  }
  return
})");
  EXPECT_EQ(capacity.cacheBytes, (3 + 1 + 1) * 512);
  EXPECT_EQ(capacity.valueBytes, 16);
}

// A product of 4 x 8 x 6 whose terms are cut in two: 2 x 4 x 6 sums of 4 bytes.
TEST_F(CapacityTest, Workspace) {
  std::string tile =
      "{llm.tile = #llm.tile<pinned levels = [<\"sram\", sizes = {k = 8, m = "
      "4, "
      "n = 6}, order = [m, n, k], buffers = {}>] split = {k = 2}>}";
  Capacity capacity =
      capacityOf("func.func @f(%x: tensor<4x8xbf16>) {\n"
                 "%w = llm.weight \"w\" : tensor<8x6xbf16>\n"
                 "%y = llm.matmul %x, %w " +
                 tile + " : tensor<4x8xbf16>, tensor<8x6xbf16>\nreturn\n}");
  EXPECT_EQ(capacity.workspaceBytes, 2 * 4 * 6 * 4);
  EXPECT_EQ(capacity.valueBytes, 4 * 8 * 2 + 4 * 6 * 2);
}

/// A step of decoding for `batch` sequences of `keys` keys, one layer of 2: a
/// weight of 1024 x 8 x 2 bytes = 16 KiB, a cache of 2 x 8 x 2 = 32 bytes for
/// each key, and %x, %k (reshaped) of 16 bytes and %y of 2048 for each
/// sequence.
std::string decodeText(int64_t batch, int64_t keys) {
  std::string b = std::to_string(batch), k = std::to_string(keys);
  return "!cache = !llm.kv_cache<batch = " + b +
         ", kv_heads = 1, head_dim = 8, capacity = " + k + ", bf16>\n" +
         "func.func @f(%x: tensor<" + b +
         "x8xbf16>) attributes {llm.program = "
         "#llm.program<\"m\", decode, batch = " +
         b + ", seq = 1, kv_len = " + k + ", layers = 1 of 2>} {\n" +
         "%0 = llm.kv_cache \"c\" : !cache\n"
         "%k = tensor.expand_shape %x [[0, 1, 2], [3]] output_shape [" +
         b + ", 1, 1, 8] : tensor<" + b + "x8xbf16> into tensor<" + b +
         "x1x1x8xbf16>\n%1 = llm.kv_write %0, %k, %k at " +
         std::to_string(keys - 1) + " : !cache, tensor<" + b +
         "x1x1x8xbf16>, tensor<" + b + "x1x1x8xbf16>\n" +
         "%w = llm.weight \"w\" : tensor<8x1024xbf16>\n"
         "%y = llm.matmul %x, %w : tensor<" +
         b + "x8xbf16>, tensor<8x1024xbf16>\nreturn\n}";
}

TEST_F(CapacityTest, WhatFits) {
  target.memories.back().capacityBytes = 100000;
  Capacity capacity = capacityOf(decodeText(4, 100));
  EXPECT_EQ(capacity.weightBytes, 16384);
  EXPECT_EQ(capacity.cacheBytes, 4 * 100 * 32);
  EXPECT_EQ(capacity.valueBytes, 4 * (16 + 2048));
  EXPECT_EQ(*capacity.allLayersBytes, 2 * (16384 + 12800) + 4 * (16 + 2048));
  // 83,616 bytes for 3,200 + 2,064 of each sequence.
  EXPECT_EQ(*capacity.largestBatch, 15);
  // 83,616 - 8,256 bytes for 4 x 32 of each key.
  EXPECT_EQ(*capacity.largestContext, 588);
  EXPECT_TRUE(capacity.fits());

  // What is said to fit does, and one more does not.
  EXPECT_TRUE(capacityOf(decodeText(15, 100)).fits());
  EXPECT_FALSE(capacityOf(decodeText(16, 100)).fits());
  EXPECT_TRUE(capacityOf(decodeText(4, 588)).fits());
  EXPECT_FALSE(capacityOf(decodeText(4, 589)).fits());

  Capacity tooMany = capacityOf(decodeText(16, 589));
  EXPECT_EQ(tooMany.describeExcess(),
            "does not fit into 'dram' of target 'toy': it holds 350,976 bytes, "
            "and there are 100,000 (weights 16,384, KV caches 301,568, values "
            "alive at once 33,024, workspace 0); with as many keys a batch of "
            "3 fits, with this batch 98 keys for each sequence; "
            // 317,952 bytes / 8 are less than 100,000 - 33,024.
            "8 chips would hold it, if all of it is cut evenly; then the "
            "program's grid has "
            "8 chips, and target 'toy' has no links: write \"links\": "
            "{\"ring\": {\"bytes_per_second_per_direction\": 100e9, "
            "\"devices\": 8}} into its file, or take a preset with links "
            "(llm-opt --llm-list-targets)");
  target.memories.back().capacityBytes = 16383;
  EXPECT_NE(capacityOf(decodeText(1, 1))
                .describeExcess()
                .find("; the weights alone do not fit"),
            std::string::npos);
  target.memories.back().capacityBytes = 0;
  EXPECT_FALSE(capacityOf(decodeText(1, 1)).largestBatch);
}

// Scores of a prompt grow with its square: 30 tokens of 16 bytes, and 30 x 30
// scores of 2 bytes each; of a step, with the number of keys.
TEST_F(CapacityTest, ScoresGrow) {
  auto text = [](const std::string &phase, int64_t seq, int64_t keys) {
    std::string s = std::to_string(seq), k = std::to_string(keys);
    return "!cache = !llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 8, "
           "capacity = " +
           k + ", bf16>\n" + "func.func @f(%x: tensor<1x" + s +
           "x1x8xbf16>) attributes "
           "{llm.program = #llm.program<\"m\", " +
           phase + ", batch = 1, seq = " + s + ", kv_len = " + k +
           ", layers = 1 of 1>} {\n%0 = llm.kv_cache \"c\" : !cache\n" +
           "%1 = llm.kv_write %0, %x, %x at " + std::to_string(keys - seq) +
           " : !cache, tensor<1x" + s + "x1x8xbf16>, tensor<1x" + s +
           "x1x8xbf16>\n%k, %v = llm.kv_read %1 rows 0 to " + k +
           " : !cache\n%y = llm.qk %x, %k mask causal scale 1.0 : tensor<1x" +
           s + "x1x8xbf16>, tensor<1x" + k + "x1x8xbf16>\nreturn\n}";
  };
  for (auto [phase, isPrompt] :
       {std::pair{"prefill", true}, std::pair{"decode", false}}) {
    int64_t seq = isPrompt ? 30 : 3;
    target.memories.back().capacityBytes = 50000;
    Capacity capacity = capacityOf(text(phase, seq, 30));
    EXPECT_EQ(capacity.valueBytes, seq * 16 + seq * 30 * 2);
    // n keys take 32 n, and 16 n + 2 n n or 48 + 6 n.
    int64_t most = *capacity.largestContext;
    EXPECT_EQ(most, isPrompt ? 146 : 1314);
    EXPECT_TRUE(capacityOf(text(phase, isPrompt ? most : 3, most)).fits());
    EXPECT_FALSE(
        capacityOf(text(phase, isPrompt ? most + 1 : 3, most + 1)).fits());
  }
}

/// A random program of elementwise ops with random slots, and what it holds.
struct RandomProgram {
  explicit RandomProgram(Random &random) {
    struct Life {
      int64_t bytes, start, end;
    };
    std::vector<Life> lives;
    std::string ops;
    int64_t count = random(1, 25);
    for (int64_t op = 0; op < count; ++op) {
      int64_t first = random(-1, op - 1), second = random(-1, op - 1);
      int64_t start = 0;
      for (int64_t input : {first, second})
        if (input >= 0)
          start = std::max(start, ends[input]);
      start += random(0, 3);
      int64_t end = start + random(1, 9);
      ends.push_back(end);
      for (int64_t input : {first, second})
        if (input >= 0)
          lives[input].end = std::max(lives[input].end, end);
      lives.push_back({64, start, end});
      auto name = [](int64_t value) {
        return value < 0 ? std::string("%x") : "%v" + std::to_string(value);
      };
      ops += name(op) + " = llm.add " + name(first) + ", " + name(second) +
             " " + slots(start, end) + " : tensor<16xf32>, tensor<16xf32>\n";
    }
    int64_t returned = random(0, count - 1);
    lives[returned].end = 1 << 20;
    text = "func.func @f(%x: tensor<16xf32>) -> tensor<16xf32> {\n" + ops +
           "return %v" + std::to_string(returned) + " : tensor<16xf32>\n}";
    for (int64_t cycle = 0; cycle < 400; ++cycle) {
      int64_t held = 64;
      for (const Life &life : lives)
        held += life.start <= cycle && cycle < life.end ? life.bytes : 0;
      most = std::max(most, held);
    }
  }

  std::string text;
  int64_t most = 64;

private:
  std::vector<int64_t> ends;
};

TEST_F(CapacityTest, CycleByCycle) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    RandomProgram program(random);
    EXPECT_EQ(capacityOf(program.text).valueBytes, program.most)
        << program.text;
  }
}

} // namespace
