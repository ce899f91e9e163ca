//===- KernelPrice.cpp - What ops take, alone and as one ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPrice.h"
#include "llm/Planning/TileSearch.h"

using namespace mlir;
using namespace mlir::llm;

bool Prices::hasSeveralEngines() const {
  int64_t count = 0;
  for (const Engine &engine : target.engines)
    count += engine.isCompute() ? engine.count : 0;
  return count > 1;
}

FailureOr<Price> Prices::get(WorkloadOpInterface op, Reasons reasons) {
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target, reasons);
  if (failed(context))
    return failure();
  StringAttr stamp = computeStamp(
      *context, TileAttr::get(op->getContext(), TileStrategy::Search, {}, {}));
  if (auto found = known.find(stamp); found != known.end())
    return found->second;
  FailureOr<TileAttr> tile = searchTile(*context);
  if (failed(tile))
    return failure();
  FailureOr<PartCostAttr> part = computePartCost(*context, *tile);
  if (failed(part))
    return failure();
  Price price{part->getCycles(), part->getBytes(target.dram().name)};
  known[stamp] = price;
  return price;
}
