//===- LowerCaches.cpp - KV caches as tensors -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "Positions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The tensors of one array of a cache: of keys, of values or of latents.
class CacheLayout {
public:
  explicit CacheLayout(KvCacheType cache) : element(cache.getElementType()) {}

  unsigned countParts() const { return llm::countParts(element); }

  /// Whether one scale is for all positions. Such scales are known before, and
  /// a write does not change them.
  bool isOfAll(unsigned part) const {
    return part && !findBlock(part, positions);
  }

  LogicalResult check(Operation *op) const {
    for (unsigned part = 1; part < countParts(); ++part) {
      bool isOfOne =
          findBlock(part, positions) == 1 && findBlock(part, sequences) == 1;
      if (!isOfOne && !isOfAll(part))
        return op->emitOpError()
               << "has no lowering for a cache of " << element
               << ", in which some positions or sequences share a scale: "
                  "expected scales of one position of one sequence, or of all "
                  "positions";
    }
    return success();
  }

private:
  static constexpr int64_t rank = 4, sequences = 0, positions = 1;

  /// Returns how many elements share a scale along a dimension; nothing if all
  /// do.
  std::optional<int64_t> findBlock(unsigned part, int64_t dim) const {
    ArrayRef<ScalesAttr> layers = cast<BlockScaledType>(element).getScales();
    return findScaleBlock(getScaleDims(layers[part - 1], rank), dim);
  }

  Type element;
};

/// Lists what an array of a cache's elements becomes: one tensor, or values and
/// scales.
SmallVector<Type> listParts(RankedTensorType type) {
  if (isa<BlockScaledType>(type.getElementType()))
    return getPartTypes(type);
  return {type};
}

/// A range of positions of sequences, which are the first dimensions of a
/// tensor of a cache. Its other dimensions are whole.
struct RowsOfState {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  RowsOfState(LinalgLowering &lowering, Value state)
      : sizes(lowering.getSizes(state)) {
    OpBuilder &builder = lowering.getBuilder();
    offsets.assign(sizes.size(), builder.getIndexAttr(0));
    strides.assign(sizes.size(), builder.getIndexAttr(1));
  }
  void setSequence(OpBuilder &builder, int64_t sequence) {
    offsets[0] = builder.getIndexAttr(sequence);
    sizes[0] = builder.getIndexAttr(1);
  }
};

/// The chips that share the positions of each sequence.
class Owners {
public:
  Owners(LinalgLowering &lowering, KvWriteOp op)
      : lowering(lowering), builder(lowering.getBuilder()),
        rows(tensorRows(op)) {
    if (!op.getOwn())
      return;
    ChipGroup group(lowering, op, *op.getOwn());
    count = group.countChips();
    rank = group.getRank();
  }

  bool isShared() const { return count > 1; }

  /// Makes a write of rows from position `begin` on one of those that are the
  /// chip's own. Each chip has as many; of a single one, others have none.
  void narrow(int64_t begin, RowsOfState &source, RowsOfState &target) const {
    target.offsets[1] = builder.getIndexAttr(begin / count);
    if (rows % count == 0) {
      source.offsets[1] = rank;
      source.strides[1] = builder.getIndexAttr(count);
      source.sizes[1] = builder.getIndexAttr(rows / count);
    } else {
      Location loc = lowering.getLoc();
      Value isOwn =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank,
                                lowering.index(builder, begin % count));
      source.sizes[1] =
          arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                       isOwn)
              .getResult();
    }
    target.sizes[1] = source.sizes[1];
  }

private:
  static int64_t tensorRows(KvWriteOp op) {
    return op.getKeys().getType().getDimSize(1);
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  int64_t rows;
  int64_t count = 1;
  Value rank;
};

/// Writes rows into one tensor of a cache, in the place of old ones.
Value writeRows(LinalgLowering &lowering, KvWriteOp op, const Positions &begins,
                const Owners &owners, Value rows, Value state) {
  OpBuilder &builder = lowering.getBuilder();
  RowsOfState source(lowering, rows), target = source;
  int64_t sequences =
      begins.isRagged() ? op.getCache().getType().getBatch() : 1;
  for (int64_t b = 0; b < sequences; ++b) {
    target.offsets[1] = begins.get(b);
    if (owners.isShared())
      owners.narrow(op.getBegin()[b], source, target);
    if (begins.isRagged()) {
      source.setSequence(builder, b);
      target.setSequence(builder, b);
    }
    Value part = rows;
    if (begins.isRagged() || owners.isShared())
      part = tensor::ExtractSliceOp::create(builder, lowering.getLoc(), rows,
                                            source.offsets, source.sizes,
                                            source.strides);
    state = tensor::InsertSliceOp::create(builder, lowering.getLoc(), part,
                                          state, target.offsets, target.sizes,
                                          target.strides);
  }
  return state;
}

