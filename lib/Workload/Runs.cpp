//===- Runs.cpp - How often an op runs ------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/Runs.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

double llm::countRuns(Operation *op) {
  double runs = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      runs *= trips->roundToDouble();
  return runs;
}
