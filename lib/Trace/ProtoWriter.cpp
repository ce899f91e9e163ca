//===- ProtoWriter.cpp - The wire format of protocol buffers --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/ProtoWriter.h"

#include <cstring>

using namespace mlir;
using namespace mlir::llm;

// These are the kinds of fields.
constexpr unsigned varintType = 0, fixed64Type = 1, lengthType = 2;

/// Encodes a number with seven bits in a byte, the low ones first. The eighth
/// bit says that more bytes follow.
static unsigned encodeVarint(uint64_t value, char (&digits)[10]) {
  unsigned count = 0;
  for (; value >= 128; value >>= 7)
    digits[count++] = char(value | 128);
  digits[count++] = char(value);
  return count;
}

void ProtoWriter::rawVarint(uint64_t value) {
  char digits[10];
  unsigned count = encodeVarint(value, digits);
  buffer.append(digits, count);
}

void ProtoWriter::varint(unsigned field, uint64_t value) {
  key(field, varintType);
  rawVarint(value);
}

void ProtoWriter::fixed64(unsigned field, uint64_t value) {
  key(field, fixed64Type);
  for (unsigned shift = 0; shift < 64; shift += 8)
    buffer += char(value >> shift);
}

void ProtoWriter::real(unsigned field, double value) {
  uint64_t bits;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  fixed64(field, bits);
}

void ProtoWriter::bytes(unsigned field, StringRef value) {
  key(field, lengthType);
  rawVarint(value.size());
  buffer += value;
}

void ProtoWriter::beginMessage(unsigned field) {
  keys.push_back(buffer.size());
  key(field, lengthType);
  starts.push_back(buffer.size());
  buffer += '\0'; // most lengths have one byte
}

void ProtoWriter::endMessage() {
  size_t start = starts.pop_back_val();
  keys.pop_back();
  char digits[10];
  unsigned count = encodeVarint(buffer.size() - start - 1, digits);
  buffer.replace(start, 1, digits, count);
}

void ProtoWriter::dropMessage() {
  starts.pop_back();
  buffer.resize(keys.pop_back_val());
}
