//===- AttentionWorkloads.cpp - Workloads with a mask ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Under a causal mask, with o = keys - queries, query s sees the keys t <= s +
// o. Counts over a box of queries and keys are taken in closed form: with T(a)
// = a (a + 1) / 2 for a > 0 and f(q) = T(q + o - lo) - T(q + o - hi), the pairs
// in [q0, q1) x [lo, hi) are f(q1) - f(q0).
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Interfaces/Counts.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Visible pairs
//===----------------------------------------------------------------------===//

namespace {
/// Which (query, key) pairs are computed. `offset`: keys before the first
/// query.
struct Visibility {
  Mask mask;
  int64_t offset;

  __extension__ using Wide = __int128;

  static Wide triangle(Wide a) { return a > 0 ? a * (a + 1) / 2 : 0; }
  Wide below(int64_t query, Interval keys) const {
    return triangle(Wide(query) + offset - keys.begin) -
           triangle(Wide(query) + offset - keys.end);
  }

  Count countPairs(Interval queries, Interval keys) const {
    if (queries.size() <= 0 || keys.size() <= 0)
      return int64_t(0);
    Wide pairs = mask == Mask::Full
                     ? Wide(queries.size()) * keys.size()
                     : below(queries.end, keys) - below(queries.begin, keys);
    if (pairs > maxCount)
      return failure();
    return static_cast<int64_t>(pairs);
  }

  /// Keys of `keys` that at least one of `queries` sees: what the last one
  /// sees.
  int64_t countKeys(Interval queries, Interval keys) const {
    if (queries.size() <= 0)
      return 0;
    int64_t end = keys.end;
    if (mask == Mask::Causal)
      end = std::min(end, queries.end + offset);
    return std::max<int64_t>(0, end - keys.begin);
  }

  /// Queries of `queries` that see at least one of `keys`: those after its
  /// first one.
  int64_t countQueries(Interval queries, Interval keys) const {
    if (keys.size() <= 0)
      return 0;
    int64_t begin = queries.begin;
    if (mask == Mask::Causal)
      begin = std::max(begin, keys.begin - offset);
    return std::max<int64_t>(0, queries.end - begin);
  }
};
} // namespace

/// The points or elements of a box over `loops`, of which `s` and `t` are
/// masked.
static Count countMasked(const Workload &workload,
                         const llvm::SmallBitVector &loops,
                         const Visibility &visible, Box box) {
  unsigned s = *workload.findLoop("s"), t = *workload.findLoop("t");
  Count count = int64_t(1);
  if (loops[s] && loops[t])
    count = visible.countPairs(box[s], box[t]);
  else if (loops[t])
    count = visible.countKeys(box[s], box[t]);
  else if (loops[s])
    count = visible.countQueries(box[s], box[t]);
  for (unsigned loop : loops.set_bits())
    if (loop != s && loop != t)
      count = times(count, box[loop].size());
  return count;
}

static Count countMaskedElements(const Workload &workload, unsigned buffer,
                                 const Visibility &visible, Box box) {
  return countMasked(workload, workload.loopsOf(workload.buffers[buffer]),
                     visible, box);
}

//===----------------------------------------------------------------------===//
// Loops and buffers that the attention ops share
//===----------------------------------------------------------------------===//

namespace {
struct AttentionShape {
  int64_t batch, kvHeads, group, queries, keys, headDim;
};
} // namespace

/// Loops b, h (KV heads), g (heads per KV head), s (queries), t (keys) and d.
/// The head dimension is never tiled: a score needs all of it.
static Workload makeAttentionWorkload(const AttentionShape &shape) {
  Workload workload;
  workload.loops = {
      {"b", IteratorType::parallel, shape.batch},
      {"h", IteratorType::parallel, shape.kvHeads},
      {"g", IteratorType::parallel, shape.group},
      {"s", IteratorType::parallel, shape.queries},
      {"t", IteratorType::reduction, shape.keys},
      {"d", IteratorType::reduction, shape.headDim, /*isTileable=*/false}};
  workload.maskedLoops.resize(workload.loops.size());
  workload.maskedLoops.set(*workload.findLoop("s"));
  workload.maskedLoops.set(*workload.findLoop("t"));
  return workload;
}

