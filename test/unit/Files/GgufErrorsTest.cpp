//===- GgufErrorsTest.cpp - What is wrong with a GGUF file ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufFile.h"

#include <random>
#include <utility>

using namespace mlir;
using namespace mlir::llm;

namespace {

TEST_F(Gguf, MagicAndVersion) {
  EXPECT_EQ(errorOf(BinaryFile().text("PK\x03\x04 and more")),
            "m.gguf:1:1: at byte 0: expected \"GGUF\", found "
            "\"PK\\03\\04\"\n");
  EXPECT_EQ(errorOf(GgufFile(0, 0, 1)),
            "m.gguf:1:5: at byte 4: expected version 2 or 3, found version 1, "
            "which llama.cpp reads no longer either\n");
  EXPECT_EQ(errorOf(GgufFile(0, 0, 4)),
            "m.gguf:1:5: at byte 4: expected version 2 or 3, found version "
            "4\n");
  EXPECT_EQ(errorOf(GgufFile(0, 0, 0)),
            "m.gguf:1:5: at byte 4: expected version 2 or 3, found version "
            "0\n");
  EXPECT_EQ(errorOf(GgufFile(0, 0, 0x03000000)),
            "m.gguf:1:5: at byte 4: expected version 2 or 3, found version 3 "
            "in big-endian byte order: only little-endian files are "
            "supported\n");
}

TEST_F(Gguf, ShortFiles) {
  EXPECT_EQ(errorOf(BinaryFile()),
            "m.gguf:1:1: at byte 0: expected \"GGUF\" (4 bytes), found the end "
            "of the file after 0 bytes\n");
  EXPECT_EQ(errorOf(BinaryFile().text("GGUF").u16(3)),
            "m.gguf:1:5: at byte 4: expected the version (4 bytes), found the "
            "end of the file after 2 bytes\n");
}

// Each prefix of a file whose last tensor ends at its end is an error.
TEST_F(Gguf, Truncations) {
  GgufFile file = validFile();
  for (size_t size = 0; size < file.bytes.size(); ++size) {
    StringRef prefix = StringRef(file.bytes).take_front(size);
    // A copy of its own, so that a sanitizer sees reads behind its end.
    std::vector<char> copy(prefix.begin(), prefix.end());
    EXPECT_TRUE(failed(GgufHeader::parse(StringRef(copy.data(), copy.size()),
                                         "m.gguf", &context)))
        << size;
    EXPECT_NE(messages.take(), "") << size;
  }
}

// Counts are refused before anything is reserved for them.
TEST_F(Gguf, HugeCounts) {
  EXPECT_EQ(errorOf(GgufFile(uint64_t(1) << 60, 0)),
            "m.gguf:1:9: at byte 8: 1152921504606846976 tensors of at least 33 "
            "bytes each can not be in the 0 bytes that are left\n");
  EXPECT_EQ(errorOf(GgufFile(0, uint64_t(1) << 60)),
            "m.gguf:1:17: at byte 16: 1152921504606846976 metadata entries of "
            "at least 14 bytes each can not be in the 0 bytes that are left\n");
  GgufFile array(0, 1);
  array.array("k", GgufValueType::Uint64, uint64_t(1) << 61);
  EXPECT_EQ(errorOf(array),
            "m.gguf:1:42: at byte 41: 2305843009213693952 array elements of at "
            "least 8 bytes each can not be in the 0 bytes that are left\n");
  GgufFile strings(0, 1);
  strings.array("k", typeString, uint64_t(1) << 61).u64(0);
  EXPECT_EQ(errorOf(strings),
            "m.gguf:1:42: at byte 41: 2305843009213693952 array elements of at "
            "least 8 bytes each can not be in the 8 bytes that are left\n");
  GgufFile arrays(0, 1);
  arrays.array("k", typeArray, 3).data(35, 1);
  EXPECT_EQ(errorOf(arrays),
            "m.gguf:1:42: at byte 41: 3 array elements of at least 12 bytes "
            "each can not be in the 35 bytes that are left\n");
}

// The count is compared again behind the metadata, which may have taken the
// bytes.
TEST_F(Gguf, TensorCountBehindMetadata) {
  GgufFile file(2, 1);
  file.array("k", typeU8, 100).data(100, 1);
  EXPECT_EQ(errorOf(file),
            "m.gguf:1:9: at byte 8: 2 tensors of at least 33 bytes each can "
            "not be in the 0 bytes that are left\n");
}

// A sparse file can hold billions of empty strings.
TEST_F(Gguf, TooManyStrings) {
  GgufFile file(0, 1);
  uint64_t count = (uint64_t(1) << 26) + 1;
  file.array("k", typeBool, count).data(count, 1);
  EXPECT_EQ(errorOf(file),
            "m.gguf:1:50: at byte 49: expected at most 67108864 strings, truth "
            "values and inner arrays in all arrays\n");
}

TEST_F(Gguf, Keys) {
  GgufFile empty(0, 1);
  empty.key("", typeU32).data(8, 1);
  EXPECT_EQ(errorOf(empty),
            "m.gguf:1:25: at byte 24: a metadata key is empty\n");
  GgufFile large(0, 1);
  large.string(std::string(65536, 'k')).u32(0).u8(0);
  EXPECT_EQ(errorOf(large), "m.gguf:1:25: at byte 24: a metadata key has 65536 "
                            "bytes, expected at most 65535\n");
  GgufFile beyond(0, 1);
  beyond.u64(1000).text("0123456789");
  EXPECT_EQ(errorOf(beyond),
            "m.gguf:1:33: at byte 32: expected a metadata key (1000 bytes), "
            "found the end of the file after 10 bytes\n");
  GgufFile twice(0, 2);
  twice.key("k", typeU8).u8(1);
  twice.key("k", typeU8).u8(1);
  EXPECT_EQ(errorOf(twice),
            "m.gguf:1:39: at byte 38: the metadata key \"k\" is there twice\n");
}

TEST_F(Gguf, Values) {
  GgufFile type(0, 1);
  type.string("k").u32(13).u8(0);
  EXPECT_EQ(errorOf(type), "m.gguf:1:34: at byte 33: expected the type of a "
                           "value (0 to 12), found 13\n");
  GgufFile elementType(0, 1);
  elementType.key("k", typeArray).u32(99).u64(0);
  EXPECT_EQ(errorOf(elementType), "m.gguf:1:38: at byte 37: expected the type "
                                  "of a value (0 to 12), found 99\n");
  GgufFile string(0, 1);
  string.key("k", typeString).u64(UINT64_MAX);
  EXPECT_EQ(errorOf(string),
            "m.gguf:1:46: at byte 45: expected a string (18446744073709551615 "
            "bytes), found the end of the file after 0 bytes\n");
  GgufFile inner(0, 1);
  inner.array("k", typeString, 2).string("ab").u64(9).text("c");
  EXPECT_EQ(errorOf(inner),
            "m.gguf:1:68: at byte 67: expected a string (9 bytes), found the "
            "end of the file after 1 bytes\n");
}

TEST_F(Gguf, TruthValues) {
  GgufFile one(0, 1);
  one.key("k", typeBool).u8(2);
  EXPECT_EQ(errorOf(one), "m.gguf:1:38: at byte 37: expected a truth value (0 "
                          "or 1), found 2\n");
  GgufFile many(0, 1);
  many.array("k", typeBool, 3).u8(0).u8(1).u8(255);
  EXPECT_EQ(errorOf(many), "m.gguf:1:52: at byte 51: expected a truth value (0 "
                           "or 1), found 255\n");
}

TEST_F(Gguf, NestedArrays) {
  GgufFile four(0, 1);
  four.array("k", typeArray, 1).u32(9).u64(1).u32(9).u64(1).u32(0).u64(1).u8(7);
  EXPECT_TRUE(succeeded(parse(four)));
  GgufFile five(0, 1);
  five.array("k", typeArray, 1);
  for (int i = 0; i < 100; ++i)
    five.u32(9).u64(1);
  EXPECT_EQ(errorOf(five), "m.gguf:1:86: at byte 85: arrays are nested deeper "
                           "than 4\n");
}

TEST_F(Gguf, Alignment) {
  for (uint32_t alignment : {0u, 3u, 48u}) {
    GgufFile file(0, 1);
    file.key("general.alignment", typeU32).u32(alignment);
    EXPECT_EQ(errorOf(file),
              "m.gguf:1:50: at byte 49: \"general.alignment\" must be a power "
              "of two, found " +
                  std::to_string(alignment) + "\n");
  }
  GgufFile wide(0, 1);
  wide.key("general.alignment", GgufValueType::Uint64).u64(32);
  EXPECT_EQ(errorOf(wide), "m.gguf:1:50: at byte 49: \"general.alignment\" "
                           "must be u32, found u64 32\n");
}

TEST_F(Gguf, TensorNames) {
  GgufFile empty(1, 0);
  empty.tensor("", {32}, 0, 0).data(128);
  EXPECT_EQ(errorOf(empty),
            "m.gguf:1:25: at byte 24: a tensor's name is empty\n");
  GgufFile large(1, 0);
  large.tensor(std::string(65536, 'n'), {32}, 0, 0).data(128);
  EXPECT_EQ(errorOf(large), "m.gguf:1:25: at byte 24: a tensor's name has "
                            "65536 bytes, expected at most 65535\n");
  GgufFile beyond(1, 0);
  beyond.u64(60000);
  beyond.data(33, 1);
  EXPECT_EQ(errorOf(beyond),
            "m.gguf:1:33: at byte 32: expected a tensor's name (60000 bytes), "
            "found the end of the file after 33 bytes\n");
  GgufFile twice(2, 0);
  twice.tensor("t\n", {8}, 0, 0).tensor("t\n", {8}, 0, 32).data(64);
  EXPECT_EQ(errorOf(twice),
            "m.gguf:1:59: at byte 58: the tensor \"t\\0A\" is there twice\n");
}

TEST_F(Gguf, TensorShapes) {
  auto errorOfShape = [&](std::vector<uint64_t> sizes, uint32_t type) {
    return errorOf(GgufFile(1, 0).tensor("t", sizes, type, 0).data(128));
  };
  EXPECT_EQ(errorOfShape({}, 0), "m.gguf:1:34: at byte 33: the rank of tensor "
                                 "\"t\" must be 1 to 4, found 0\n");
  EXPECT_EQ(errorOfShape({1, 1, 1, 1, 1}, 0),
            "m.gguf:1:34: at byte 33: the rank of tensor \"t\" must be 1 to 4, "
            "found 5\n");
  EXPECT_EQ(errorOfShape({8, 0}, 0),
            "m.gguf:1:46: at byte 45: dimension 1 of tensor \"t\" must be 1 to "
            "2305843009213693951, found 0\n");
  EXPECT_EQ(errorOfShape({uint64_t(1) << 61}, 0),
            "m.gguf:1:38: at byte 37: dimension 0 of tensor \"t\" must be 1 to "
            "2305843009213693951, found 2305843009213693952\n");
  // 2^62 elements of 4 bytes, or of a bit more than one; 2^60 of 8 bytes.
  std::string tooLarge = "m.gguf:1:25: at byte 24: tensor \"t\" has more "
                         "elements or bytes than 2305843009213693951\n";
  uint64_t large = uint64_t(1) << 31;
  EXPECT_EQ(errorOfShape({large, large}, 0), tooLarge);
  EXPECT_EQ(errorOfShape({large, large}, 8), tooLarge);
  EXPECT_EQ(errorOfShape({uint64_t(1) << 60}, 28), tooLarge);
}

TEST_F(Gguf, TensorTypes) {
  for (uint32_t type : {4u, 31u, 1000u})
    EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {8}, type, 0).data(128)),
              "m.gguf:1:46: at byte 45: tensor \"t\" has type " +
                  std::to_string(type) + ", which is none of ggml's\n");
  EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {128, 2}, 12, 0).data(144)),
            "m.gguf:1:25: at byte 24: tensor \"t\" has rows of 128 elements, "
            "expected a multiple of 256, the block of q4_K\n");
}

