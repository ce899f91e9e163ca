//===- GgufHeaderTest.cpp - What a GGUF file says of its model ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufFile.h"

#include <sys/mman.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

TEST_F(Gguf, Metadata) {
  GgufFile file = validFile();
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header)) << messages.take();
  EXPECT_EQ(header->keys().size(), 11u);
  EXPECT_EQ(header->keys().front(), "general.architecture");
  EXPECT_TRUE(header->has("a.huge"));
  EXPECT_FALSE(header->has("a"));
  EXPECT_EQ(**header->findString("general.architecture"), "llama");
  EXPECT_EQ(**header->findWholeNumber("llama.block_count"), 2);
  EXPECT_EQ(**header->findWholeNumber("a.wide"), -7);
  EXPECT_EQ(**header->findNumber("llama.rope.freq_base"), 500000.0);
  EXPECT_EQ(**header->findNumber("llama.eps"), 1e-5);
  EXPECT_EQ(**header->findNumber("a.wide"), -7.0);
  EXPECT_TRUE(**header->findBoolean("a.bool"));
  EXPECT_TRUE(header->isArray("llama.heads"));
  EXPECT_FALSE(header->isArray("a.wide"));
  EXPECT_FALSE(header->isArray("none"));
  EXPECT_EQ(**header->findWholeNumbers("llama.heads"),
            (std::vector<int64_t>{8, 4}));
  EXPECT_EQ(**header->findArrayLength("tokenizer.ggml.tokens"), 3u);
  EXPECT_EQ(**header->findArrayLength("a.nested"), 1u);
}

TEST_F(Gguf, AbsentKeys) {
  auto header = parse(GgufFile(0, 0));
  ASSERT_TRUE(succeeded(header));
  EXPECT_EQ(*header->findWholeNumber("x"), std::nullopt);
  EXPECT_EQ(*header->findNumber("x"), std::nullopt);
  EXPECT_EQ(*header->findBoolean("x"), std::nullopt);
  EXPECT_EQ(*header->findString("x"), std::nullopt);
  EXPECT_EQ(*header->findWholeNumbers("x"), std::nullopt);
  EXPECT_EQ(*header->findArrayLength("x"), std::nullopt);
  EXPECT_EQ(header->findTensor("x"), nullptr);
  EXPECT_TRUE(header->keys().empty());
  EXPECT_EQ(messages.take(), "");
}

TEST_F(Gguf, IntegersOfAllTypes) {
  GgufFile file(0, 8);
  file.key("u8", typeU8).u8(255);
  file.key("i8", GgufValueType::Int8).u8(255);
  file.key("u16", GgufValueType::Uint16).u16(65535);
  file.key("i16", GgufValueType::Int16).u16(65535);
  file.key("u32", typeU32).u32(4294967295);
  file.key("i32", GgufValueType::Int32).u32(4294967295);
  file.key("u64", GgufValueType::Uint64).u64(INT64_MAX);
  file.key("i64", GgufValueType::Int64).u64(UINT64_MAX);
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header));
  std::vector<int64_t> found;
  for (StringRef key : header->keys())
    found.push_back(**header->findWholeNumber(key));
  EXPECT_EQ(found, (std::vector<int64_t>{255, -1, 65535, -1, 4294967295, -1,
                                         INT64_MAX, -1}));
}

TEST_F(Gguf, Tensors) {
  GgufFile file = validFile();
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header));
  uint64_t dataStart = file.bytes.size() - (512 + 180);
  ASSERT_EQ(header->tensors().size(), 3u);
  const GgufTensor &embedding = header->tensors()[0];
  EXPECT_EQ(embedding.name, "token_embd.weight");
  EXPECT_EQ(embedding.shape, (SmallVector<int64_t, 4>{3, 256}));
  EXPECT_EQ(embedding.type->name, "q4_K");
  EXPECT_EQ(embedding.offsetBytes, dataStart + 64);
  EXPECT_EQ(embedding.sizeBytes, 3 * 144);
  const GgufTensor *experts = header->findTensor("exps");
  ASSERT_EQ(experts, &header->tensors()[2]);
  EXPECT_EQ(experts->shape, (SmallVector<int64_t, 4>{1, 5, 2, 32}));
  EXPECT_EQ(experts->sizeBytes, 10 * 18);
  EXPECT_EQ(header->findTensor("norm.weight")->offsetBytes, dataStart);
  EXPECT_EQ(header->findTensor("norm"), nullptr);
}

