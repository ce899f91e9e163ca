//===- FreeRanges.cpp - The unused ranges of a memory ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeRanges.h"

#include <iterator>

namespace mlir::llm::scheduling {

void FreeRanges::addHole(int64_t address, int64_t bytes) {
  bytesOfHole[address] = bytes;
  bySize.insert({bytes, address});
}

void FreeRanges::dropHole(int64_t address, int64_t bytes) {
  bytesOfHole.erase(address);
  bySize.erase({bytes, address});
}

int64_t FreeRanges::take(int64_t bytes, int64_t limit) {
  // Holes that are too high are few: what is high is mostly the range behind
  // everything. A bound on the tries keeps the worst case logarithmic.
  constexpr int maxTries = 16;
  auto hole = bySize.lower_bound({bytes, 0});
  for (int tries = 0; hole != bySize.end() && tries < maxTries;
       ++hole, ++tries) {
    auto [size, address] = *hole;
    if (bytes > limit - address)
      continue;
    takeFrom(address, bytes);
    return address;
  }
  int64_t address = end;
  takeFrom(address, bytes);
  return address;
}

void FreeRanges::takeFrom(int64_t address, int64_t bytes) {
  if (address == end) {
    end += bytes;
    return;
  }
  int64_t size = bytesOfHole.at(address);
  dropHole(address, size);
  if (size > bytes)
    addHole(address + bytes, size - bytes);
}

int64_t FreeRanges::lowestFor(int64_t bytes) const {
  constexpr int maxTries = 16;
  int tries = 0;
  for (auto [address, size] : bytesOfHole) {
    if (size >= bytes)
      return address;
    if (++tries == maxTries)
      break;
  }
  return end;
}

int64_t FreeRanges::takeLowest(int64_t bytes) {
  int64_t address = lowestFor(bytes);
  takeFrom(address, bytes);
  return address;
}

void FreeRanges::giveBack(int64_t address, int64_t bytes) {
  auto next = bytesOfHole.lower_bound(address);
  if (next != bytesOfHole.begin()) {
    auto [before, size] = *std::prev(next);
    if (before + size == address) {
      dropHole(before, size);
      address = before;
      bytes += size;
    }
  }
  if (next != bytesOfHole.end() && next->first == address + bytes) {
    int64_t size = next->second;
    dropHole(next->first, size);
    bytes += size;
  }
  if (address + bytes == end)
    end = address;
  else
    addHole(address, bytes);
}

} // namespace mlir::llm::scheduling
