//===- LowerAttention.cpp - Attention -------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores, their exponentials and what these add up to have loops [batch,
// heads.., queries, keys], with one or two dimensions of heads. All scores are
// in memory: this is what attention means, not how to run it fast.
//
//===----------------------------------------------------------------------===//

#include "Sight.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The keys, or blocks of keys, that each query has selected.
struct Selection {
  Value slots; ///< [batch, queries, groups, top]
  int64_t block;
  OpFoldResult keys; ///< most that a query has
};

/// Returns nothing if there are no slots.
template <typename Op>
std::optional<Selection> findSelection(Op op, LinalgLowering &lowering) {
  if (!op.getSelected())
    return std::nullopt;
  Value slots = lowering.get(op.getSelected());
  int64_t block = op.getBlock().value_or(1);
  AffineExpr top = getAffineDimExpr(0, op.getContext());
  OpFoldResult keys = affine::makeComposedFoldedAffineApply(
      lowering.getBuilder(), lowering.getLoc(),
      AffineMap::get(1, 0, top * block), {lowering.getSizes(slots)[3]});
  return Selection{slots, block, keys};
}

class AttentionLowering {
public:
  AttentionLowering(LinalgLowering &lowering, MaskAttr mask, Value queries,
                    Value keys, unsigned rank,
                    std::optional<Selection> selection = std::nullopt)
      : lowering(lowering), builder(lowering.getBuilder()),
        sight(lowering, mask, queries, keys), selection(selection), rank(rank),
        identity(builder.getMultiDimIdentityMap(rank)),
        rows(identity.getMajorSubMap(rank - 1)) {}

  Arithmetic in(OpBuilder &b) const {
    return {b, lowering.getLoc(), lowering.getComputeType()};
  }

  /// Returns `seen` for a key that the query sees, and `other` for another one.
  /// The loops of the body must begin with those of the scores.
  Value select(OpBuilder &b, Value seen, double other) const {
    if (sight.isFull() && !selection)
      return seen;
    return arith::SelectOp::create(b, lowering.getLoc(), sees(b, keyAt(b)),
                                   seen, in(b).constant(other));
  }