TEST_F(Gguf, Places) {
  GgufFile file = validFile();
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header));
  mlir::emitError(header->loc()) << "start";
  mlir::emitError(header->loc("general.architecture")) << "value";
  mlir::emitError(header->loc("none")) << "none";
  size_t info = file.bytes.find("norm.weight") - 8;
  mlir::emitError(header->loc(header->tensors()[1])) << "tensor";
  // The value's type stands behind 24 bytes and the key with its length.
  EXPECT_EQ(messages.take(), "m.gguf:1:1: start\nm.gguf:1:53: value\n"
                             "m.gguf:1:1: none\nm.gguf:1:" +
                                 std::to_string(info + 1) + ": tensor\n");
}

TEST_F(Gguf, VersionTwo) { EXPECT_TRUE(succeeded(parse(GgufFile(0, 0, 2)))); }

TEST_F(Gguf, WrongTypes) {
  GgufFile file = validFile();
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header));
  auto said = [&](auto found) {
    EXPECT_TRUE(failed(found));
    return StringRef(messages.take())
        .split(": at byte ")
        .second.split(": ")
        .second.str();
  };
  EXPECT_EQ(said(header->findWholeNumber("general.architecture")),
            "\"general.architecture\" must be a whole number of 63 bits and a "
            "sign, found string \"llama\"\n");
  EXPECT_EQ(said(header->findWholeNumber("a.huge")),
            "\"a.huge\" must be a whole number of 63 bits and a sign, found "
            "u64 18446744073709551615\n");
  EXPECT_EQ(said(header->findWholeNumber("a.bool")),
            "\"a.bool\" must be a whole number of 63 bits and a sign, found "
            "bool true\n");
  EXPECT_EQ(said(header->findNumber("llama.heads")),
            "\"llama.heads\" must be a finite number, found array of 2 i32\n");
  EXPECT_EQ(said(header->findBoolean("llama.block_count")),
            "\"llama.block_count\" must be a truth value, found u16 2\n");
  EXPECT_EQ(said(header->findString("llama.rope.freq_base")),
            "\"llama.rope.freq_base\" must be a string, found f32 "
            "500000.000000\n");
  EXPECT_EQ(said(header->findWholeNumbers("tokenizer.ggml.tokens")),
            "\"tokenizer.ggml.tokens\" must be an array of at most 1048576 "
            "whole numbers, found array of 3 string\n");
  EXPECT_EQ(said(header->findWholeNumbers("a.wide")),
            "\"a.wide\" must be an array of at most 1048576 whole numbers, "
            "found i64 -7\n");
  EXPECT_EQ(said(header->findArrayLength("a.wide")),
            "\"a.wide\" must be an array, found i64 -7\n");
}

TEST_F(Gguf, WrongNumbers) {
  GgufFile file(0, 3);
  file.key("inf", GgufValueType::Float32).u32(0x7F800000);
  file.array("huge", GgufValueType::Uint64, 1).u64(UINT64_MAX);
  file.array("many", typeU8, (1 << 20) + 1).data((1 << 20) + 1, 1);
  auto header = parse(file);
  ASSERT_TRUE(succeeded(header));
  EXPECT_TRUE(failed(header->findNumber("inf")));
  EXPECT_EQ(messages.take(), "m.gguf:1:36: at byte 35: \"inf\" must be a "
                             "finite number, found f32 inf\n");
  EXPECT_TRUE(failed(header->findWholeNumbers("huge")));
  EXPECT_EQ(messages.take(),
            "m.gguf:1:56: at byte 55: \"huge\" must be an array of whole "
            "numbers of 63 bits and a sign, found array of 1 u64\n");
  EXPECT_TRUE(failed(header->findWholeNumbers("many")));
  messages.take();
}

// A place beyond 32 bits of columns has none, but the text names the byte. The
// pages between are never touched.
TEST_F(Gguf, BeyondFourGigabytes) {
  GgufFile start(0, 2);
  uint64_t count = uint64_t(1) << 32, sizeBytes = count + (1 << 20);
  start.array("k", typeU8, count);
  void *pages = mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  llvm::copy(start.bytes, static_cast<char *>(pages));
  StringRef file(static_cast<char *>(pages), sizeBytes);
  EXPECT_TRUE(failed(GgufHeader::parse(file, "m.gguf", &context)));
  // 24 bytes of counts, 9 of the key, 16 of types and length.
  EXPECT_EQ(messages.take(),
            "m.gguf:1:0: at byte 4294967345: a metadata key is empty\n");
  munmap(pages, sizeBytes);
}

} // namespace