/// Adds a buffer indexed by loops of which "hg" stands for head h * G + g.
static void addHeadsBuffer(Workload &workload, Buffer::Role role,
                           StringRef name, Value value, int64_t group,
                           ArrayRef<StringRef> indices) {
  MLIRContext *context = value.getContext();
  auto dim = [&](StringRef loop) {
    return getAffineDimExpr(*workload.findLoop(loop), context);
  };
  SmallVector<AffineExpr> results;
  for (StringRef index : indices)
    results.push_back(index == "hg" ? dim("h") * group + dim("g") : dim(index));
  workload.buffers.push_back(
      {role, name.str(), value,
       AffineMap::get(workload.loops.size(), 0, results, context),
       cast<RankedTensorType>(value.getType()).getElementType()});
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// gqa_attn
//===----------------------------------------------------------------------===//

static Visibility visibilityOf(GqaAttnOp op) {
  return {op.getMask(), shapeOf(op.getKeys())[1] - shapeOf(op.getQuery())[1]};
}

FailureOr<Workload> GqaAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(getQuery()), keys = shapeOf(getKeys());
  int64_t group = query[2] / keys[2];
  Workload workload = makeAttentionWorkload(
      {query[0], keys[2], group, query[1], keys[1], query[3]});
  using Role = Buffer::Role;
  addHeadsBuffer(workload, Role::Read, "query", getQuery(), group,
                 {"b", "s", "hg", "d"});
  addHeadsBuffer(workload, Role::Read, "keys", getKeys(), group,
                 {"b", "t", "h", "d"});
  addHeadsBuffer(workload, Role::Read, "values", getValues(), group,
                 {"b", "t", "h", "d"});
  addHeadsBuffer(workload, Role::Write, "out", getOut(), group,
                 {"b", "s", "hg", "d"});
  SmallVector<StringRef> pairs = {"b", "h", "g", "s", "t"};
  workload.addBuffer(Role::Temporary, "scores", getOut(),
                     Float32Type::get(getContext()), pairs);
  SmallVector<StringRef> products = {"b", "h", "g", "s", "t", "d"};
  workload.addStage("qk", EngineKind::Matrix, products, {{WorkKind::Mac, 1}});
  workload.addStage("max", EngineKind::Vector, pairs, {{WorkKind::Compare, 1}});
  workload.addStage("exp_sum", EngineKind::Vector, pairs,
                    {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  workload.addStage("pv", EngineKind::Matrix, products, {{WorkKind::Mac, 1}});
  workload.addStage("normalize", EngineKind::Vector, {"b", "h", "g", "s", "d"},
                    {{WorkKind::Alu, 1}});
  return workload;
}

Count GqaAttnOp::countPoints(const Workload &workload, unsigned stage,
                             Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     visibilityOf(*this), box);
}

Count GqaAttnOp::countElements(const Workload &workload, unsigned buffer,
                               Box box) {
  return countMaskedElements(workload, buffer, visibilityOf(*this), box);
}

//===----------------------------------------------------------------------===//
// qk
//===----------------------------------------------------------------------===//

static Visibility visibilityOf(QkOp op) {
  return {op.getMask(), shapeOf(op.getKeys())[1] - shapeOf(op.getQuery())[1]};
}

FailureOr<Workload> QkOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(getQuery()), keys = shapeOf(getKeys());
  int64_t group = query[2] / keys[2];
  Workload workload = makeAttentionWorkload(
      {query[0], keys[2], group, query[1], keys[1], query[3]});
  // Keys are not reduced here: each is a column of the scores.
  workload.loops[*workload.findLoop("t")].kind = IteratorType::parallel;
  using Role = Buffer::Role;
  addHeadsBuffer(workload, Role::Read, "query", getQuery(), group,
                 {"b", "s", "hg", "d"});
  addHeadsBuffer(workload, Role::Read, "keys", getKeys(), group,
                 {"b", "t", "h", "d"});
  addHeadsBuffer(workload, Role::Write, "out", getOut(), group,
                 {"b", "hg", "s", "t"});
  workload.addStage("mac", EngineKind::Matrix, {"b", "h", "g", "s", "t", "d"},
                    {{WorkKind::Mac, 1}});
  return workload;
}

