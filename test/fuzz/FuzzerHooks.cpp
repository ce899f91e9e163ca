//===- FuzzerHooks.cpp - What libFuzzer asks of a program -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Mutator.h"

#include <cstring>

using namespace mlir::llm::fuzz;
using llvm::StringRef;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static StringRef toText(const uint8_t *data, size_t size) {
  return StringRef(reinterpret_cast<const char *>(data), size);
}

/// Writes a mutant of `text`; what is too long is not written at all.
static size_t write(StringRef text, StringRef donor, uint8_t *to,
                    size_t maxSize, unsigned seed) {
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    std::string mutant =
        Mutator(text, donor, mutatorWords(), seed + attempt).mutate();
    if (mutant.size() > maxSize)
      continue;
    std::memcpy(to, mutant.data(), mutant.size());
    return mutant.size();
  }
  size_t size = std::min(text.size(), maxSize);
  std::memmove(to, text.data(), size);
  return size;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 32 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  StringRef text = toText(data, size);
  return write(text, text, data, maxSize, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  return write(toText(data1, size1), toText(data2, size2), out, maxSize, seed);
}
