//===- LowerCaches.cpp - KV caches as tensors -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

LogicalResult refuseScaledCache(Operation *op, KvCacheType cache) {
  if (!isa<BlockScaledType>(cache.getElementType()))
    return success();
  return op->emitOpError(
      "has no lowering for a cache of block-scaled elements yet");
}

/// The cache with the new rows in the place of the old ones.
LogicalResult lowerKvWrite(KvWriteOp op, LinalgLowering &lowering) {
  if (failed(refuseScaledCache(op, op.getCache().getType())))
    return failure();
  OpBuilder &builder = lowering.getBuilder();
  Positions begins(lowering, op.getBegin(), op.getDynamicBegin());
  SmallVector<Value> rows = {op.getKeys()};
  if (op.getValues())
    rows.push_back(op.getValues());
  Type element = op.getCache().getType().getElementType();
  SmallVector<Value> states;
  for (auto [state, written] :
       llvm::zip(lowering.getParts(op.getCache()), rows)) {
    Value next = state;
    Value converted = lowering.round(lowering.get(written), element);
    SmallVector<OpFoldResult> sizes = lowering.getSizes(converted);
    SmallVector<OpFoldResult> zeros(4, builder.getIndexAttr(0)),
        ones(4, builder.getIndexAttr(1)), target = zeros;
    int64_t sequences =
        begins.isRagged() ? op.getCache().getType().getBatch() : 1;
    for (int64_t b = 0; b < sequences; ++b) {
      Value part = converted;
      if (begins.isRagged()) {
        SmallVector<OpFoldResult> source = zeros;
        source[0] = target[0] = builder.getIndexAttr(b);
        sizes[0] = builder.getIndexAttr(1);
        part = tensor::ExtractSliceOp::create(builder, lowering.getLoc(),
                                              converted, source, sizes, ones);
      }
      target[1] = begins.get(b);
      next = tensor::InsertSliceOp::create(builder, lowering.getLoc(), part,
                                           next, target, sizes, ones);
    }
    states.push_back(next);
  }
  lowering.setResult(0, states);
  return success();
}

/// Rows of each sequence; in a ragged batch zeros behind the shorter ranges.
LogicalResult lowerKvRead(KvReadOp op, LinalgLowering &lowering) {
  KvCacheType cache = op.getCache().getType();
  if (failed(refuseScaledCache(op, cache)))
    return failure();
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  Positions begins(lowering, op.getBegin(), op.getDynamicBegin());
  Positions ends(lowering, op.getEnd(), op.getDynamicEnd());
  bool isRagged = begins.isRagged() || ends.isRagged();
  SmallVector<OpFoldResult> zeros(4, builder.getIndexAttr(0)),
      ones(4, builder.getIndexAttr(1));
  auto lengthOf = [&](int64_t sequence) -> OpFoldResult {
    Value difference = arith::SubIOp::create(
        builder, loc,
        getValueOrCreateConstantIndexOp(builder, loc, ends.get(sequence)),
        getValueOrCreateConstantIndexOp(builder, loc, begins.get(sequence)));
    return getAsOpFoldResult(difference);
  };
  for (auto [i, state] : llvm::enumerate(lowering.getParts(op.getCache()))) {
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    SmallVector<OpFoldResult> sizes = lowering.getSizes(state);
    if (!isRagged) {
      SmallVector<OpFoldResult> offsets = zeros;
      offsets[1] = begins.get(0);
      sizes[1] = type.isDynamicDim(1)
                     ? lengthOf(0)
                     : OpFoldResult(builder.getIndexAttr(type.getDimSize(1)));
      lowering.setResult(i,
                         ValueRange{tensor::ExtractSliceOp::create(
                             builder, loc, type, state, offsets, sizes, ones)});
      continue;
    }
    if (!type.hasStaticShape())
      return op.emitOpError("has open sizes in a ragged batch, which have no "
                            "lowering: bind them (llm-bind-shapes)");
    SmallVector<OpFoldResult> allSizes =
        getAsIndexOpFoldResult(builder.getContext(), type.getShape());
    Value rows = lowering.filled(
        allSizes, cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
    for (int64_t b = 0; b < type.getDimSize(0); ++b) {
      SmallVector<OpFoldResult> from = zeros, to = zeros;
      from[0] = to[0] = builder.getIndexAttr(b);
      from[1] = begins.get(b);
      sizes[0] = builder.getIndexAttr(1);
      sizes[1] = lengthOf(b);
      Value part = tensor::ExtractSliceOp::create(builder, loc, state, from,
                                                  sizes, ones);
      rows = tensor::InsertSliceOp::create(builder, loc, part, rows, to, sizes,
                                           ones);
    }
    lowering.setResult(i, rows);
  }
  return success();
}

/// Loops b, t, h, d of the result: head h reads KV head h / G.
LogicalResult lowerRepeatKv(RepeatKvOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  Array x = lowering.getArray(op.getX());
  RankedTensorType type = op.getType();
  AffineExpr b, t, h, d;
  bindDims(op.getContext(), b, t, h, d);
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  sizes[2] = builder.getIndexAttr(type.getDimSize(2));
  int64_t group = type.getDimSize(2) / x.type.getDimSize(2);
  AffineMap map =
      AffineMap::get(4, 0, {b, t, h.floorDiv(group), d}, op.getContext());
  lowering.setResult(
      0, lowering.compute(sizes, {{x, map}}, type.getElementType(),
                          [](OpBuilder &, Location, ValueRange numbers) {
                            return numbers[0];
                          }));
  return success();
}

} // namespace

void llm::attachCacheLowerings(MLIRContext *context) {
  attachLowering<KvWriteOp, lowerKvWrite>(context);
  attachLowering<KvReadOp, lowerKvRead>(context);
  attachLowering<RepeatKvOp, lowerRepeatKv>(context);
}
