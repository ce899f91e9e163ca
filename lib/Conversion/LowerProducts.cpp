//===- LowerProducts.cpp - Matrix products --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Adds the products of two reads to `init`.
Value addProducts(LinalgLowering &lowering, Value init, AffineMap outMap,
                  const Read &lhs, const Read &rhs) {
  return lowering.reduce(
      init, outMap, {lhs, rhs},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.addTerm(numbers[2], a.multiplyTerm(numbers[0], numbers[1]));
      });
}

/// matmul-R1.
LogicalResult lowerMatmul(MatmulOp op, LinalgLowering &lowering) {
  std::optional<Array> bias;
  if (op.getBias())
    bias = lowering.getArray(op.getBias());
  Value product = multiplyMatrices(
      lowering, lowering.getArray(op.getLhs()), lowering.getArray(op.getRhs()),
      bias, op.getTransposeRhs(), op.getType().getElementType());
  lowering.setResult(0, product);
  return success();
}

/// batch_matmul-R1. Loops m, b, n, k.
LogicalResult lowerBatchMatmul(BatchMatmulOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array lhs = lowering.getArray(op.getLhs());
  Array rhs = lowering.getArray(op.getRhs());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(lhs.getValues());
  sizes[2] = lowering.getSizes(rhs.getValues())[op.getTransposeRhs() ? 1 : 2];
  AffineMap rhsMap = op.getTransposeRhs() ? mapOf(context, 4, {1, 2, 3})
                                          : mapOf(context, 4, {1, 3, 2});
  Value sums = addProducts(lowering, lowering.filled(sizes, 0.0),
                           mapOf(context, 4, {0, 1, 2}),
                           {lhs, mapOf(context, 4, {0, 1, 3})}, {rhs, rhsMap});
  lowering.setResult(0, lowering.round(sums, op.getType().getElementType()));
  return success();
}

} // namespace

Value llm::multiplyMatrices(LinalgLowering &lowering, const Array &lhs,
                            const Array &rhs, const std::optional<Array> &bias,
                            bool transposeRhs, Type element) {
  MLIRContext *context = element.getContext();
  SmallVector<OpFoldResult> sizes = {
      lowering.getSizes(lhs.getValues())[0],
      lowering.getSizes(rhs.getValues())[transposeRhs ? 0 : 1]};
  Value init =
      bias ? lowering.compute(sizes, {{*bias, mapOf(context, 2, {1})}},
                              lowering.getComputeType(),
                              [](OpBuilder &, Location, ValueRange numbers) {
                                return numbers[0];
                              })
           : lowering.filled(sizes, 0.0);
  AffineMap rhsMap =
      transposeRhs ? mapOf(context, 3, {1, 2}) : mapOf(context, 3, {2, 1});
  Value sums = addProducts(lowering, init, mapOf(context, 3, {0, 1}),
                           {lhs, mapOf(context, 3, {0, 2})}, {rhs, rhsMap});
  return lowering.round(sums, element);
}

void llm::attachProductLowerings(MLIRContext *context) {
  attachLowering<MatmulOp, lowerMatmul>(context);
  attachLowering<BatchMatmulOp, lowerBatchMatmul>(context);
}
