//===- ChunkedAttention.cpp - Linear attention from chunk to chunk --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With G_i the decays of a chunk up to its token i, multiplied up, S the state
// before the chunk and u_i what token i writes, its state is
//     S_i = G_i S + sum_{j <= i} G_i / G_j k_j u_j^T
// so that u_i, for the delta rule, follows from those before it:
//     u_i = beta_i (v_i - S^T G_i k_i - sum_{j < i} (k_i G_i / G_j k_j) u_j)
// (Yang et al., 2412.06464). Quotients of decays are exponentials of
// differences, which are no more than 1 where each decay is.
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

namespace {

/// Which tokens j a token i of the same chunk sees.
enum class Sees { Before, Own };

/// The tokens as chunks. The last one is filled up with zeros, which change no
/// state. Tensors are [b, chunks, tokens of a chunk, ..].
class Chunks {
public:
  Chunks(LinearAttention &attention, int64_t chunk)
      : attention(attention), lowering(attention.lowering),
        builder(lowering.getBuilder()), loc(lowering.getLoc()),
        context(attention.op.getContext()), size(builder.getIndexAttr(chunk)) {
    OpFoldResult padding = builder.getIndexAttr(chunk - 1);
    count = lowering.divide(lowering.add(attention.tokens, padding), size);
    query = cut(attention.query);
    keys = cut(attention.keys);
    values = cut(attention.values);
    if (attention.beta)
      beta = cut(attention.beta);
    if (attention.logDecay)
      sums = sumUp(cut(attention.logDecay));
  }

  std::pair<Value, Value> attend();

private:
  Value cut(Value tensor);
  Value join(Value chunks);
  /// Sums along the tokens of a chunk, up to each token.
  Value sumUp(Value logDecay);
  std::pair<Value, Value> attendTo(Value state);

  /// sum_k x_i G_i / G_j k_j, [b, h, g, i, j]; 0 where i does not see j.
  Value scoresOf(Value x, Sees sees);
  Value products(Value x);
  Value maskAndDecay(Value scores, Sees sees);
  /// S^T G_i x_i, [b, h, g, i, v].
  Value readOut(Value state, Value x);
  /// The updates u_i, [b, h, g, i, v].
  Value findUpdates(Value state);
  Value solve(Value known);
  Value outputs(Value state, Value updates);
  /// Makes [b, i, h, g, ..] of [b, h, g, i, ..].
  Value tokensFirst(Value tensor);
  Value write(Value state, Value updates);
  Value decayWhole(Value state);

  Read read(Value tensor, ArrayRef<unsigned> loops, unsigned loopCount) {
    return {lowering.asArray(tensor), mapOf(context, loopCount, loops)};
  }
  /// The loops by which a body reads a sum of decays: loops of tokens, b, h and
  /// g, and with decays of channels also k.
  SmallVector<unsigned> decayLoops(ArrayRef<unsigned> loops, unsigned k) {
    SmallVector<unsigned> all(loops);
    if (attention.decaysChannels())
      all.push_back(k);
    return all;
  }
  SmallVector<OpFoldResult> sizesOf(OpFoldResult a, OpFoldResult b) {
    return {attention.batch, attention.keyHeads, attention.group, a, b};
  }
  Type type() const { return lowering.getComputeType(); }

