//===- BestColumns.cpp - The largest numbers of each row ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestColumns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

static AffineMap rowMap(OpBuilder &builder) {
  return builder.getMultiDimIdentityMap(2).getMajorSubMap(1);
}

static Value columnHere(OpBuilder &b, Location loc) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                    linalg::IndexOp::create(b, loc, 1));
}

/// Finds the column of the largest number of each row, [rows] of i32. Among
/// equal numbers it is the first (moe_route-R2).
static Value findBest(LinalgLowering &lowering, Value numbers, int32_t none) {
  OpBuilder &builder = lowering.getBuilder();
  OpFoldResult rows = lowering.getSizes(numbers)[0];
  AffineMap row = rowMap(builder);
  Value most = lowering.filled({rows}, notSelectable);
  Value column = lowering.filled({rows}, builder.getI32IntegerAttr(none));
  auto generic = linalg::GenericOp::create(
      builder, lowering.getLoc(), TypeRange{most.getType(), column.getType()},
      numbers, ValueRange{most, column},
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(2), row, row},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                    utils::IteratorType::reduction},
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value isLarger = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OGT, x[0], x[1]);
        Value here = columnHere(b, loc);
        auto choose = [&](Value yes, Value no) -> Value {
          return arith::SelectOp::create(b, loc, isLarger, yes, no);
        };
        linalg::YieldOp::create(
            b, loc, ValueRange{choose(x[0], x[1]), choose(here, x[2])});
      });
  return generic.getResult(1);
}

/// Makes the number in the column of each row one that cannot be selected.
static Value takeOut(LinalgLowering &lowering, Value numbers, Value column) {
  OpBuilder &builder = lowering.getBuilder();
  auto generic = linalg::GenericOp::create(
      builder, lowering.getLoc(), numbers.getType(), column, numbers,
      ArrayRef<AffineMap>{rowMap(builder), builder.getMultiDimIdentityMap(2)},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           columnHere(b, loc), x[0]);
        Value none = Arithmetic{b, loc, lowering.getComputeType()}.constant(
            notSelectable);
        Value left = arith::SelectOp::create(b, loc, isIt, none, x[1]);
        linalg::YieldOp::create(b, loc, left);
      });
  return generic.getResult(0);
}

BestColumns selectBest(LinalgLowering &lowering, Value numbers, int64_t count,
                       int32_t none) {
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  OpFoldResult rows = lowering.getSizes(numbers)[0];
  OpFoldResult one = builder.getIndexAttr(1);
  Value indices =
      lowering.empty({rows, builder.getIndexAttr(count)}, builder.getI32Type());
  auto loop = scf::ForOp::create(
      builder, loc, lowering.index(builder, 0), lowering.index(builder, count),
      lowering.index(builder, 1), ValueRange{numbers, indices});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getRegionIterArg(0);
  Value best = findBest(lowering, rest, none);
  Value next = tensor::InsertSliceOp::create(
      builder, loc, best, loop.getRegionIterArg(1),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(0), loop.getInductionVar()},
      ArrayRef<OpFoldResult>{rows, one}, ArrayRef<OpFoldResult>{one, one});
  scf::YieldOp::create(builder, loc,
                       ValueRange{takeOut(lowering, rest, best), next});
  return {loop.getResult(1), loop.getResult(0)};
}

} // namespace mlir::llm
