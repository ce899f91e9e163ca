//===- SafetensorsHeaderTest.cpp - Names and shapes of a checkpoint -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/SafetensorsHeader.h"
#include "BinaryFile.h"
#include "Messages.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// A file of that header and as many bytes of data.
BinaryFile fileOf(StringRef json, size_t dataBytes) {
  BinaryFile file;
  file.u64(json.size()).text(json).bytes.append(dataBytes, '\0');
  return file;
}

/// A header of one tensor named t.
std::string tensorOf(StringRef dtype, StringRef shape, StringRef offsets) {
  return ("{\"t\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
          ",\"data_offsets\":" + offsets + "}}")
      .str();
}

/// Not in the order of the data; padded as the reference pads.
const char *const validJson =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
    R"("a":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
    R"("zero":{"dtype":"F32","shape":[0,7],"data_offsets":[20,20]},)"
    R"("f4":{"data_offsets":[20,23],"shape":[3,2],"dtype":"F4"},)"
    R"("f8":{"dtype":"F8_E4M3","shape":[5],"data_offsets":[23,28]}}   )";
constexpr size_t validDataBytes = 28;

class Safetensors : public ::testing::Test {
protected:
  FailureOr<SafetensorsHeader> parse(const BinaryFile &file) {
    return SafetensorsHeader::parse(file.bytes, "m.st", &context);
  }
  std::string errorOf(const BinaryFile &file) {
    EXPECT_TRUE(failed(parse(file)));
    return messages.take();
  }
  std::string errorOf(StringRef json, size_t dataBytes) {
    return errorOf(fileOf(json, dataBytes));
  }
  std::string indexErrorOf(StringRef text) {
    EXPECT_TRUE(failed(SafetensorsIndex::parse(text, "i.json", &context)));
    return messages.take();
  }

  MLIRContext context;
  Messages messages{&context};
};

TEST_F(Safetensors, Tensors) {
  auto header = parse(fileOf(validJson, validDataBytes));
  ASSERT_TRUE(succeeded(header)) << messages.take();
  ASSERT_EQ(header->tensors().size(), 5u);
  uint64_t dataStart = 8 + StringRef(validJson).size();
  const SafetensorsTensor &b = header->tensors()[0];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.dtype, "BF16");
  EXPECT_EQ(b.shape, (SmallVector<int64_t, 4>{2, 3}));
  EXPECT_EQ(b.beginBytes, dataStart + 8);
  EXPECT_EQ(b.endBytes, dataStart + 20);
  EXPECT_EQ(header->find("a"), &header->tensors()[1]);
  EXPECT_TRUE(header->find("a")->shape.empty());
  EXPECT_EQ(header->find("f8")->endBytes, dataStart + 28);
  EXPECT_EQ(header->find("__metadata__"), nullptr);
  mlir::emitError(header->loc()) << "start";
  mlir::emitError(b.loc) << "tensor";
  EXPECT_EQ(messages.take(), "m.st:1:1: start\nm.st:1:37: tensor\n");
}

TEST_F(Safetensors, NoTensors) {
  auto header = parse(fileOf("{}      ", 0));
  ASSERT_TRUE(succeeded(header));
  EXPECT_TRUE(header->tensors().empty());
}

