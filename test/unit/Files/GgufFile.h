//===- GgufFile.h - GGUF files for tests ------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_FILES_GGUFFILE_H
#define LLM_TEST_UNIT_FILES_GGUFFILE_H

#include "BinaryFile.h"
#include "Messages.h"
#include "llm/Files/GgufHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

namespace mlir::llm {

/// Writes a file in the order of the calls; no number is checked.
struct GgufFile : BinaryFile {
  GgufFile(uint64_t tensorCount, uint64_t entryCount, uint32_t version = 3) {
    text("GGUF").u32(version).u64(tensorCount).u64(entryCount);
  }
  GgufFile &string(StringRef value) {
    u64(value.size()).text(value);
    return *this;
  }
  /// A key and its type; the value comes next.
  GgufFile &key(StringRef name, GgufValueType type) {
    string(name).u32(static_cast<uint32_t>(type));
    return *this;
  }
  GgufFile &array(StringRef name, GgufValueType elementType, uint64_t count) {
    key(name, GgufValueType::Array)
        .u32(static_cast<uint32_t>(elementType))
        .u64(count);
    return *this;
  }
  /// `sizes` innermost first, as in the file.
  GgufFile &tensor(StringRef name, std::vector<uint64_t> sizes, uint32_t type,
                   uint64_t offset) {
    string(name).u32(sizes.size());
    for (uint64_t size : sizes)
      u64(size);
    u32(type).u64(offset);
    return *this;
  }
  GgufFile &data(uint64_t sizeBytes, uint64_t alignment = 32) {
    bytes.resize(llvm::alignTo(bytes.size(), alignment) + sizeBytes);
    return *this;
  }
};

inline constexpr auto typeU8 = GgufValueType::Uint8;
inline constexpr auto typeU32 = GgufValueType::Uint32;
inline constexpr auto typeBool = GgufValueType::Boolean;
inline constexpr auto typeString = GgufValueType::String;
inline constexpr auto typeArray = GgufValueType::Array;

/// A bit of everything.
inline GgufFile validFile() {
  GgufFile file(3, 11);
  file.key("general.architecture", typeString).string("llama");
  file.key("general.alignment", typeU32).u32(64);
  file.key("llama.block_count", GgufValueType::Uint16).u16(2);
  file.key("llama.rope.freq_base", GgufValueType::Float32).f32(500000);
  file.key("llama.eps", GgufValueType::Float64).f64(1e-5);
  file.key("a.bool", typeBool).u8(1);
  file.key("a.wide", GgufValueType::Int64).u64(static_cast<uint64_t>(-7));
  file.array("llama.heads", GgufValueType::Int32, 2).u32(8).u32(4);
  file.array("tokenizer.ggml.tokens", typeString, 3);
  file.string("<s>").string("").string("the");
  file.array("a.nested", typeArray, 1).u32(9).u64(1);
  file.u32(9).u64(1).u32(7).u64(2).u8(0).u8(1);
  file.key("a.huge", GgufValueType::Uint64).u64(UINT64_MAX);
  file.tensor("token_embd.weight", {256, 3}, 12, 64); // q4_K: 3 * 144 bytes
  file.tensor("norm.weight", {16}, 0, 0);             // f32: 64 bytes
  file.tensor("exps", {32, 2, 5, 1}, 2, 512);         // q4_0: 10 * 18 bytes
  file.data(512 + 180, 64);
  return file;
}

class Gguf : public ::testing::Test {
protected:
  FailureOr<GgufHeader> parse(const BinaryFile &file) {
    return GgufHeader::parse(file.bytes, "m.gguf", &context);
  }
  std::string errorOf(const BinaryFile &file) {
    EXPECT_TRUE(failed(parse(file)));
    return messages.take();
  }
  /// All that can be asked of a header.
  static uint64_t askEverything(const GgufHeader &header) {
    uint64_t sum = 0;
    for (StringRef key : header.keys()) {
      sum += header.has(key) + header.isArray(key);
      sum += succeeded(header.findWholeNumber(key));
      sum += succeeded(header.findNumber(key));
      sum += succeeded(header.findBoolean(key));
      sum += succeeded(header.findString(key));
      sum += succeeded(header.findWholeNumbers(key));
      sum += succeeded(header.findArrayLength(key));
    }
    for (const GgufTensor &tensor : header.tensors())
      sum += header.findTensor(tensor.name) == &tensor;
    return sum;
  }

  MLIRContext context;
  Messages messages{&context};
};

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_FILES_GGUFFILE_H
