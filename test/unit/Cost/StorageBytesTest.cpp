//===- StorageBytesTest.cpp - The bytes of tensors of all element types ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

class StorageBytesTest : public testing::Test {
protected:
  StorageBytesTest() { context.loadDialect<LlmDialect>(); }

  /// The bytes of a type in text; -1: failure.
  int64_t bytes(const std::string &text) {
    Type type = parseType(text, &context);
    EXPECT_TRUE(type) << text;
    Count count = storageBytes(type);
    return succeeded(count) ? *count : -1;
  }

  MLIRContext context;
};

/// Whole bytes per value: 3 x 5 = 15 values.
TEST_F(StorageBytesTest, WholeBytes) {
  EXPECT_EQ(bytes("tensor<3x5xbf16>"), 30);
  EXPECT_EQ(bytes("tensor<3x5xf16>"), 30);
  EXPECT_EQ(bytes("tensor<3x5xf32>"), 60);
  EXPECT_EQ(bytes("tensor<3x5xf64>"), 120);
  EXPECT_EQ(bytes("tensor<3x5xi8>"), 15);
  EXPECT_EQ(bytes("tensor<3x5xf8E4M3FN>"), 15);
  EXPECT_EQ(bytes("tensor<3x5xf8E5M2>"), 15);
  EXPECT_EQ(bytes("tensor<f32>"), 4);
}

/// Four-bit values are packed over the whole tensor, not by row: 15 of them
/// take 60 bits, 8 bytes (three rows of 3 bytes would be 9); 16 take 8 and 17
/// take 9.
TEST_F(StorageBytesTest, PackedBits) {
  EXPECT_EQ(bytes("tensor<3x5xi4>"), 8);
  EXPECT_EQ(bytes("tensor<3x5xf4E2M1FN>"), 8);
  EXPECT_EQ(bytes("tensor<4x4xi4>"), 8);
  EXPECT_EQ(bytes("tensor<17xf4E2M1FN>"), 9);
  EXPECT_EQ(bytes("tensor<1xi4>"), 1);
  EXPECT_EQ(bytes("tensor<9xi1>"), 2);
  EXPECT_EQ(bytes("tensor<3xf6E2M3FN>"), 3); // 18 bits
}

/// A cache holds keys and values: 2 x 3 x 7 x 5 x 4 values.
TEST_F(StorageBytesTest, Caches) {
  EXPECT_EQ(bytes("!llm.kv_cache<batch = 3, kv_heads = 5, head_dim = 4, "
                  "capacity = 7, bf16>"),
            2 * 840);
  EXPECT_EQ(bytes("!llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 1, "
                  "capacity = 1, i4>"),
            1);
}

/// A cache of latents holds one vector where others hold two: those of one
/// layer of DeepSeek-V3, 512 positions of 576 values. With a scale for each
/// row of a cache, 2 x 3 x 7 x 5 of them are added to the 840 values of above.
TEST_F(StorageBytesTest, CachesOfLatentsAndScales) {
  EXPECT_EQ(bytes("!llm.kv_cache<batch = 1, kv_heads = 1, head_dim = 576, "
                  "capacity = 512, bf16 latents>"),
            512 * 576 * 2);
  EXPECT_EQ(bytes("!llm.kv_cache<batch = 3, kv_heads = 5, head_dim = 4, "
                  "capacity = 7, !llm.block_scaled<f8E4M3FN, [?], f32>>"),
            840 + 210 * 4);
}

/// MXFP4 (the experts of gpt-oss-20b): half a byte for each value, and a byte
/// for each 32 of them: 2880 / 32 = 90 in a row.
TEST_F(StorageBytesTest, Mxfp4) {
  EXPECT_EQ(bytes("tensor<32x5760x2880x!llm.block_scaled<f4E2M1FN, [32], "
                  "f8E8M0FNU>>"),
            int64_t(32) * 5760 * 2880 / 2 + 32 * 5760 * 90);
}

/// NVFP4: half a byte for each value, a byte for each 16 of them (6 in a row of
/// 96), and 4 bytes for each of 8 matrices.
TEST_F(StorageBytesTest, Nvfp4) {
  EXPECT_EQ(bytes("tensor<8x64x96x!llm.block_scaled<f4E2M1FN, [16], f8E4M3FN, "
                  "[?, ?], f32>>"),
            8 * 64 * 96 / 2 + 8 * 64 * 6 + 8 * 4);
}

/// FP8 in blocks of 128 x 128, as of DeepSeek-V3: its kv_a_proj has 576 / 128 =
/// 4.5, so 5, times 7168 / 128 = 56 blocks. 130 x 300 values have 2 x 3.
TEST_F(StorageBytesTest, Fp8Blocks) {
  EXPECT_EQ(
      bytes("tensor<576x7168x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>"),
      576 * 7168 + 5 * 56 * 4);
  EXPECT_EQ(
      bytes("tensor<130x300x!llm.block_scaled<f8E4M3FN, [128, 128], f32>>"),
      130 * 300 + 2 * 3 * 4);
}