// Sizes of 24 elements, which are whole bytes for all.
TEST_F(Safetensors, Dtypes) {
  std::pair<const char *, int> bitsOf[] = {
      {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"BOOL", 8},    {"U8", 8},
      {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
      {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
      {"F32", 32}, {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64}};
  for (auto [dtype, bits] : bitsOf) {
    EXPECT_EQ(safetensorsElementBits(dtype), bits) << dtype;
    std::string offsets = "[0," + std::to_string(3 * bits) + "]";
    EXPECT_TRUE(
        succeeded(parse(fileOf(tensorOf(dtype, "[4,6]", offsets), 3 * bits))))
        << dtype;
  }
  EXPECT_EQ(safetensorsElementBits("bf16"), std::nullopt);
}

TEST_F(Safetensors, Length) {
  EXPECT_EQ(errorOf(BinaryFile().u32(7)),
            "m.st:1:1: at byte 0: expected the length of the header (8 bytes), "
            "found the end of the file after 4 bytes\n");
  EXPECT_EQ(errorOf(BinaryFile().u64(3).text("{}")),
            "m.st:1:9: at byte 8: expected the header (3 bytes), found the end "
            "of the file after 2 bytes\n");
  EXPECT_EQ(errorOf(BinaryFile().u64(100000001).text("{}")),
            "m.st:1:1: at byte 0: the header has 100000001 bytes, expected at "
            "most 100000000\n");
  EXPECT_EQ(errorOf(BinaryFile().u64(UINT64_MAX).text("{}")),
            "m.st:1:1: at byte 0: the header has 18446744073709551615 bytes, "
            "expected at most 100000000\n");
}

TEST_F(Safetensors, Json) {
  EXPECT_EQ(errorOf(" {}", 0), "m.st:1:9: at byte 8: expected the header to "
                               "start with {, found \" \"\n");
  EXPECT_EQ(errorOf("", 0), "m.st:1:9: at byte 8: expected the header to start "
                            "with {, found \"\"\n");
  EXPECT_NE(errorOf("{]", 0).find("m.st:1:2: invalid JSON: "),
            std::string::npos);
  EXPECT_EQ(errorOf(R"({"a":{},"a":{}})", 0),
            "m.st:1:9: the key \"a\" is there twice\n");
}

TEST_F(Safetensors, Metadata) {
  EXPECT_EQ(errorOf(R"({"__metadata__":1})", 0),
            "m.st:1:17: '__metadata__' must be an object, got 1\n");
  EXPECT_EQ(errorOf(R"({"__metadata__":{"a":1}})", 0),
            "m.st:1:22: '__metadata__.a' must be a string, got 1\n");
}

TEST_F(Safetensors, Members) {
  EXPECT_EQ(errorOf(R"({"t":1})", 0), "m.st:1:6: 't' must be an object, got "
                                      "1\n");
  EXPECT_EQ(errorOf(R"({"t":{"shape":[],"data_offsets":[0,0]}})", 0),
            "m.st:1:6: 't.dtype' is missing\n");
  EXPECT_EQ(errorOf(R"({"t":{"dtype":"U8","data_offsets":[0,0]}})", 0),
            "m.st:1:6: 't.shape' is missing\n");
  EXPECT_EQ(errorOf(R"({"t":{"dtype":"U8","shape":[]}})", 0),
            "m.st:1:6: 't.data_offsets' is missing\n");
  EXPECT_EQ(
      errorOf(R"({"t":{"dtype":"U8","shape":[],"data_offsets":[0,1],"x":0}})",
              1),
      "m.st:1:56: expected dtype, shape and data_offsets of a tensor, found "
      "\"x\"\n");
}

TEST_F(Safetensors, WrongMembers) {
  EXPECT_EQ(errorOf(R"({"t":{"dtype":8,"shape":[],"data_offsets":[0,1]}})", 1),
            "m.st:1:15: 't.dtype' must be a string, got 8\n");
  EXPECT_EQ(errorOf(tensorOf("bf16", "[]", "[0,2]"), 2),
            "m.st:1:15: tensor \"t\" has the unknown dtype \"bf16\"\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "3", "[0,3]"), 3),
            "m.st:1:28: 't.shape' must be an array, got 3\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[-1]", "[0,3]"), 3),
            "m.st:1:29: 't.shape[0]' must be a whole number of at least 0, got "
            "-1\n");
  EXPECT_EQ(
      errorOf(tensorOf("U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,1]"),
              1),
      "m.st:1:28: tensor \"t\" has 17 dimensions, expected at most 16\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "3"), 3),
            "m.st:1:47: 't.data_offsets' must be an array, got 3\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "[0,1,2]"), 3),
            "m.st:1:47: tensor \"t\" must have two data_offsets, found 3\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "[0,-3]"), 3),
            "m.st:1:50: 't.data_offsets[1]' must be a whole number of at least "
            "0, got -3\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "[3,0]"), 3),
            "m.st:1:47: tensor \"t\" ends at offset 0, before it begins at "
            "offset 3\n");
}

TEST_F(Safetensors, Sizes) {
  EXPECT_EQ(errorOf(tensorOf("BF16", "[3]", "[0,3]"), 3),
            "m.st:1:49: tensor \"t\" must have 6 bytes by its dtype and shape, "
            "found 3 between its data_offsets\n");
  EXPECT_EQ(errorOf(tensorOf("F4", "[3]", "[0,2]"), 2),
            "m.st:1:28: tensor \"t\" has 12 bits, which are no whole bytes\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[4294967296,4294967296]", "[0,0]"), 0),
            "m.st:1:28: tensor \"t\" has more bits than "
            "2305843009213693951\n");
}