Count QkOp::countPoints(const Workload &workload, unsigned stage, Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     visibilityOf(*this), box);
}

Count QkOp::countElements(const Workload &workload, unsigned buffer, Box box) {
  return countMaskedElements(workload, buffer, visibilityOf(*this), box);
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

static Visibility visibilityOf(SoftmaxOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getX());
  return {op.getMask(), shape[3] - shape[2]};
}

FailureOr<Workload> SoftmaxOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  auto type = cast<RankedTensorType>(getX().getType());
  Workload workload;
  SmallVector<StringRef> loops = {"b", "h", "s", "t"};
  for (auto [name, size] : llvm::zip(loops, type.getShape()))
    workload.loops.push_back(
        {name.str(), IteratorType::parallel, size, name != "t"});
  workload.maskedLoops.resize(loops.size());
  workload.maskedLoops.set(2, 4);
  workload.addBuffer(Buffer::Role::Read, "x", getX(), loops);
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), loops);
  workload.addStage("max", EngineKind::Vector, loops, {{WorkKind::Compare, 1}});
  workload.addStage("exp_sum", EngineKind::Vector, loops,
                    {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  workload.addStage("reciprocal", EngineKind::Vector, {"b", "h", "s"},
                    {{WorkKind::Special, 1}});
  workload.addStage("normalize", EngineKind::Vector, loops,
                    {{WorkKind::Alu, 1}});
  return workload;
}

Count SoftmaxOp::countPoints(const Workload &workload, unsigned stage,
                             Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     visibilityOf(*this), box);
}

Count SoftmaxOp::countElements(const Workload &workload, unsigned buffer,
                               Box box) {
  return countMaskedElements(workload, buffer, visibilityOf(*this), box);
}

//===----------------------------------------------------------------------===//
// pv
//===----------------------------------------------------------------------===//

static Visibility visibilityOf(PvOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getProbabilities());
  return {op.getMask(), shape[3] - shape[2]};
}

FailureOr<Workload> PvOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> probabilities = shapeOf(getProbabilities());
  ArrayRef<int64_t> values = shapeOf(getValues());
  int64_t group = probabilities[1] / values[2];
  Workload workload =
      makeAttentionWorkload({probabilities[0], values[2], group,
                             probabilities[2], probabilities[3], values[3]});
  workload.loops[*workload.findLoop("d")].kind = IteratorType::parallel;
  using Role = Buffer::Role;
  addHeadsBuffer(workload, Role::Read, "probabilities", getProbabilities(),
                 group, {"b", "hg", "s", "t"});
  addHeadsBuffer(workload, Role::Read, "values", getValues(), group,
                 {"b", "t", "h", "d"});
  addHeadsBuffer(workload, Role::Write, "out", getOut(), group,
                 {"b", "s", "hg", "d"});
  workload.addStage("mac", EngineKind::Matrix, {"b", "h", "g", "s", "t", "d"},
                    {{WorkKind::Mac, 1}});
  return workload;
}

Count PvOp::countPoints(const Workload &workload, unsigned stage, Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     visibilityOf(*this), box);
}

Count PvOp::countElements(const Workload &workload, unsigned buffer, Box box) {
  return countMaskedElements(workload, buffer, visibilityOf(*this), box);
}