/// A whole dimension: a scale for each of 4 x 5 rows, of 4 matrices, of 4 x 3
/// groups of 2 rows (5 / 2 = 2.5), for all three dimensions, and of a block
/// with more dimensions than the tensor has.
TEST_F(StorageBytesTest, WholeDimensions) {
  auto scaled = [&](const std::string &block) {
    return bytes("tensor<4x5x64x!llm.block_scaled<i8, " + block + ", f16>>") -
           4 * 5 * 64;
  };
  EXPECT_EQ(scaled("[?]"), 4 * 5 * 2);
  EXPECT_EQ(scaled("[?, ?]"), 4 * 2);
  EXPECT_EQ(scaled("[2, ?]"), 4 * 3 * 2);
  EXPECT_EQ(scaled("[?, 32]"), 4 * 2 * 2);
  EXPECT_EQ(scaled("[?, ?, ?]"), 2);
  EXPECT_EQ(scaled("[7, ?, ?, ?]"), 2);
  EXPECT_EQ(scaled("[9, 9, 3, 32]"), 2 * 2 * 2);
}

/// ggml's q4_K: 256 values of 4 bits, 8 scales and 8 minima of 6, and two
/// numbers of 16 bits, 1152 bits in all: 144 bytes; 3 x 512 values have 6 of
/// these blocks. q8_0: 32 bytes and a number of 16 bits.
TEST_F(StorageBytesTest, Ggml) {
  std::string q4 = "!llm.block_scaled<i4, [32], i6, [32], i6, [256], f16, "
                   "[256], f16>>";
  EXPECT_EQ(bytes("tensor<256x" + q4), 144);
  EXPECT_EQ(bytes("tensor<3x512x" + q4), 6 * 144);
  EXPECT_EQ(bytes("tensor<32x!llm.block_scaled<i8, [32], f16>>"), 34);
}

/// Bits of values and scales are packed and rounded up together: 7 x 4 and 3 x
/// 6 of them are 46, 6 bytes. A scalar is a block of its own.
TEST_F(StorageBytesTest, ScalesArePacked) {
  EXPECT_EQ(bytes("tensor<7x!llm.block_scaled<i4, [3], i6>>"), 6);
  EXPECT_EQ(bytes("tensor<!llm.block_scaled<i8, [32], f16>>"), 3);
}

/// Some elements of a buffer take their share of the whole, rounded up: of 64 x
/// 64 values in MXFP4, 2048 + 128 bytes, a row takes 34 and a block 17, as they
/// do by themselves; 1 value takes a byte, 33 take 17.53. Twice the tensor
/// takes twice the bytes. bf16 has no scales.
TEST_F(StorageBytesTest, SharesOfABuffer) {
  OneOp op(functionText(
      "llm.matmul %0, %1",
      {tensorText({4, 64}),
       tensorText({64, 64}, "!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>")}));
  Workload workload = op.workload();
  const Buffer &lhs = workload.buffers[0], &rhs = workload.buffers[1];
  EXPECT_EQ(*storageBytes(rhs, 64 * 64), 2176);
  EXPECT_EQ(*storageBytes(rhs, 2 * 64 * 64), 2 * 2176);
  EXPECT_EQ(*storageBytes(rhs, 64), 34);
  EXPECT_EQ(*storageBytes(rhs, 32), 17);
  EXPECT_EQ(*storageBytes(rhs, 1), 1);
  EXPECT_EQ(*storageBytes(rhs, 33), 18);
  EXPECT_EQ(*storageBytes(rhs, 0), 0);
  EXPECT_EQ(*storageBytes(lhs, 33), 66);
}

/// A quarter of a tensor in blocks of 128 x 128 has one of its four scales; a
/// slice of three experts of four has three quarters of the scales.
TEST_F(StorageBytesTest, SharesOfBlocks) {
  OneOp op(functionText(
      "llm.batch_matmul %0, %1",
      {tensorText({1, 4, 256}),
       tensorText({4, 256, 256},
                  "!llm.block_scaled<f8E4M3FN, [128, 128], f32>")}));
  Workload workload = op.workload();
  const Buffer &rhs = workload.buffers[1];
  EXPECT_EQ(*storageBytes(rhs, 4 * 256 * 256), 4 * (256 * 256 + 4 * 4));
  EXPECT_EQ(*storageBytes(rhs, 128 * 128), 128 * 128 + 4);
  EXPECT_EQ(*storageBytes(rhs, 3 * 256 * 256), 3 * (256 * 256 + 4 * 4));
}

/// Arithmetic is done in the type of the values.
TEST_F(StorageBytesTest, ValueTypes) {
  Type scaled =
      parseType("!llm.block_scaled<f8E4M3FN, [128, 128], f32>", &context);
  EXPECT_EQ(valueTypeOf(scaled), Float8E4M3FNType::get(&context));
  EXPECT_EQ(valueTypeOf(BFloat16Type::get(&context)),
            BFloat16Type::get(&context));
}

/// No bytes: an empty tensor, of any type.
TEST_F(StorageBytesTest, Empty) {
  EXPECT_EQ(bytes("tensor<0x5xi4>"), 0);
  EXPECT_EQ(bytes("tensor<0x32x!llm.block_scaled<i8, [32], f16>>"), 0);
}

/// What has no known size is a failure: dynamic shapes, types without a width,
/// no tensor.
TEST_F(StorageBytesTest, Failures) {
  EXPECT_EQ(bytes("tensor<?x5xbf16>"), -1);
  EXPECT_EQ(bytes("tensor<3xindex>"), -1);
  EXPECT_EQ(bytes("tensor<3xcomplex<f32>>"), -1);
  EXPECT_EQ(bytes("f32"), -1);
  EXPECT_EQ(bytes("tensor<4294967296x4294967296xi8>"), -1);
  EXPECT_EQ(bytes("tensor<?x32x!llm.block_scaled<i8, [32], f16>>"), -1);
  EXPECT_EQ(bytes("tensor<1152921504606846976x!llm.block_scaled<i8, [1], "
                  "f64>>"),
            -1);
}

} // namespace