TEST_F(Safetensors, Cover) {
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "[1,4]"), 4),
            "m.st:1:6: tensor \"t\" begins at offset 1, expected 0, where the "
            "data before it ends\n");
  EXPECT_EQ(errorOf(tensorOf("U8", "[3]", "[0,3]"), 2),
            "m.st:1:6: tensor \"t\" ends at offset 3, but the data of the file "
            "has 2 bytes\n");
  std::string json = tensorOf("U8", "[3]", "[0,3]");
  EXPECT_EQ(errorOf(json, 4),
            "m.st:1:" + std::to_string(json.size() + 9) +
                ": the data of the file has 4 bytes, expected 3 by its "
                "tensors\n");
  std::string two = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})";
  EXPECT_EQ(errorOf(two, 6),
            "m.st:1:58: tensor \"b\" begins at offset 2, expected 4, where the "
            "data before it ends\n");
}

TEST_F(Safetensors, Truncations) {
  BinaryFile file = fileOf(validJson, validDataBytes);
  for (size_t size = 0; size < file.bytes.size(); ++size) {
    std::vector<char> copy(file.bytes.begin(), file.bytes.begin() + size);
    EXPECT_TRUE(failed(SafetensorsHeader::parse(
        StringRef(copy.data(), copy.size()), "m.st", &context)))
        << size;
    EXPECT_NE(messages.take(), "") << size;
  }
}

TEST_F(Safetensors, Mutations) {
  BinaryFile file = fileOf(validJson, validDataBytes);
  size_t headerBytes = 8 + StringRef(validJson).size();
  std::mt19937_64 random(1);
  unsigned read = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    char &byte = file.bytes[random() % headerBytes];
    char before = std::exchange(byte, static_cast<char>(random() % 128));
    if (succeeded(parse(file)))
      ++read;
    else
      EXPECT_NE(messages.take(), "");
    byte = before;
  }
  EXPECT_GT(read, 1000u);
  EXPECT_LT(read, 199000u);
}

// The largest checkpoints have some hundred thousand tensors.
TEST_F(Safetensors, ManyTensors) {
  std::string json = "{";
  for (int i = 0; i < 100000; ++i)
    json += (i ? ",\"t" : "\"t") + std::to_string(i) +
            R"(":{"dtype":"U8","shape":[1,1],"data_offsets":[)" +
            std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  auto header = parse(fileOf(json + "}", 100000));
  ASSERT_TRUE(succeeded(header));
  EXPECT_EQ(header->find("t99999"), &header->tensors()[99999]);
}

TEST_F(Safetensors, Index) {
  auto index = SafetensorsIndex::parse(
      R"({"metadata":{"total_size":1.5e10},"weight_map":{"b":"m-2.safetensors",
          "a":"m-1.safetensors","c":"m-2.safetensors"}})",
      "i.json", &context);
  ASSERT_TRUE(succeeded(index)) << messages.take();
  EXPECT_EQ(index->shards().vec(),
            (std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"}));
  ASSERT_EQ(index->tensors().size(), 3u);
  EXPECT_EQ(index->tensors()[1].first, "a");
  EXPECT_EQ(index->tensors()[1].second, "m-1.safetensors");
  EXPECT_EQ(index->findShard("c"), StringRef("m-2.safetensors"));
  EXPECT_EQ(index->findShard("d"), std::nullopt);
}

TEST_F(Safetensors, IndexErrors) {
  EXPECT_EQ(indexErrorOf("{}"),
            "i.json:1:1: 'weight_map' is missing: an index of safetensors "
            "(model.safetensors.index.json) has the file of each tensor "
            "there\n");
  EXPECT_EQ(indexErrorOf("[]"),
            "i.json:1:1: the top level must be an object, got an array\n");
  EXPECT_EQ(indexErrorOf(R"({"weight_map":[]})"),
            "i.json:1:15: 'weight_map' must be an object, got an array\n");
  EXPECT_EQ(indexErrorOf(R"({"weight_map":{"a":1}})"),
            "i.json:1:20: 'weight_map.a' must be a string, got 1\n");
  for (const char *shard : {"", ".", "..", ".hidden", "/etc/passwd", "a/b",
                            "../a", "a\\\\b", "a\\u0000b"})
    EXPECT_NE(
        indexErrorOf(std::string(R"({"weight_map":{"a":")") + shard + "\"}}")
            .find("i.json:1:20: expected the name of a file beside the "
                  "index, found \""),
        std::string::npos)
        << shard;
}

} // namespace