  LinearAttention &attention;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  MLIRContext *context;
  OpFoldResult size, count;
  Value query, keys, values, beta, sums;
  /// The same tensors for one chunk: [b, i, ..].
  Value q, k, v, strength, decay;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tokens and chunks
//===----------------------------------------------------------------------===//

Value Chunks::cut(Value tensor) {
  SmallVector<OpFoldResult> own = lowering.getSizes(tensor), padded = own;
  padded[1] = lowering.multiply(count, size);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(own.size(), zero), ones(own.size(), one);
  Value filled = lowering.filled(padded, 0.0);
  Value all = tensor::InsertSliceOp::create(builder, loc, tensor, filled,
                                            offsets, own, ones);
  return lowering.split(lowering.asArray(all), 1, size).getValues();
}

Value Chunks::join(Value chunks) {
  Value joined = tensor::CollapseShapeOp::create(
      builder, loc, chunks,
      ArrayRef<ReassociationIndices>{{0}, {1, 2}, {3}, {4}, {5}});
  return lowering
      .slice(lowering.asArray(joined), 1, builder.getIndexAttr(0),
             attention.tokens)
      .getValues();
}

/// Whether token i, which loop `i` counts, sees token j.
static Value findSeen(OpBuilder &b, Location loc, unsigned i, unsigned j,
                      Sees sees) {
  Value query = linalg::IndexOp::create(b, loc, i),
        key = linalg::IndexOp::create(b, loc, j);
  auto predicate =
      sees == Sees::Own ? arith::CmpIPredicate::sle : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(b, loc, predicate, key, query);
}

Value Chunks::sumUp(Value logDecay) {
  // The loops are b, n, i, j, and then those of heads and channels.
  unsigned rank = cast<RankedTensorType>(logDecay.getType()).getRank();
  SmallVector<unsigned> from = {0, 1, 3}, to = {0, 1, 2};
  for (unsigned loop = 4; loop < rank + 1; ++loop) {
    from.push_back(loop);
    to.push_back(loop);
  }
  return lowering.reduce(
      lowering.filled(lowering.getSizes(logDecay), 0.0),
      mapOf(context, rank + 1, to), {read(logDecay, from, rank + 1)},
      [&](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Arithmetic a{b, loc, type()};
        Value seen = findSeen(b, loc, 2, 3, Sees::Own);
        Value term =
            arith::SelectOp::create(b, loc, seen, numbers[0], a.constant(0));
        return a.addTerm(numbers[1], term);
      });
}

//===----------------------------------------------------------------------===//
// Within a chunk
//===----------------------------------------------------------------------===//

/// G_i / G_j from their sums, where loops 3 and 4 count i and j. It is 1 for
/// tokens that i does not see, since it could be infinite there.
static Value quotient(const Arithmetic &a, Value sumOfI, Value sumOfJ) {
  Value difference = a.subtract(sumOfI, sumOfJ);
  return a.exp(arith::SelectOp::create(a.b, a.loc,
                                       findSeen(a.b, a.loc, 3, 4, Sees::Own),
                                       difference, a.constant(0)));
}

Value Chunks::products(Value x) {
  // The loops are b, h, g, i, j, k.
  SmallVector<Read> reads = {read(x, {0, 3, 1, 5}, 6),
                             read(k, {0, 4, 1, 5}, 6)};
  bool decaysChannels = attention.decaysChannels();
  if (decaysChannels) {
    reads.push_back(read(decay, {0, 3, 1, 2, 5}, 6));
    reads.push_back(read(decay, {0, 4, 1, 2, 5}, 6));
  }
  return lowering.reduce(lowering.filled(sizesOf(size, size), 0.0),
                         mapOf(context, 6, {0, 1, 2, 3, 4}), reads,
                         [&](OpBuilder &b, Location loc, ValueRange numbers) {
                           Arithmetic a{b, loc, type()};
                           Value term = a.multiplyTerm(numbers[0], numbers[1]);
                           if (decaysChannels)
                             term = a.multiplyTerm(
                                 term, quotient(a, numbers[2], numbers[3]));
                           return a.addTerm(numbers.back(), term);
                         });
}

Value Chunks::maskAndDecay(Value scores, Sees sees) {
  SmallVector<Read> reads = {read(scores, {0, 1, 2, 3, 4}, 5)};
  bool decaysHeads = decay && !attention.decaysChannels();
  if (decaysHeads) {
    reads.push_back(read(decay, {0, 3, 1, 2}, 5));
    reads.push_back(read(decay, {0, 4, 1, 2}, 5));
  }
  return lowering.compute(
      lowering.getSizes(scores), reads, type(),
      [&](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Arithmetic a{b, loc, type()};
        Value score = numbers[0];
        if (decaysHeads)
          score = a.multiply(score, quotient(a, numbers[1], numbers[2]));
        return arith::SelectOp::create(b, loc, findSeen(b, loc, 3, 4, sees),
                                       score, a.constant(0));
      });
}

Value Chunks::scoresOf(Value x, Sees sees) {
  return maskAndDecay(products(x), sees);
}

Value Chunks::readOut(Value state, Value x) {
  // The loops are b, h, g, i, k, v.
  SmallVector<Read> reads = {read(x, {0, 3, 1, 4}, 6),
                             read(state, {0, 1, 2, 4, 5}, 6)};
  if (decay)
    reads.push_back(read(decay, decayLoops({0, 3, 1, 2}, 4), 6));
  return lowering.reduce(
      lowering.filled(sizesOf(size, attention.valueDim), 0.0),
      mapOf(context, 6, {0, 1, 2, 3, 5}), reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        Value term = a.multiplyTerm(numbers[0], numbers[1]);
        if (decay)
          term = a.multiplyTerm(term, a.exp(numbers[2]));
        return a.addTerm(numbers.back(), term);
      });
}

Value Chunks::findUpdates(Value state) {
  SmallVector<Read> reads = {read(v, {0, 3, 1, 2, 4}, 5)};
  if (attention.isDelta())
    reads.push_back(read(readOut(state, k), {0, 1, 2, 3, 4}, 5));
  if (strength)
    reads.push_back(read(strength, {0, 3, 1, 2}, 5));
  Value known = lowering.compute(
      sizesOf(size, attention.valueDim), reads, type(),
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        Value update = numbers[0];
        if (attention.isDelta())
          update = a.subtract(update, numbers[1]);
        return strength ? a.multiply(numbers.back(), update) : update;
      });
  return attention.isDelta() ? solve(known) : known;
}

