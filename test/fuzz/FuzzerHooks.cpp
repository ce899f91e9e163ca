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

/// Pages of numbers, in which tokens of a text are not to be found.
static bool isDatabase(StringRef text) {
  return text.starts_with("SQLite format 3");
}

/// Records of numbers, among which there are names.
static bool isRecords(StringRef text) {
  return text.starts_with("llmggml\n") || text.starts_with("GGMLVIZ1");
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
  StringRef text = toText(data, size);
  bool isOfBytes = isDatabase(text) || (isRecords(text) && seed % 8);
  if (seed % 32 == 0 || isOfBytes)
    return LLVMFuzzerMutate(data, size, maxSize);
  return write(text, text, data, maxSize, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  StringRef text = toText(data1, size1), donor = toText(data2, size2);
  if (!isDatabase(text))
    return write(text, donor, out, maxSize, seed);
  // The first pages of one, the last ones of the other.
  constexpr size_t pageBytes = 512; // of the seeds
  size_t kept = std::min({size1, size2, pageBytes * (1 + seed % 32)});
  std::string both = (text.take_front(kept) + donor.drop_front(kept)).str();
  size_t size = std::min(both.size(), maxSize);
  std::memcpy(out, both.data(), size);
  return size;
}
