//===- GgmlBlocks.cpp - Numbers in ggml's blocks --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those of the structs in ggml's ggml-common.h, and their
// meaning is that of ggml-quants.c. Numbers of 16 and 32 bits are little
// endian.
//
//===----------------------------------------------------------------------===//

#include "GgmlBlocks.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <cmath>

using namespace mlir::llm;

using Bytes = const unsigned char *;

static double readHalf(Bytes bytes) {
  unsigned bits = llvm::support::endian::read16le(bytes);
  unsigned exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double size =
      exponent == 31 ? (fraction ? NAN : INFINITY)
      : exponent ? std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25)
                 : std::ldexp(fraction, -24);
  return bits >> 15 ? -size : size;
}

static int low(unsigned char byte) { return byte & 15; }
static int high(unsigned char byte) { return byte >> 4; }

/// Reads values of 4 bits. The first half of 32 values are the low bits of
/// bytes.
template <typename Value>
static void readNibbles(Bytes bytes, double *values, Value value,
                        int half = 16) {
  for (int i = 0; i < half; ++i) {
    values[i] = value(low(bytes[i]));
    values[i + half] = value(high(bytes[i]));
  }
}

static void readSigned(Bytes bytes, double *values, int count) {
  for (int i = 0; i < count; ++i)
    values[i] = static_cast<signed char>(bytes[i]);
}

//===----------------------------------------------------------------------===//
// Blocks of 32
//===----------------------------------------------------------------------===//

static void readQ40(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  readNibbles(bytes + 2, block.values, [](int bits) { return bits - 8; });
}

/// Reads a scale and an addend. A number that is added to all values is a
/// minimum below 0.
static void readScaleAndAddend(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  block.minimum = -readHalf(bytes + 2);
  block.subScales[0] = block.subMinimums[0] = 1;
}

static void readQ41(Bytes bytes, GgmlBlock &block) {
  readScaleAndAddend(bytes, block);
  readNibbles(bytes + 4, block.values, [](int bits) { return bits; });
}

/// Reads values of 5 bits. The fifth bits of all values stand before the other
/// four.
static void readFiveBits(Bytes bytes, double *values, int offset) {
  uint32_t fifths = llvm::support::endian::read32le(bytes);
  readNibbles(bytes + 4, values, [](int bits) { return bits; });
  for (int i = 0; i < 32; ++i)
    values[i] += static_cast<int>((fifths >> i & 1) << 4) - offset;
}

static void readQ50(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  readFiveBits(bytes + 2, block.values, 16);
}

static void readQ51(Bytes bytes, GgmlBlock &block) {
  readScaleAndAddend(bytes, block);
  readFiveBits(bytes + 4, block.values, 0);
}

static void readQ80(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  readSigned(bytes + 2, block.values, 32);
}

/// Reads a block of Q8_1. The sum behind its scale is left out, since it is for
/// products with other blocks.
static void readQ81(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  readSigned(bytes + 4, block.values, 32);
}

static int codeOfIq4(int bits) {
  static constexpr int codes[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                  1,    13,   25,  38,  53,  69,  89,  113};
  return codes[bits];
}

static void readIq4Nl(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  readNibbles(bytes + 2, block.values, codeOfIq4);
}

static double readE2m1(int bits) {
  static constexpr double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  double size = sizes[bits & 7];
  return bits & 8 ? -size : size;
}

static void readMxfp4(Bytes bytes, GgmlBlock &block) {
  block.scale = std::ldexp(1.0, bytes[0] - 127);
  readNibbles(bytes + 1, block.values, readE2m1);
}

/// Reads a float of E4M3 without a sign. ggml takes NaN for 0.
static double readUe4m3(unsigned char bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  if (bits == 127)
    return 0;
  return exponent ? std::ldexp(8 + fraction, exponent - 10)
                  : std::ldexp(fraction, -9);
}

static void readNvfp4(Bytes bytes, GgmlBlock &block) {
  for (int sub = 0; sub < 4; ++sub) {
    block.subScales[sub] = readUe4m3(bytes[sub]);
    readNibbles(bytes + 4 + 8 * sub, block.values + 16 * sub, readE2m1, 8);
  }
}

//===----------------------------------------------------------------------===//
// Blocks of 256
//===----------------------------------------------------------------------===//

/// Returns value i of 128 values of 2 bits in 32 bytes. It is at bits 2 (i /
/// 32) of byte i % 32.
static int pickTwoBits(Bytes bytes, int i) {
  return bytes[i % 32] >> (2 * (i / 32)) & 3;
}

static void readQ2K(Bytes bytes, GgmlBlock &block) {
  Bytes bits = bytes + 16;
  block.scale = readHalf(bytes + 80);
  block.minimum = readHalf(bytes + 82);
  for (int sub = 0; sub < 16; ++sub) {
    block.subScales[sub] = low(bytes[sub]);
    block.subMinimums[sub] = high(bytes[sub]);
  }
  for (int i = 0; i < 256; ++i)
    block.values[i] = pickTwoBits(bits + 32 * (i / 128), i % 128);
}