TEST_F(Gguf, TensorPlaces) {
  EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {8}, 0, 16).data(128)),
            "m.gguf:1:50: at byte 49: the offset of tensor \"t\" must be a "
            "multiple of 32, found 16\n");
  EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {8}, 0, 32).data(63)),
            "m.gguf:1:25: at byte 24: tensor \"t\" has 32 bytes at offset 32, "
            "but the data of the file has 63 bytes\n");
  EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {8}, 0, -32).data(64)),
            "m.gguf:1:25: at byte 24: tensor \"t\" has 32 bytes at offset "
            "18446744073709551584, but the data of the file has 64 bytes\n");
  EXPECT_EQ(errorOf(GgufFile(1, 0).tensor("t", {8}, 0, 0)),
            "m.gguf:1:58: at byte 57: expected the tensors' data from byte 64, "
            "found the end of the file at byte 57\n");
}

TEST_F(Gguf, Overlaps) {
  GgufFile file(3, 0);
  file.tensor("c", {8}, 0, 64).tensor("a", {16}, 0, 0).tensor("b", {8}, 0, 32);
  EXPECT_EQ(errorOf(file.data(96)),
            "m.gguf:1:91: at byte 90: the data of tensor \"b\" starts at byte "
            "160, inside that of tensor \"a\", which ends at byte 192\n");
  GgufFile same(2, 0);
  same.tensor("a", {8}, 0, 0).tensor("b", {8}, 0, 0);
  EXPECT_NE(errorOf(same.data(96)).find("inside that of tensor \"a\""),
            std::string::npos);
  // A hole is none of the reader's business: files may pad as they like.
  EXPECT_TRUE(succeeded(parse(GgufFile(2, 0)
                                  .tensor("b", {8}, 0, 96)
                                  .tensor("a", {8}, 0, 0)
                                  .data(128))));
}

TEST_F(Gguf, LongNamesAreShortened) {
  GgufFile file(1, 0);
  file.tensor(std::string(1000, '\n'), {8}, 99, 0).data(32);
  EXPECT_LT(errorOf(file).size(), 400u);
}

// Broken files give errors or other headers, and never undefined behaviour.
TEST_F(Gguf, Mutations) {
  GgufFile file = validFile();
  size_t headerBytes = file.bytes.size() - (512 + 180);
  std::mt19937_64 random(1);
  unsigned read = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    char &byte = file.bytes[random() % headerBytes];
    char before = std::exchange(byte, static_cast<char>(random()));
    auto header = parse(file);
    if (succeeded(header)) {
      ++read;
      askEverything(*header);
    } else {
      EXPECT_NE(messages.take(), "");
    }
    messages.take();
    byte = before;
  }
  EXPECT_GT(read, 1000u);
  EXPECT_LT(read, 199000u);
}

} // namespace
