//===- LowerJoinedAttention.cpp - Attention from parts of its keys --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Joins parts, with loops b, p (parts), s, h and c.
class PartsOfAttention {
public:
  PartsOfAttention(JoinAttnOp op, LinalgLowering &lowering)
      : lowering(lowering), context(op.getContext()) {
    Array all = lowering.getArray(op.getX());
    OpFoldResult queries = lowering.divide(
        lowering.getSizes(all.getValues())[1],
        lowering.getBuilder().getIndexAttr(op.getParts()));
    x = lowering.split(all, 1, queries);
    logs = lowering.split(lowering.getArray(op.getLse()), 1, queries);
    if (op.getSinks())
      sinks = Read{lowering.getArray(op.getSinks()), mapOf(context, 3, {2})};
    sizes = lowering.getSizes(x.getValues());
    sizes.erase(sizes.begin() + 1);
  }

  Value join(Type element) const {
    Value largest = reduce(startOfLargest(), logs, &Arithmetic::maximum);
    Value weights = lowering.compute(
        lowering.getSizes(logs.getValues()),
        {{logs, loopsOfParts()}, {lowering.asArray(largest), rowsOfParts()}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange n) {
          return in(b).exp(in(b).subtract(n[0], n[1]));
        });
    Value sums = reduce(startOfSums(largest), lowering.asArray(weights),
                        &Arithmetic::add);
    Value weighted = lowering.reduce(
        lowering.filled(sizes, 0.0), mapOf(context, 5, {0, 2, 3, 4}),
        {{lowering.asArray(weights), mapOf(context, 5, {0, 1, 2, 3})},
         {x, mapOf(context, 5, {0, 1, 2, 3, 4})}},
        [&](OpBuilder &b, Location, ValueRange n) {
          return in(b).add(n[2], in(b).multiplyTerm(n[0], n[1]));
        });
    return lowering.compute(
        sizes,
        {{lowering.asArray(weighted), mapOf(context, 4, {0, 1, 2, 3})},
         {lowering.asArray(sums), mapOf(context, 4, {0, 1, 2})}},
        element, [&](OpBuilder &b, Location, ValueRange n) {
          return in(b).divide(n[0], n[1]);
        });
  }

private:
  Arithmetic in(OpBuilder &b) const {
    return {b, lowering.getLoc(), lowering.getComputeType()};
  }
  AffineMap loopsOfParts() const { return mapOf(context, 4, {0, 1, 2, 3}); }
  AffineMap rowsOfParts() const { return mapOf(context, 4, {0, 2, 3}); }
  ArrayRef<OpFoldResult> sizesOfRows() const {
    return ArrayRef(sizes).drop_back();
  }

  /// Joins the numbers [b, p, s, h] of all parts, in their order.
  Value reduce(Value start, const Array &numbers,
               Value (Arithmetic::*join)(Value, Value) const) const {
    return lowering.reduce(start, rowsOfParts(), {{numbers, loopsOfParts()}},
                           [&](OpBuilder &b, Location, ValueRange n) {
                             return (in(b).*join)(n[1], n[0]);
                           });
  }

  Value startOfLargest() const {
    if (!sinks)
      return lowering.filled(sizesOfRows(),
                             -std::numeric_limits<double>::infinity());
    return lowering.compute(
        sizesOfRows(), {*sinks}, lowering.getComputeType(),
        [](OpBuilder &, Location, ValueRange n) { return n[0]; });
  }

  Value startOfSums(Value largest) const {
    if (!sinks)
      return lowering.filled(sizesOfRows(), 0.0);
    return lowering.compute(
        sizesOfRows(),
        {*sinks, {lowering.asArray(largest), mapOf(context, 3, {0, 1, 2})}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange n) {
          return in(b).exp(in(b).subtract(n[0], n[1]));
        });
  }

  LinalgLowering &lowering;
  MLIRContext *context;
  Array x, logs;
  std::optional<Read> sinks;
  SmallVector<OpFoldResult> sizes; ///< of the result
};

/// join_attn-R1.
LogicalResult lowerJoinAttn(JoinAttnOp op, LinalgLowering &lowering) {
  lowering.setResult(0, PartsOfAttention(op, lowering)
                            .join(op.getOut().getType().getElementType()));
  return success();
}

} // namespace

void llm::attachJoinedAttentionLowerings(MLIRContext *context) {
  attachLowering<JoinAttnOp, lowerJoinAttn>(context);
}