/// Converts the rows to the type that is stored (kv_write-R1). `state` has the
/// scales of all positions, which are known (meaning-R6).
FailureOr<SmallVector<Value>> convertRows(KvWriteOp op,
                                          LinalgLowering &lowering, Value rows,
                                          ValueRange state) {
  KvCacheType cache = op.getCache().getType();
  Array array = lowering.getArray(rows);
  auto scaled = dyn_cast<BlockScaledType>(cache.getElementType());
  if (!scaled)
    return SmallVector<Value>{
        lowering.convert(array, cache.getElementType()).getValues()};
  CacheLayout layout(cache);
  SmallVector<Value> known;
  for (unsigned part = 1; part < layout.countParts(); ++part)
    known.push_back(layout.isOfAll(part) ? state[part] : Value());
  return quantizeBlocks(lowering, op, array, scaled, known);
}

/// Writes the new rows into the cache, in the place of old ones.
LogicalResult lowerKvWrite(KvWriteOp op, LinalgLowering &lowering) {
  KvCacheType cache = op.getCache().getType();
  CacheLayout layout(cache);
  if (failed(layout.check(op)))
    return failure();
  Positions begins(lowering, op.getBegin(), op.getDynamicBegin());
  Owners owners(lowering, op);
  SmallVector<Value> written = {op.getKeys()};
  if (op.getValues())
    written.push_back(op.getValues());
  ValueRange old = lowering.getParts(op.getCache());
  SmallVector<Value> states;
  for (Value each : written) {
    ValueRange state = old.take_front(layout.countParts());
    old = old.drop_front(layout.countParts());
    FailureOr<SmallVector<Value>> rows = convertRows(op, lowering, each, state);
    if (failed(rows))
      return failure();
    for (unsigned part = 0; part < layout.countParts(); ++part)
      states.push_back(layout.isOfAll(part)
                           ? state[part]
                           : writeRows(lowering, op, begins, owners,
                                       (*rows)[part], state[part]));
  }
  lowering.setResult(0, states);
  return success();
}

class KvReadLowering {
public:
  KvReadLowering(KvReadOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()),
        begins(lowering, op.getBegin(), op.getDynamicBegin()),
        ends(lowering, op.getEnd(), op.getDynamicEnd()) {}

  bool isRagged() const { return begins.isRagged() || ends.isRagged(); }

  Value readPart(Value state, size_t part, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (!isRagged())
      return readEqual(state, tensor);
    // Some types of scales have no 0, so these are 1. Values of 0 are enough.
    Type element = tensor.getElementType();
    return readRagged(state, tensor,
                      part ? builder.getOneAttr(element)
                           : builder.getZeroAttr(element));
  }

private:
  /// Reads the same rows of all sequences.
  Value readEqual(Value state, RankedTensorType type) {
    RowsOfState rows(lowering, state);
    rows.offsets[1] = begins.get(0);
    rows.sizes[1] =
        type.isDynamicDim(1)
            ? lengthOf(0)
            : OpFoldResult(builder.getIndexAttr(type.getDimSize(1)));
    return tensor::ExtractSliceOp::create(
        builder, loc, type, state, rows.offsets, rows.sizes, rows.strides);
  }

  /// Reads rows of each sequence, and fills up the shorter ranges with
  /// `behind`.
  Value readRagged(Value state, RankedTensorType type, TypedAttr behind) {
    Value all = lowering.filled(
        getAsIndexOpFoldResult(builder.getContext(), type.getShape()), behind);
    for (int64_t b = 0; b < type.getDimSize(0); ++b) {
      RowsOfState from(lowering, state);
      from.setSequence(builder, b);
      from.sizes[1] = lengthOf(b);
      RowsOfState to = from;
      from.offsets[1] = begins.get(b);
      Value part = tensor::ExtractSliceOp::create(
          builder, loc, state, from.offsets, from.sizes, from.strides);
      all = tensor::InsertSliceOp::create(builder, loc, part, all, to.offsets,
                                          to.sizes, to.strides);
    }
    return all;
  }

  OpFoldResult lengthOf(int64_t sequence) {
    Value difference = arith::SubIOp::create(
        builder, loc,
        getValueOrCreateConstantIndexOp(builder, loc, ends.get(sequence)),
        getValueOrCreateConstantIndexOp(builder, loc, begins.get(sequence)));
    return getAsOpFoldResult(difference);
  }

  KvReadOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Positions begins, ends;
};

/// Reads rows of each sequence. In a ragged batch, zeros fill up the shorter
/// ranges.
LogicalResult lowerKvRead(KvReadOp op, LinalgLowering &lowering) {
  CacheLayout layout(op.getCache().getType());
  if (failed(layout.check(op)))
    return failure();
  KvReadLowering read(op, lowering);
  ValueRange states = lowering.getParts(op.getCache());
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (read.isRagged() && !type.hasStaticShape())
      return op.emitOpError("has open sizes in a ragged batch, which have no "
                            "lowering: bind them (llm-bind-shapes)");
    SmallVector<Value> parts;
    for (auto [part, partType] : llvm::enumerate(listParts(type))) {
      parts.push_back(layout.isOfAll(part)
                          ? states[part]
                          : read.readPart(states[part], part, partType));
    }
    states = states.drop_front(layout.countParts());
    lowering.setResult(i, parts);
  }
  return success();
}

/// repeat_kv-R1. Loops b, t, h, d of the result: head h reads KV head h / G.
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
