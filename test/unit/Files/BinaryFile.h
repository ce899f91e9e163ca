//===- BinaryFile.h - A file for tests, byte by byte ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_FILES_BINARYFILE_H
#define LLM_TEST_UNIT_FILES_BINARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"

#include <string>

namespace mlir::llm {

/// Appends numbers, lowest byte first. Knows nothing of any format.
struct BinaryFile {
  BinaryFile &text(llvm::StringRef value) {
    bytes += value;
    return *this;
  }
  BinaryFile &u8(uint8_t value) { return number(value, 1); }
  BinaryFile &u16(uint16_t value) { return number(value, 2); }
  BinaryFile &u32(uint32_t value) { return number(value, 4); }
  BinaryFile &u64(uint64_t value) { return number(value, 8); }
  BinaryFile &f32(float value) { return u32(llvm::bit_cast<uint32_t>(value)); }
  BinaryFile &f64(double value) { return u64(llvm::bit_cast<uint64_t>(value)); }

  std::string bytes;

private:
  BinaryFile &number(uint64_t value, unsigned sizeBytes) {
    for (unsigned i = 0; i < sizeBytes; ++i)
      bytes += static_cast<char>(value >> (8 * i));
    return *this;
  }
};

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_FILES_BINARYFILE_H
