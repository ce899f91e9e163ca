//===- OpExtents.cpp - How large an op of a program is --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/OpExtents.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::llm;

/// An op with more loops is a kernel of many ops, which no framework has as one
/// op.
static constexpr size_t maxLoops = 10;

OpExtents::OpExtents(WorkloadOpInterface op) {
  FailureOr<Workload> workload = op.getWorkload([] { return Refusal(); });
  if (failed(workload) || workload->loops.size() > maxLoops)
    return;
  SmallVector<unsigned> bitOf; ///< of each loop; 0 if it has one iteration
  for (const Loop &loop : workload->loops) {
    bitOf.push_back(loop.extent > 1 ? 1u << loops.size() : 0);
    if (loop.extent > 1)
      loops.push_back(loop.extent);
  }
  for (const Buffer &buffer : workload->buffers) {
    Type whole = buffer.value ? buffer.value.getType() : Type();
    auto type = dyn_cast_if_present<RankedTensorType>(whole);
    if (!type || !type.hasStaticShape())
      continue;
    unsigned used = 0;
    llvm::SmallBitVector touched = workload->loopsOf(buffer);
    for (unsigned loop : touched.set_bits())
      used |= bitOf[loop];
    tensors.push_back({type.getNumElements(), used});
  }
  for (Type type : op->getOperandTypes())
    if (auto cache = dyn_cast<KvCacheType>(type))
      cacheRow = cache.getKvHeads() * cache.getHeadDim();
}

std::optional<unsigned> OpExtents::findLoops(int64_t elements) const {
  std::optional<unsigned> found;
  for (const Tensor &tensor : tensors)
    if (tensor.elements == elements)
      found = found.value_or(0) | tensor.loops;
  for (unsigned some = 1; some < 1u << loops.size(); ++some) {
    int64_t rest = elements;
    for (auto [i, extent] : llvm::enumerate(loops))
      if (some & (1u << i))
        rest = rest % extent ? 0 : rest / extent;
    if (rest == 1)
      found = found.value_or(0) | some;
  }
  return found;
}

bool OpExtents::explain(const TracedOperands &operands, bool isWhole) const {
  unsigned covered = 0;
  bool isSeen = false;
  for (const TracedTensor &tensor : operands.tensors) {
    std::optional<int64_t> elements = countElements(tensor.sizes);
    if (elements == 1) // a number, or no tensor
      continue;
    std::optional<unsigned> along =
        elements ? findLoops(*elements) : std::nullopt;
    bool isCache = elements && cacheRow > 0 && *elements % cacheRow == 0;
    if (!along && isCache)
      continue;
    if (!along)
      return false;
    covered |= *along;
    isSeen = true;
  }
  unsigned all = (1u << loops.size()) - 1;
  return isSeen && (!isWhole || covered == all);
}

bool OpExtents::explainLargest(const TracedOperands &operands) const {
  int64_t largest = 0;
  for (const TracedTensor &tensor : operands.tensors)
    largest =
        std::max(largest, countElements(tensor.sizes).value_or(INT64_MAX));
  bool isOpKnown = !loops.empty() || !tensors.empty();
  return !isOpKnown || largest <= 1 || findLoops(largest).has_value();
}
