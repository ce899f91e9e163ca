//===- ChunkChoice.cpp - How many tokens are taken at once ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkChoice.h"
#include "llm/Workload/Workload.h"

#include <optional>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

/// Matrix engines like chunks of 16 tokens or more. From some size on, the work
/// within a chunk is most of all, and only grows. Chunks that are no shorter
/// than the prompt are all alike.
static SmallVector<int64_t> sizesWorthATrial(int64_t tokens, int64_t given) {
  constexpr int64_t least = 16, most = 512;
  SmallVector<int64_t> sizes = {given}; // of equal ones, the first is kept
  for (int64_t size = least; size <= most; size *= 2) {
    sizes.push_back(size);
    if (size >= tokens)
      break;
  }
  return sizes;
}

static bool isShorter(const Price &price, const Price &than) {
  return std::tie(price.cycles, price.bytes) <
         std::tie(than.cycles, than.bytes);
}

/// Whether its kernel is one of a library, which has a chunk of its own.
static bool isOfLibrary(WorkloadOpInterface op, const Target &target) {
  FailureOr<OpOnTarget> context =
      OpOnTarget::get(op, target, Reasons::unsaid());
  return failed(context) || context->engine->hasUnitTiles();
}

std::optional<ChunkChange>
mlir::llm::chooseChunk(Operation *op, const Target &target, Prices &prices) {
  auto chunked = dyn_cast<ChunkedOpInterface>(op);
  if (!chunked || !chunked.getChunkSize() ||
      isOfLibrary(cast<WorkloadOpInterface>(op), target))
    return std::nullopt;
  int64_t given = *chunked.getChunkSize(), best = given;
  std::optional<Price> least;
  for (int64_t size : sizesWorthATrial(chunked.countTokens(), given)) {
    chunked.setChunkSize(size);
    FailureOr<Price> price =
        prices.get(cast<WorkloadOpInterface>(op), Reasons::unsaid());
    if (failed(price) || (least && !isShorter(*price, *least)))
      continue;
    least = *price;
    best = size;
  }
  chunked.setChunkSize(best);
  if (best == given)
    return std::nullopt;
  return ChunkChange{given, best};
}
