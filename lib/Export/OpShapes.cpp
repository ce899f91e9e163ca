//===- OpShapes.cpp - What an op reads and makes, in short ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpShapes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

static std::string shapeOf(Type type) {
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

SmallVector<std::string> mlir::llm::inputShapes(Operation *op) {
  SmallVector<std::string> shapes(
      llvm::map_range(op->getOperandTypes(), shapeOf));
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    shapes.push_back(shapeOf(value.getType()));
  return shapes;
}

SmallVector<std::string> mlir::llm::outputShapes(Operation *op) {
  return SmallVector<std::string>(
      llvm::map_range(op->getResultTypes(), shapeOf));
}