  /// scale q . k, with loops [scores.., d].
  Value makeScores(ArrayRef<OpFoldResult> sizes, const Read &query,
                   const Read &keys, double scale) const {
    AffineMap scores =
        builder.getMultiDimIdentityMap(rank + 1).getMajorSubMap(rank);
    Value sums = reduceWithKeys(
        lowering.filled(sizes, 0.0), scores, query, keys,
        [&](OpBuilder &b, Value number, Value key, Value sum) {
          return in(b).addTerm(sum, in(b).multiplyTerm(number, key));
        });
    return lowering.compute(
        sizes, {{lowering.asArray(sums), identity}}, lowering.getComputeType(),
        [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).multiply(in(b).constant(scale), x[0]);
        });
  }

  /// exp(x - largest of the row) of the keys that are seen, and the sums of
  /// the rows. A sink is an entry of its row to which no key belongs.
  struct Exponentials {
    Value terms, sums, largest;
  };
  Exponentials exponentiate(const Array &scores, std::optional<Read> sinks,
                            std::optional<APFloat> softCap) const {
    Value seen = hide(scores, softCap);
    Value largest = findLargest(startAt(seen, sinks), seen);
    Value terms = exponentiate(seen, largest);
    return {terms, addUp(firstTerms(seen, sinks, largest), terms), largest};
  }

  /// The logarithms of the sums of exp(score). `map` says which loops of the
  /// result the rows of the scores have.
  Value takeLogs(ArrayRef<OpFoldResult> sizes, const Exponentials &of,
                 AffineMap map) const {
    return lowering.compute(
        sizes,
        {{lowering.asArray(of.sums), map}, {lowering.asArray(of.largest), map}},
        builder.getF32Type(), [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).add(x[1], in(b).log(x[0]));
        });
  }

  /// The scores of keys that are seen; those of others are infinitely small.
  Value hide(const Array &scores, std::optional<APFloat> softCap) const {
    return lowering.compute(
        lowering.getSizes(scores.getValues()), {{scores, identity}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange x) {
          Value score =
              softCap ? in(b).softCap(x[0], softCap->convertToDouble()) : x[0];
          return select(b, score, nothing);
        });
  }

  /// What the search for the largest score of each row begins with.
  Value startAt(Value seen, std::optional<Read> sinks) const {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(seen);
    if (!sinks)
      return lowering.filled(ArrayRef(sizes).drop_back(), nothing);
    return ofRows(seen, {*sinks},
                  [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }

  Value findLargest(Value start, Value seen) const {
    return lowering.reduce(start, rows, {{lowering.asArray(seen), identity}},
                           [&](OpBuilder &b, Location, ValueRange x) {
                             return in(b).maximum(x[1], x[0]);
                           });
  }

  Value exponentiate(Value seen, Value largest) const {
    return lowering.compute(
        lowering.getSizes(seen),
        {{lowering.asArray(seen), identity}, {lowering.asArray(largest), rows}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).exp(in(b).subtract(x[0], x[1]));
        });
  }

  /// What the sums of the rows begin with.
  Value firstTerms(Value seen, std::optional<Read> sinks, Value largest) const {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(seen);
    if (!sinks)
      return lowering.filled(ArrayRef(sizes).drop_back(), 0.0);
    AffineMap row = builder.getMultiDimIdentityMap(rank - 1);
    return ofRows(seen, {*sinks, {lowering.asArray(largest), row}},
                  [&](OpBuilder &b, Location, ValueRange x) {
                    return in(b).exp(in(b).subtract(x[0], x[1]));
                  });
  }

  Value addUp(Value first, Value terms) const {
    return lowering.reduce(first, rows, {{lowering.asArray(terms), identity}},
                           [&](OpBuilder &b, Location, ValueRange x) {
                             return in(b).addTerm(x[1], x[0]);
                           });
  }

  /// Adds the sum over keys of probabilities and values to `start`, by loops
  /// [scores.., c]. Rows of a cache that no query sees may hold any numbers,
  /// which must not count.
  Value addValues(Value start, AffineMap outMap, const Array &probabilities,
                  const Read &values) const {
    AffineMap scores =
        builder.getMultiDimIdentityMap(rank + 1).getMajorSubMap(rank);
    return reduceWithKeys(
        start, outMap, {probabilities, scores}, values,
        [&](OpBuilder &b, Value number, Value value, Value sum) {
          Value product = in(b).multiplyTerm(number, value);
          return in(b).addTerm(sum, select(b, product, 0));
        });
  }

private:
  static constexpr double nothing = -std::numeric_limits<double>::infinity();

  /// A number for each row of the scores.
  Value ofRows(Value scores, ArrayRef<Read> reads,
               LinalgLowering::Body body) const {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(scores);
    return lowering.compute(ArrayRef(sizes).drop_back(), reads,
                            lowering.getComputeType(), body);
  }

  Value loopIndex(OpBuilder &b, unsigned loop) const {
    return linalg::IndexOp::create(b, lowering.getLoc(), loop);
  }

  /// The key of the last loop of the scores. It is below 0 if a slot has no
  /// key.
  Value keyAt(OpBuilder &b) const {
    Value last = loopIndex(b, rank - 1);
    if (!selection)
      return last;
    Location loc = lowering.getLoc();
    Value block = lowering.index(b, selection->block),
          slot = arith::DivUIOp::create(b, loc, last, block),
          inside = arith::RemUIOp::create(b, loc, last, block);
    bool isOnly =
        cast<RankedTensorType>(selection->slots.getType()).getDimSize(2) == 1;
    Value group = isOnly ? lowering.index(b, 0) : loopIndex(b, 1);
    Value number = tensor::ExtractOp::create(
        b, loc, selection->slots,
        ValueRange{loopIndex(b, 0), loopIndex(b, rank - 2), group, slot});
    number = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
    Value first = arith::MulIOp::create(b, loc, number, block);
    return arith::AddIOp::create(b, loc, first, inside);
  }

  /// Whether the query of the body sees the key.
  Value sees(OpBuilder &b, Value key) const {
    Value visible = sight.sees(b, loopIndex(b, 0), loopIndex(b, rank - 2), key);
    if (!selection)
      return visible;
    Value isThere =
        arith::CmpIOp::create(b, lowering.getLoc(), arith::CmpIPredicate::sge,
                              key, lowering.index(b, 0));
    return arith::AndIOp::create(b, lowering.getLoc(), isThere, visible);
  }

  /// Reads the number that `keys`, [batch, keys, ..], has for a selected key.
  /// For a key that is not seen, it reads the number of another one.
  Value readSelected(OpBuilder &b, const Read &keys) const {
    SmallVector<Value> at;
    for (AffineExpr loop : keys.map.getResults())
      at.push_back(loopIndex(b, cast<AffineDimExpr>(loop).getPosition()));
    Value key = keyAt(b);
    at[1] = arith::SelectOp::create(b, lowering.getLoc(), sees(b, key), key,
                                    lowering.index(b, 0));
    return lowering.extract(b, keys.array, at);
  }

  /// Sums up numbers and numbers of keys from `start` on. A body finds the
  /// latter by the keys that were selected.
  Value reduceWithKeys(
      Value start, AffineMap outMap, const Read &numbers, const Read &keys,
      function_ref<Value(OpBuilder &, Value, Value, Value)> body) const {
    SmallVector<Read> reads = {numbers};
    if (!selection)
      reads.push_back(keys);
    return lowering.reduce(
        start, outMap, reads, [&](OpBuilder &b, Location, ValueRange x) {
          Value key = selection ? readSelected(b, keys) : x[1];
          return body(b, x.front(), key, x.back());
        });
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  Sight sight;
  std::optional<Selection> selection;
  unsigned rank;
  AffineMap identity, rows;
};

Value sizeOf(LinalgLowering &lowering, const Array &array, unsigned dim) {
  return getValueOrCreateConstantIndexOp(
      lowering.getBuilder(), lowering.getLoc(),
      lowering.getSizes(array.getValues())[dim]);
}

/// The number of heads that read one KV head. For slices of heads it is only
/// known at run time.
OpFoldResult countGroups(LinalgLowering &lowering, const Array &heads,
                         unsigned dim, const Array &kvHeads) {
  return lowering.divide(lowering.getSizes(heads.getValues())[dim],
                         lowering.getSizes(kvHeads.getValues())[2]);
}

/// [b, s, KV heads, heads of each, ..] as [b, s, heads, ..].
Array joinHeads(LinalgLowering &lowering, Value tensor) {
  SmallVector<ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  if (cast<RankedTensorType>(tensor.getType()).getRank() > 4)
    groups.push_back({4});
  auto joined = tensor::CollapseShapeOp::create(
      lowering.getBuilder(), lowering.getLoc(), tensor, groups);
  return lowering.asArray(joined);
}

/// gqa_attn-R1. Loops b, h (KV heads), g (heads of each), s, t, and d or c.
LogicalResult lowerGqaAttn(GqaAttnOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array keys = lowering.getArray(op.getKeys());
  Array values = lowering.getArray(op.getValues());
  Array all = lowering.getArray(op.getQuery());
  OpFoldResult groups = countGroups(lowering, all, 2, keys);
  Array query = lowering.split(all, 2, groups);
  SmallVector<OpFoldResult> q = lowering.getSizes(query.getValues());
  SmallVector<OpFoldResult> k = lowering.getSizes(keys.getValues());
  std::optional<Selection> selection = findSelection(op, lowering);
  AttentionLowering attention(lowering, op.getMask(),
                              sizeOf(lowering, query, 1),
                              sizeOf(lowering, keys, 1), 5, selection);
  Value scores = attention.makeScores(
      {q[0], q[2], q[3], q[1], selection ? selection->keys : k[1]},
      {query, mapOf(context, 6, {0, 3, 1, 2, 5})},
      {keys, mapOf(context, 6, {0, 4, 1, 5})}, op.getScale().convertToDouble());
  std::optional<Read> sinks;
  if (op.getSinks())
    sinks = Read{lowering.split(lowering.getArray(op.getSinks()), 0, groups),
                 mapOf(context, 4, {1, 2})};
  AttentionLowering::Exponentials exponentials =
      attention.exponentiate(lowering.asArray(scores), sinks, op.getSoftCap());
  SmallVector<OpFoldResult> outSizes = {
      q[0], q[1], q[2], q[3], lowering.getSizes(values.getValues())[3]};
  Value weighted = attention.addValues(
      lowering.filled(outSizes, 0.0), mapOf(context, 6, {0, 3, 1, 2, 5}),
      lowering.asArray(exponentials.terms),
      {values, mapOf(context, 6, {0, 4, 1, 5})});
  Value out = lowering.compute(
      outSizes,
      {{lowering.asArray(weighted),
        lowering.getBuilder().getMultiDimIdentityMap(5)},
       {lowering.asArray(exponentials.sums),
        mapOf(context, 5, {0, 2, 3, 1})}},
      op.getOut().getType().getElementType(),
      [&](OpBuilder &b, Location, ValueRange x) {
        return attention.in(b).divide(x[0], x[1]);
      });
  lowering.setResult(0, joinHeads(lowering, out).getValues());
  if (!op.getLse())
    return success();
  Value lse =
      attention.takeLogs(ArrayRef(outSizes).drop_back(), exponentials,
                         mapOf(context, 4, {0, 2, 3, 1}));
  lowering.setResult(1, joinHeads(lowering, lse).getValues());
  return success();
}

/// mla_attn-R1. Loops b, h, s, t, and d or c.
LogicalResult lowerMlaAttn(MlaAttnOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  OpBuilder &builder = lowering.getBuilder();
  Array query = lowering.getArray(op.getQuery());
  // Values are a part of the latents, and may be a part of a block. So blocks
  // are read as numbers.
  Array stored = lowering.getArray(op.getLatents());
  if (isa<BlockScaledType>(stored.type.getElementType()))
    stored = lowering.convert(stored, lowering.getComputeType());
  Array latents = lowering.dropUnit(stored, 2);
  SmallVector<OpFoldResult> q = lowering.getSizes(query.getValues());
  std::optional<Selection> selection = findSelection(op, lowering);
  AttentionLowering attention(lowering, op.getMask(),
                              sizeOf(lowering, query, 1),
                              sizeOf(lowering, latents, 1), 4, selection);
  OpFoldResult keys =
      selection ? selection->keys : lowering.getSizes(latents.getValues())[1];
  Value scores = attention.makeScores(
      {q[0], q[2], q[1], keys}, {query, mapOf(context, 5, {0, 2, 1, 4})},
      {latents, mapOf(context, 5, {0, 3, 4})}, op.getScale().convertToDouble());
  AttentionLowering::Exponentials exponentials = attention.exponentiate(
      lowering.asArray(scores), std::nullopt, std::nullopt);
  OpFoldResult width = builder.getIndexAttr(op.getValueDim());
  Array values = lowering.slice(latents, 2, builder.getIndexAttr(0), width);
  SmallVector<OpFoldResult> outSizes = {q[0], q[1], q[2], width};
  Value weighted = attention.addValues(
      lowering.filled(outSizes, 0.0), mapOf(context, 5, {0, 2, 1, 4}),
      lowering.asArray(exponentials.terms),
      {values, mapOf(context, 5, {0, 3, 4})});
  lowering.setResult(
      0, lowering.compute(
             outSizes,
             {{lowering.asArray(weighted), builder.getMultiDimIdentityMap(4)},
              {lowering.asArray(exponentials.sums),
               mapOf(context, 4, {0, 2, 1})}},
             op.getOut().getType().getElementType(),
             [&](OpBuilder &b, Location, ValueRange x) {
               return attention.in(b).divide(x[0], x[1]);
             }));
  if (op.getLse())
    lowering.setResult(
        1, attention.takeLogs(ArrayRef(outSizes).drop_back(), exponentials,
                              mapOf(context, 3, {0, 2, 1})));
  return success();
}

/// Latents or entries, of one head, which are a part of one softmax.
struct Vectors {
  Array array; ///< [batch, keys, d]
  AttentionLowering attention;
  OpFoldResult keys; ///< of a query, at most
};

/// Plain vectors without the dimension of their one head.
Array dropHead(LinalgLowering &lowering, Value stored) {
  Array array = lowering.getArray(stored);
  if (isa<BlockScaledType>(array.type.getElementType()))
    array = lowering.convert(array, lowering.getComputeType());
  return lowering.dropUnit(array, 2);
}

std::vector<Vectors> listVectors(CompressedAttnOp op,
                                 LinalgLowering &lowering) {
  Value queries = sizeOf(lowering, lowering.getArray(op.getQuery()), 1);
  std::vector<Vectors> parts;
  auto add = [&](Value stored, MaskAttr mask, Value selected) {
    Array array = dropHead(lowering, stored);
    std::optional<Selection> selection;
    OpFoldResult keys = lowering.getSizes(array.getValues())[1];
    if (selected) {
      Value slots = lowering.get(selected);
      keys = lowering.getSizes(slots)[3];
      selection = Selection{slots, 1, keys};
    }
    parts.push_back(
        {array,
         AttentionLowering(lowering, mask, queries, sizeOf(lowering, array, 1),
                           4, selection),
         keys});
  };
  add(op.getLatents(), op.getMask(), Value());
  if (op.getEntries())
    add(op.getEntries(), *op.getSees(), op.getSelected());
  return parts;
}

/// compressed_attn-R1. Loops b, h, s, t, and d or c.
LogicalResult lowerCompressedAttn(CompressedAttnOp op,
                                  LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  OpBuilder &builder = lowering.getBuilder();
  Array query = lowering.getArray(op.getQuery());
  SmallVector<OpFoldResult> q = lowering.getSizes(query.getValues());
  std::optional<Read> sinks;
  if (op.getSinks())
    sinks = Read{lowering.getArray(op.getSinks()), mapOf(context, 3, {1})};
  AffineMap stored = mapOf(context, 5, {0, 3, 4});
  std::vector<Vectors> parts = listVectors(op, lowering);
  const AttentionLowering &first = parts.front().attention;
  SmallVector<Value> seen;
  for (const Vectors &part : parts) {
    Value scores = part.attention.makeScores(
        {q[0], q[2], q[1], part.keys}, {query, mapOf(context, 5, {0, 2, 1, 4})},
        {part.array, stored}, op.getScale().convertToDouble());
    seen.push_back(part.attention.hide(lowering.asArray(scores), std::nullopt));
  }
  Value largest = first.startAt(seen.front(), sinks);
  for (Value scores : seen)
    largest = first.findLargest(largest, scores);
  Value sums = first.firstTerms(seen.front(), sinks, largest),
        weighted = lowering.filled(q, 0.0);
  for (auto [part, scores] : llvm::zip_equal(parts, seen)) {
    Value terms = first.exponentiate(scores, largest);
    sums = first.addUp(sums, terms);
    weighted =
        part.attention.addValues(weighted, mapOf(context, 5, {0, 2, 1, 4}),
                                 lowering.asArray(terms), {part.array, stored});
  }
  lowering.setResult(
      0, lowering.compute(
             q,
             {{lowering.asArray(weighted), builder.getMultiDimIdentityMap(4)},
              {lowering.asArray(sums), mapOf(context, 4, {0, 2, 1})}},
             op.getType().getElementType(),
             [&](OpBuilder &b, Location, ValueRange x) {
               return first.in(b).divide(x[0], x[1]);
             }));
  return success();
}

/// softmax-R1.
LogicalResult lowerSoftmax(SoftmaxOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array x = lowering.getArray(op.getX());
  AttentionLowering attention(lowering, op.getMask(), sizeOf(lowering, x, 2),
                              sizeOf(lowering, x, 3), 4);
  std::optional<Read> sinks;
  if (op.getSinks())
    sinks = Read{lowering.getArray(op.getSinks()), mapOf(context, 3, {1})};
  auto [terms, sums, largest] =
      attention.exponentiate(x, sinks, op.getSoftCap());
  lowering.setResult(
      0,
      lowering.compute(lowering.getSizes(x.getValues()),
                       {{lowering.asArray(terms),
                         lowering.getBuilder().getMultiDimIdentityMap(4)},
                        {lowering.asArray(sums), mapOf(context, 4, {0, 1, 2})}},
                       op.getType().getElementType(),
                       [&](OpBuilder &b, Location, ValueRange numbers) {
                         return attention.in(b).divide(numbers[0], numbers[1]);
                       }));
  return success();
}

/// qk-R1. Loops b, h (KV heads), g, s, t, d; 0 where a query does not see the
/// key (meaning-R5).
LogicalResult lowerQk(QkOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array keys = lowering.getArray(op.getKeys());
  Array all = lowering.getArray(op.getQuery());
  Array query = lowering.split(all, 2, countGroups(lowering, all, 2, keys));
  SmallVector<OpFoldResult> q = lowering.getSizes(query.getValues());
  SmallVector<OpFoldResult> sizes = {q[0], q[2], q[3], q[1],
                                     lowering.getSizes(keys.getValues())[1]};
  AttentionLowering attention(lowering, op.getMask(),
                              sizeOf(lowering, query, 1),
                              sizeOf(lowering, keys, 1), 5);
  Value scores = attention.makeScores(
      sizes, {query, mapOf(context, 6, {0, 3, 1, 2, 5})},
      {keys, mapOf(context, 6, {0, 4, 1, 5})}, op.getScale().convertToDouble());
  Value seen = lowering.compute(
      sizes,
      {{lowering.asArray(scores),
        lowering.getBuilder().getMultiDimIdentityMap(5)}},
      op.getType().getElementType(), [&](OpBuilder &b, Location, ValueRange x) {
        return attention.select(b, x[0], 0);
      });
  lowering.setResult(
      0, ValueRange{tensor::CollapseShapeOp::create(
             lowering.getBuilder(), lowering.getLoc(), seen,
             SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}, {4}})});
  return success();
}

