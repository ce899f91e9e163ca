//===- LowerSelection.cpp - Keys that are selected ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestColumns.h"
#include "Sight.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Selects by scores [batch, queries, groups, keys], or of blocks [.., blocks].
class SelectionLowering {
public:
  SelectionLowering(SelectKeysOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), query(lowering.getArray(op.getQuery())),
        keys(lowering.getArray(op.getKeys())),
        q(lowering.getSizes(query.getValues())),
        keyCount(lowering.getSizes(keys.getValues())[1]),
        sight(lowering, op.getMask(), asValue(q[1]), asValue(keyCount)) {}

  void lower() {
    Value scores = forceBlocks(poolBlocks(makeScores()));
    auto rows = tensor::CollapseShapeOp::create(
        builder, loc, scores,
        SmallVector<ReassociationIndices>{{0, 1, 2}, {3}});
    constexpr int32_t none = -1;
    Value best = selectBest(lowering, rows, op.getTop(), none).indices;
    OpFoldResult groups = lowering.getSizes(scores)[2];
    Array byGroup = lowering.split(lowering.asArray(best), 0, groups);
    // If sizes are open, the result's type knows more of them than the split.
    Value out = lowering.split(byGroup, 0, q[1]).getValues();
    lowering.setResult(
        0, builder.createOrFold<tensor::CastOp>(loc, op.getType(), out));
  }

private:
  Value asValue(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(builder, loc, size);
  }
  Arithmetic in(OpBuilder &b) const {
    return {b, loc, lowering.getComputeType()};
  }
  AffineMap mapOf(unsigned loops, ArrayRef<unsigned> shown) {
    return llm::mapOf(op.getContext(), loops, shown);
  }

  /// scale q . k of each index head, by loops b, s, h, t, d.
  Value multiply() {
    AffineMap ofOneHead = mapOf(5, {0, 3, 4});
    ofOneHead = ofOneHead.insertResult(builder.getAffineConstantExpr(0), 2);
    Value sums = lowering.reduce(
        lowering.filled({q[0], q[1], q[2], keyCount}, 0.0),
        mapOf(5, {0, 1, 2, 3}),
        {{query, mapOf(5, {0, 1, 2, 4})}, {keys, ofOneHead}},
        [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).addTerm(x[2], in(b).multiplyTerm(x[0], x[1]));
        });
    return lowering.compute(
        lowering.getSizes(sums),
        {{lowering.asArray(sums), builder.getMultiDimIdentityMap(4)}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).multiply(in(b).constant(op.getScale().convertToDouble()),
                                x[0]);
        });
  }

  /// Applies weights, in loops over b, s, g (one), t and h.
  Value makeScores() {
    Value ofHeads = multiply();
    if (!op.getWeights())
      return ofHeads;
    return lowering.reduce(
        lowering.filled({q[0], q[1], builder.getIndexAttr(1), keyCount}, 0.0),
        mapOf(5, {0, 1, 2, 3}),
        {{lowering.asArray(ofHeads), mapOf(5, {0, 1, 4, 3})},
         {lowering.getArray(op.getWeights()), mapOf(5, {0, 1, 4})}},
        [&](OpBuilder &b, Location, ValueRange x) {
          Value above = in(b).maximum(x[0], in(b).constant(0));
          return in(b).addTerm(x[2], in(b).multiplyTerm(above, x[1]));
        });
  }

  /// The largest score of each block's keys that a query sees. Loops are b, s,
  /// g, n, u, with key n * block + u.
  Value poolBlocks(Value scores) {
    int64_t block = op.getBlock().value_or(1);
    AffineExpr count = getAffineDimExpr(0, op.getContext());
    OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, count.ceilDiv(block)), {keyCount});
    SmallVector<OpFoldResult> sizes = lowering.getSizes(scores);
    sizes.back() = blocks;
    ArrayRef<OpFoldResult> pooled(sizes);
    SmallVector<OpFoldResult> all(sizes);
    all.push_back(builder.getIndexAttr(block));
    Value lastKey = arith::SubIOp::create(builder, loc, asValue(keyCount),
                                          lowering.index(builder, 1));
    Value seen = lowering.generate(
        all, lowering.getComputeType(),
        [&](OpBuilder &b, Location, ValueRange at) -> Value {
          Value first =
              arith::MulIOp::create(b, loc, at[3], lowering.index(b, block));
          Value key = arith::AddIOp::create(b, loc, first, at[4]);
          Value inside = arith::MinSIOp::create(b, loc, key, lastKey);
          Value score = tensor::ExtractOp::create(
              b, loc, scores, ValueRange{at[0], at[1], at[2], inside});
          return arith::SelectOp::create(b, loc,
                                         sight.sees(b, at[0], at[1], key),
                                         score, in(b).constant(notSelectable));
        });
    return lowering.reduce(
        lowering.filled(pooled, notSelectable), mapOf(5, {0, 1, 2, 3}),
        {{lowering.asArray(seen), builder.getMultiDimIdentityMap(5)}},
        [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).maximum(x[1], x[0]);
        });
  }

  /// Puts blocks that are always selected before others, as far as a query sees
  /// them.
  Value forceBlocks(Value scores) {
    int64_t local = op.getLocal().value_or(0),
            initial = op.getInitial().value_or(0);
    if (local + initial == 0)
      return scores;
    return lowering.compute(
        lowering.getSizes(scores),
        {{lowering.asArray(scores), builder.getMultiDimIdentityMap(4)}},
        lowering.getComputeType(),
        [&](OpBuilder &b, Location, ValueRange x) -> Value {
          Value sequence = linalg::IndexOp::create(b, loc, 0),
                own = linalg::IndexOp::create(b, loc, 1),
                here = linalg::IndexOp::create(b, loc, 3);
          Value last =
              arith::DivSIOp::create(b, loc, sight.lastSeen(b, sequence, own),
                                     lowering.index(b, *op.getBlock()));
          Value behind =
              arith::AddIOp::create(b, loc, here, lowering.index(b, local));
          Value isLocal = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::sgt, behind, last);
          Value isInitial =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, here,
                                    lowering.index(b, initial));
          Value isSeen =
              arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, x[0],
                                    in(b).constant(notSelectable));
          Value isForced = arith::AndIOp::create(
              b, loc, isSeen, arith::OrIOp::create(b, loc, isLocal, isInitial));
          return arith::SelectOp::create(b, loc, isForced,
                                         in(b).constant(-notSelectable), x[0]);
        });
  }

  SelectKeysOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Array query, keys;
  SmallVector<OpFoldResult> q;
  OpFoldResult keyCount;
  Sight sight;
};

/// select_keys-R1, select_keys-R2.
LogicalResult lowerSelectKeys(SelectKeysOp op, LinalgLowering &lowering) {
  SelectionLowering(op, lowering).lower();
  return success();
}

} // namespace

void llm::attachSelectionLowerings(MLIRContext *context) {
  attachLowering<SelectKeysOp, lowerSelectKeys>(context);
}
