//===- CacheBytes.cpp - What KV caches hold -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/CacheBytes.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

int64_t mlir::llm::countWrittenBytes(Operation *op) {
  int64_t bytes = 0;
  op->walk([&](CacheUpdateOpInterface update) {
    Count written = update.countWrittenBytes();
    if (succeeded(written))
      bytes = checkedAdd(bytes, *written).value_or(bytes);
  });
  return bytes;
}

/// Returns the bytes of the cache at the start: those of the positions ahead of
/// the ones that are written. It returns nothing if the state is not that at
/// the start, or if several iterations write the cache.
static std::optional<int64_t> countBytesBefore(KvWriteOp write, Operation *op) {
  auto keys = cast<RankedTensorType>(write.getKeys().getType());
  Count bytes = write.countWrittenBytes();
  auto cache = write.getCache().getDefiningOp<KvCacheOp>();
  if (!cache || cache->getBlock() != op->getBlock() ||
      !cache->getResult(0).hasOneUse() || failed(bytes) ||
      !write.getDynamicBegin().empty())
    return std::nullopt;
  int64_t rows = keys.getDimSize(0) * write.countOwnRows();
  int64_t rowsBefore = 0;
  for (int64_t begin : write.getBegin())
    rowsBefore += llvm::divideCeil(begin, write.countOwners());
  if (write.getBegin().size() == 1)
    rowsBefore *= keys.getDimSize(0);
  return rows == 0 ? std::nullopt : ceilMulDiv(*bytes, rowsBefore, 1, rows, 1);
}

std::optional<CacheBytes> mlir::llm::findCacheBytes(const Program &program) {
  bool isWritten = false;
  std::optional<int64_t> before = 0;
  for (const ProgramOp &entry : program.ops()) {
    Operation *op = entry.op;
    isWritten |= countWrittenBytes(op) > 0;
    op->walk([&](CacheUpdateOpInterface update) {
      auto write = dyn_cast<KvWriteOp>(update.getOperation());
      auto held = write ? countBytesBefore(write, op) : std::nullopt;
      auto ofRuns = held ? checkedMul(*held, entry.count) : std::nullopt;
      before = before && ofRuns ? checkedAdd(*before, *ofRuns) : std::nullopt;
    });
  }
  return isWritten ? std::optional(CacheBytes{before}) : std::nullopt;
}