static void readQ3K(Bytes bytes, GgmlBlock &block) {
  Bytes thirds = bytes, bits = bytes + 32, scales = bytes + 96;
  block.scale = readHalf(bytes + 108);
  for (int sub = 0; sub < 16; ++sub) {
    int lower = sub < 8 ? low(scales[sub]) : high(scales[sub - 8]);
    int upper = scales[8 + sub % 4] >> (2 * (sub / 4)) & 3;
    block.subScales[sub] = (lower | upper << 4) - 32;
  }
  for (int i = 0; i < 256; ++i) {
    int third = thirds[i % 32] >> (i / 32) & 1;
    block.values[i] =
        (pickTwoBits(bits + 32 * (i / 128), i % 128) | third << 2) - 4;
  }
}

/// Reads eight scales and eight minimums of 6 bits in 12 bytes.
static void readScalesAndMinimums(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  block.minimum = readHalf(bytes + 2);
  Bytes packed = bytes + 4;
  for (int sub = 0; sub < 4; ++sub) {
    block.subScales[sub] = packed[sub] & 63;
    block.subMinimums[sub] = packed[sub + 4] & 63;
    block.subScales[sub + 4] = low(packed[sub + 8]) | packed[sub] >> 6 << 4;
    block.subMinimums[sub + 4] =
        high(packed[sub + 8]) | packed[sub + 4] >> 6 << 4;
  }
}

static void readQ4K(Bytes bytes, GgmlBlock &block) {
  readScalesAndMinimums(bytes, block);
  for (int part = 0; part < 4; ++part)
    readNibbles(
        bytes + 16 + 32 * part, block.values + 64 * part,
        [](int bits) { return bits; }, 32);
}

static void readQ5K(Bytes bytes, GgmlBlock &block) {
  readScalesAndMinimums(bytes, block);
  Bytes fifths = bytes + 16;
  for (int part = 0; part < 4; ++part)
    readNibbles(
        bytes + 48 + 32 * part, block.values + 64 * part,
        [](int bits) { return bits; }, 32);
  for (int i = 0; i < 256; ++i)
    block.values[i] += (fifths[i % 32] >> (i / 32) & 1) << 4;
}

static void readQ6K(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes + 208);
  readSigned(bytes + 192, block.subScales, 16);
  for (int part = 0; part < 2; ++part) {
    double *values = block.values + 128 * part;
    Bytes upper = bytes + 128 + 32 * part;
    readNibbles(
        bytes + 64 * part, values, [](int bits) { return bits; }, 64);
    for (int i = 0; i < 128; ++i)
      values[i] += (pickTwoBits(upper, i) << 4) - 32;
  }
}

static void readQ8K(Bytes bytes, GgmlBlock &block) {
  block.scale = llvm::bit_cast<float>(llvm::support::endian::read32le(bytes));
  readSigned(bytes + 4, block.values, 256);
}

static void readIq4Xs(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes);
  unsigned upper = llvm::support::endian::read16le(bytes + 2);
  for (int sub = 0; sub < 8; ++sub) {
    unsigned char pair = bytes[4 + sub / 2];
    int lower = sub % 2 ? high(pair) : low(pair);
    block.subScales[sub] =
        static_cast<int>(lower | (upper >> (2 * sub) & 3) << 4) - 32;
    readNibbles(bytes + 8 + 16 * sub, block.values + 32 * sub, codeOfIq4);
  }
}

static void readTq20(Bytes bytes, GgmlBlock &block) {
  block.scale = readHalf(bytes + 64);
  for (int i = 0; i < 256; ++i)
    block.values[i] = pickTwoBits(bytes + 32 * (i / 128), i % 128) - 1;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static constexpr GgmlFormat formats[] = {
    {"q4_0", 0, true, readQ40},      {"q4_1", 32, false, readQ41},
    {"q5_0", 0, true, readQ50},      {"q5_1", 32, false, readQ51},
    {"q8_0", 0, true, readQ80},      {"q8_1", 0, false, readQ81},
    {"q2_K", 16, false, readQ2K},    {"q3_K", 16, true, readQ3K},
    {"q4_K", 32, false, readQ4K},    {"q5_K", 32, false, readQ5K},
    {"q6_K", 16, true, readQ6K},     {"q8_K", 0, false, readQ8K},
    {"iq4_nl", 0, false, readIq4Nl}, {"iq4_xs", 32, false, readIq4Xs},
    {"tq2_0", 0, false, readTq20},   {"mxfp4", 0, true, readMxfp4},
    {"nvfp4", 16, true, readNvfp4},
};

const GgmlFormat *mlir::llm::findGgmlFormat(std::string_view name) {
  for (const GgmlFormat &format : formats)
    if (format.name == name)
      return &format;
  return nullptr;
}

double GgmlFormat::getNumber(const GgmlBlock &block, int64_t i) const {
  double scaled = block.values[i] * block.scale;
  if (!subBlock)
    return scaled;
  int64_t sub = i / subBlock;
  scaled *= block.subScales[sub];
  // Formats without minimums leave those of sub-blocks unset, too.
  return block.minimum == 0 ? scaled
                            : scaled - block.minimum * block.subMinimums[sub];
}