/// pv-R1. Loops b, h (KV heads), g, s, t, c.
LogicalResult lowerPv(PvOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array values = lowering.getArray(op.getValues());
  Array all = lowering.getArray(op.getProbabilities());
  Array probabilities =
      lowering.split(all, 1, countGroups(lowering, all, 1, values));
  SmallVector<OpFoldResult> p = lowering.getSizes(probabilities.getValues());
  AttentionLowering attention(lowering, op.getMask(),
                              sizeOf(lowering, probabilities, 3),
                              sizeOf(lowering, probabilities, 4), 5);
  SmallVector<OpFoldResult> outSizes = {
      p[0], p[3], p[1], p[2], lowering.getSizes(values.getValues())[3]};
  Value out = attention.addValues(
      lowering.filled(outSizes, 0.0), mapOf(context, 6, {0, 3, 1, 2, 5}),
      probabilities, {values, mapOf(context, 6, {0, 4, 1, 5})});
  lowering.setResult(0, lowering.round(joinHeads(lowering, out).getValues(),
                                       op.getType().getElementType()));
  return success();
}

} // namespace

void llm::attachAttentionLowerings(MLIRContext *context) {
  attachLowering<GqaAttnOp, lowerGqaAttn>(context);
  attachLowering<MlaAttnOp, lowerMlaAttn>(context);
  attachLowering<CompressedAttnOp, lowerCompressedAttn>(context);
  attachLowering<SoftmaxOp, lowerSoftmax>(context);
  attachLowering<QkOp, lowerQk>(context);
  attachLowering<PvOp, lowerPv>(context);
}
