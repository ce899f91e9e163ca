//===- ValuesRead.cpp - What an op reads ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/ValuesRead.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

SetVector<Value> mlir::llm::valuesReadBy(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}
