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
  int64_t bytes(StringRef text) {
    Type type = parseType(text, &context);
    EXPECT_TRUE(type) << text.str();
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

/// No bytes: an empty tensor, of any type.
TEST_F(StorageBytesTest, Empty) { EXPECT_EQ(bytes("tensor<0x5xi4>"), 0); }

/// What has no known size is a failure: dynamic shapes, types without a width,
/// no tensor.
TEST_F(StorageBytesTest, Failures) {
  EXPECT_EQ(bytes("tensor<?x5xbf16>"), -1);
  EXPECT_EQ(bytes("tensor<3xindex>"), -1);
  EXPECT_EQ(bytes("tensor<3xcomplex<f32>>"), -1);
  EXPECT_EQ(bytes("f32"), -1);
  EXPECT_EQ(bytes("tensor<4294967296x4294967296xi8>"), -1);
}

} // namespace