/// The updates u_i = known_i - beta_i sum_{j < i} scores_ij u_j, one after the
/// other. Updates that are not known yet are 0.
Value Chunks::solve(Value known) {
  Value scores = tokensFirst(scoresOf(k, Sees::Before)),
        rows = tokensFirst(known);
  Value none = lowering.filled(sizesOf(size, attention.valueDim), 0.0);
  auto loop =
      scf::ForOp::create(builder, loc, lowering.index(builder, 0),
                         getValueOrCreateConstantIndexOp(builder, loc, size),
                         lowering.index(builder, 1), none);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar(), found = loop.getRegionIterArg(0);
  // The loops are b, h, g, j, v.
  SmallVector<Read> reads = {read(pick(lowering, scores, i), {0, 1, 2, 3}, 5),
                             read(found, {0, 1, 2, 3, 4}, 5)};
  if (strength)
    reads.push_back(read(pick(lowering, strength, i), {0, 1, 2}, 5));
  Value row = lowering.reduce(
      pick(lowering, rows, i), mapOf(context, 5, {0, 1, 2, 4}), reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        Value term = a.multiplyTerm(numbers[0], numbers[1]);
        if (strength)
          term = a.multiplyTerm(term, numbers[2]);
        return a.addTerm(numbers.back(), a.negate(term));
      });
  SmallVector<OpFoldResult> sizes =
      sizesOf(builder.getIndexAttr(1), attention.valueDim);
  SmallVector<OpFoldResult> offsets(5, builder.getIndexAttr(0)),
      strides(5, builder.getIndexAttr(1));
  offsets[3] = i;
  scf::YieldOp::create(builder, loc,
                       Value(tensor::InsertSliceOp::create(
                           builder, loc, row, found, offsets, sizes, strides)));
  return loop.getResult(0);
}

