//===- OpShapes.cpp - What an op reads and makes, in short ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpShapes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

std::string mlir::llm::shapeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    os << type;
    return text;
  }
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << tensor.getElementType();
  return text;
}

SmallVector<Value> mlir::llm::inputsOf(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(inputs, captured);
  return inputs;
}

SmallVector<std::string> mlir::llm::inputShapes(Operation *op) {
  return llvm::map_to_vector<6>(
      inputsOf(op), [](Value value) { return shapeOf(value.getType()); });
}

SmallVector<std::string> mlir::llm::outputShapes(Operation *op) {
  return SmallVector<std::string>(
      llvm::map_range(op->getResultTypes(), shapeOf));
}
