//===- MemoryUse.cpp - What a program takes between ops -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryUse.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;

/// Bytes of a buffer, or 0 if a size is open. What no number of 64 bits can say
/// is the largest such number.
static uint64_t countBytes(MemRefType type) {
  if (!type.hasStaticShape())
    return 0;
  Type element = type.getElementType();
  uint64_t bytes = element.isIndex() ? 8 : getElementBytes(element);
  for (int64_t size : type.getShape())
    bytes = ::llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(size));
  return bytes;
}

static memref::AllocOp findAllocation(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer.getDefiningOp<memref::AllocOp>();
}

std::optional<MemoryPeak> llm::findMemoryPeak(func::FuncOp function) {
  std::optional<MemoryPeak> peak;
  uint64_t bytes = 0;
  ::llvm::DenseMap<Operation *, size_t> numbers;
  std::set<std::pair<uint64_t, size_t>> live; // the largest comes last
  std::vector<memref::AllocOp> all;
  // Each op of a loop is met once: what an iteration allocates it gives back.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto allocation = dyn_cast<memref::AllocOp>(op)) {
      uint64_t more = countBytes(allocation.getType());
      numbers[op] = all.size();
      live.insert({more, all.size()});
      all.push_back(allocation);
      bytes = ::llvm::SaturatingAdd(bytes, more);
      if (bytes > (peak ? peak->bytes : 0)) {
        memref::AllocOp largest = all[live.rbegin()->second];
        peak = {bytes,
                RankedTensorType::get(largest.getType().getShape(),
                                      largest.getType().getElementType()),
                largest.getLoc()};
      }
    }
    auto end = dyn_cast<memref::DeallocOp>(op);
    memref::AllocOp freed = end ? findAllocation(end.getMemref()) : nullptr;
    if (!freed)
      return;
    uint64_t less = countBytes(freed.getType());
    // A buffer may be given back in several places, in one of them at a time.
    if (live.erase({less, numbers.lookup(freed)}))
      bytes -= less;
  });
  return peak;
}
