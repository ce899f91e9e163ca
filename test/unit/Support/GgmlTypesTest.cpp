//===- GgmlTypesTest.cpp - Types of tensors in GGUF files -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/GgmlTypes.h"

#include <gtest/gtest.h>

#include <string>

using namespace mlir::llm;

namespace {

/// "id: name, elements in bytes", or "none".
std::string shown(uint32_t id) {
  const GgmlType *type = findGgmlType(id);
  if (!type)
    return "none";
  return std::string(type->name) + ": " + std::to_string(type->blockElements) +
         " in " + std::to_string(type->blockBytes);
}

std::string block(const char *name, int64_t elements, int64_t bytes) {
  return std::string(name) + ": " + std::to_string(elements) + " in " +
         std::to_string(bytes);
}

constexpr int64_t half = 2; // bytes of an f16 scale

} // namespace

TEST(GgmlTypes, PlainNumbers) {
  EXPECT_EQ(shown(0), block("f32", 1, 4));
  EXPECT_EQ(shown(1), block("f16", 1, 2));
  EXPECT_EQ(shown(24), block("i8", 1, 1));
  EXPECT_EQ(shown(25), block("i16", 1, 2));
  EXPECT_EQ(shown(26), block("i32", 1, 4));
  EXPECT_EQ(shown(27), block("i64", 1, 8));
  EXPECT_EQ(shown(28), block("f64", 1, 8));
  EXPECT_EQ(shown(30), block("bf16", 1, 2));
}

// Blocks of 32: the quants' bits, a scale, with "_1" a minimum too (q8_1: a
// sum), the fifth bits of q5 apart.
TEST(GgmlTypes, SmallBlocks) {
  EXPECT_EQ(shown(2), block("q4_0", 32, 32 / 2 + half));
  EXPECT_EQ(shown(3), block("q4_1", 32, 32 / 2 + 2 * half));
  EXPECT_EQ(shown(6), block("q5_0", 32, 32 / 2 + 32 / 8 + half));
  EXPECT_EQ(shown(7), block("q5_1", 32, 32 / 2 + 32 / 8 + 2 * half));
  EXPECT_EQ(shown(8), block("q8_0", 32, 32 + half));
  EXPECT_EQ(shown(9), block("q8_1", 32, 32 + 2 * half));
  EXPECT_EQ(shown(20), block("iq4_nl", 32, 32 / 2 + half));
  // One byte of exponent for 32 nibbles.
  EXPECT_EQ(shown(39), block("mxfp4", 32, 32 / 2 + 1));
  // One byte of scale for each 16 of 64 nibbles.
  EXPECT_EQ(shown(40), block("nvfp4", 64, 64 / 2 + 64 / 16));
  EXPECT_EQ(shown(41), block("q1_0", 128, 128 / 8 + half));
  EXPECT_EQ(shown(42), block("q2_0", 64, 64 / 4 + half));
}

// Blocks of 256: quants, scales of groups inside the block, scales of these.
TEST(GgmlTypes, SuperBlocks) {
  // 16 groups: a nibble of scale and one of minimum each.
  EXPECT_EQ(shown(10), block("q2_K", 256, 256 / 4 + 16 + 2 * half));
  // Low two bits, high bit, 16 scales of 6 bits.
  EXPECT_EQ(shown(11), block("q3_K", 256, 256 / 4 + 256 / 8 + 12 + half));
  // 8 groups: 6 bits of scale and 6 of minimum each, 12 bytes.
  EXPECT_EQ(shown(12), block("q4_K", 256, 256 / 2 + 12 + 2 * half));
  EXPECT_EQ(shown(13), block("q5_K", 256, 256 / 2 + 256 / 8 + 12 + 2 * half));
  // Low four bits, high two bits, 16 scales of 8 bits.
  EXPECT_EQ(shown(14), block("q6_K", 256, 256 / 2 + 256 / 4 + 16 + half));
  // An f32 scale, bytes, and 16-bit sums of groups of 16.
  EXPECT_EQ(shown(15), block("q8_K", 256, 256 + 256 / 16 * 2 + 4));
  // Ternary: 240 elements five to a byte, 16 four to a byte; two bits each.
  EXPECT_EQ(shown(34), block("tq1_0", 256, 240 / 5 + 16 / 4 + half));
  EXPECT_EQ(shown(35), block("tq2_0", 256, 256 / 4 + half));
}

// Blocks of 256 of indices into a grid of vectors.
TEST(GgmlTypes, GridBlocks) {
  EXPECT_EQ(shown(16), block("iq2_xxs", 256, 256 / 8 * 2 + half));
  EXPECT_EQ(shown(17), block("iq2_xs", 256, 256 / 8 * 2 + 256 / 32 + half));
  EXPECT_EQ(shown(18), block("iq3_xxs", 256, 3 * 256 / 8 + half));
  // Low bits of the index, high bits for each 32 elements (16 bits each).
  EXPECT_EQ(shown(19), block("iq1_s", 256, 256 / 8 + 256 / 32 * 2 + half));
  // Index, high bits, signs, scales.
  EXPECT_EQ(shown(21), block("iq3_s", 256,
                             256 / 4 + 256 / 32 + 256 / 8 + 256 / 64 + half));
  // Index and signs, high bits, scales.
  EXPECT_EQ(shown(22), block("iq2_s", 256, 256 / 4 + 256 / 32 * 2 + half));
  // Nibbles, six bits of scale for each 32 as low (4) and high (2) bits.
  EXPECT_EQ(shown(23), block("iq4_xs", 256, 256 / 2 + 256 / 64 + 2 + half));
  // The scale of the whole block hides in the bits of the small scales.
  EXPECT_EQ(shown(29), block("iq1_m", 256, 256 / 8 + 256 / 16 + 256 / 32));
}

// A name leads to the type that its number leads to; ggml writes a capital K.
TEST(GgmlTypes, Names) {
  for (uint32_t id = 0; id < 100; ++id) {
    const GgmlType *type = findGgmlType(id);
    EXPECT_EQ(type ? findGgmlType(type->name) : nullptr, type) << id;
  }
  EXPECT_EQ(findGgmlType("q4_k"), nullptr);
  EXPECT_EQ(findGgmlType(""), nullptr);
}

// Numbers of types that ggml gave up, and those that it has not given out.
TEST(GgmlTypes, None) {
  for (uint32_t id : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 43u, 4294967295u})
    EXPECT_EQ(shown(id), "none") << id;
}