Value Chunks::tokensFirst(Value tensor) {
  return lowering.compute(
      {attention.batch, size, attention.keyHeads, attention.group,
       lowering.getSizes(tensor)[4]},
      {read(tensor, {0, 2, 3, 1, 4}, 5)}, type(),
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
}

/// S^T G_i q_i + sum_{j <= i} (q_i G_i / G_j k_j) u_j, [b, i, h, g, v].
Value Chunks::outputs(Value state, Value updates) {
  Value scores = scoresOf(q, Sees::Own);
  Value out = lowering.reduce(
      readOut(state, q), mapOf(context, 6, {0, 1, 2, 3, 5}),
      {read(scores, {0, 1, 2, 3, 4}, 6), read(updates, {0, 1, 2, 4, 5}, 6)},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        return a.addTerm(numbers[2], a.multiplyTerm(numbers[0], numbers[1]));
      });
  return tokensFirst(out);
}

/// Takes the sums of decays at the last token of the chunk.
static Value pickLast(LinalgLowering &lowering, Value decay) {
  OpBuilder &builder = lowering.getBuilder();
  OpFoldResult count = lowering.getSizes(decay)[1];
  return pick(lowering, decay,
              lowering.index(builder, *getConstantIntValue(count) - 1));
}

Value Chunks::decayWhole(Value state) {
  if (!decay)
    return state;
  return lowering.reduce(
      state, mapOf(context, 5, {0, 1, 2, 3, 4}),
      {read(pickLast(lowering, decay), decayLoops({0, 1, 2}, 3), 5)},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        return a.multiply(numbers.back(), a.exp(numbers[0]));
      });
}

Value Chunks::write(Value state, Value updates) {
  // The loops are b, h, g, j, k, v.
  SmallVector<Read> reads = {read(k, {0, 3, 1, 4}, 6),
                             read(updates, {0, 1, 2, 3, 5}, 6)};
  if (decay) {
    reads.push_back(
        read(pickLast(lowering, decay), decayLoops({0, 1, 2}, 4), 6));
    reads.push_back(read(decay, decayLoops({0, 3, 1, 2}, 4), 6));
  }
  return lowering.reduce(
      decayWhole(state), mapOf(context, 6, {0, 1, 2, 4, 5}), reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, type()};
        Value term = a.multiplyTerm(numbers[0], numbers[1]);
        if (decay)
          term =
              a.multiplyTerm(term, a.exp(a.subtract(numbers[2], numbers[3])));
        return a.addTerm(numbers.back(), term);
      });
}

//===----------------------------------------------------------------------===//
// From chunk to chunk
//===----------------------------------------------------------------------===//

std::pair<Value, Value> Chunks::attendTo(Value state) {
  Value updates = findUpdates(state);
  return {outputs(state, updates), write(state, updates)};
}

std::pair<Value, Value> Chunks::attend() {
  Value none = lowering.filled(lowering.getSizes(values), 0.0);
  auto loop = scf::ForOp::create(
      builder, loc, lowering.index(builder, 0),
      getValueOrCreateConstantIndexOp(builder, loc, count),
      lowering.index(builder, 1), ValueRange{none, attention.state});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar();
    for (auto [all, own] : {std::pair<Value, Value *>{query, &q},
                            {keys, &k},
                            {values, &v},
                            {beta, &strength},
                            {sums, &decay}})
      *own = all ? pick(lowering, all, at) : Value();
    auto [out, state] = attendTo(loop.getRegionIterArg(1));
    Value outs = put(lowering, out, loop.getRegionIterArg(0), at);
    scf::YieldOp::create(builder, loc, ValueRange{outs, state});
  }
  return {join(loop.getResult(0)), loop.getResult(1)};
}

std::pair<Value, Value> attendInChunks(LinearAttention &attention,
                                       int64_t chunk) {
  if (std::optional<int64_t> tokens = getConstantIntValue(attention.tokens))
    chunk = std::min(chunk, *tokens);
  return Chunks(attention, chunk).attend();
}

} // namespace mlir::llm
