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
/// Which (query, key) pairs are computed, in closed form. All is counted in
/// positions of the sequence: key t stands at firstKey + t, query s at
/// firstQuery + s, and the last query at the last key.
class Visibility {
public:
  Visibility(MaskAttr mask, int64_t queries, int64_t keys)
      : mask(mask), firstKey(mask.getFirstKey()),
        firstQuery(firstKey + keys - queries) {}

  /// Visible pairs.
  Count countPairs(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t(keys, firstKey);
    if (p.isEmpty() || t.isEmpty())
      return int64_t(0);
    Wide pairs = isCausal()
                     ? below(p.end, t.end) - below(p.begin, t.end) -
                           below(p.end, t.begin) + below(p.begin, t.begin)
                     : p.size() * t.size();
    if (pairs > maxCount)
      return failure();
    return static_cast<int64_t>(pairs);
  }

  /// Keys of `keys` that at least one of `queries` sees: from the first that
  /// the first query sees to the last query's own, without a gap.
  int64_t countKeys(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t(keys, firstKey);
    if (p.isEmpty())
      return 0;
    if (isCausal())
      t.clamp(firstSeen(p.begin), p.end);
    return t.size();
  }

  /// Queries of `queries` that see at least one of `keys`: from the first key's
  /// own position to the last that still sees the last key.
  int64_t countQueries(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t(keys, firstKey);
    if (t.isEmpty())
      return 0;
    if (isCausal())
      p.clamp(t.begin, endOfSight(t.end - 1));
    return p.size();
  }

private:
  __extension__ using Wide = __int128;

  struct Positions {
    Wide begin, end;
    Positions(Interval interval, int64_t first)
        : begin(Wide(interval.begin) + first), end(Wide(interval.end) + first) {
    }
    bool isEmpty() const { return begin >= end; }
    Wide size() const { return std::max<Wide>(0, end - begin); }
    void clamp(Wide low, Wide high) {
      begin = std::max(begin, low);
      end = std::min(end, high);
    }
  };

  bool isCausal() const { return mask.getKind() == MaskKind::Causal; }

  /// Pairs t <= p of p in [0, queries) and t in [0, keys).
  static Wide triangle(Wide queries, Wide keys) {
    if (queries <= 0 || keys <= 0)
      return 0;
    Wide square = std::min(queries, keys);
    return square * (square + 1) / 2 + (queries - square) * keys;
  }

  /// Visible pairs of queries before `query` and keys before `key`.
  Wide below(Wide query, Wide key) const {
    if (int64_t window = mask.getWindow())
      return triangle(query, key) - triangle(query - window, key);
    int64_t chunk = mask.getChunk();
    if (!chunk)
      return triangle(query, key);
    Wide whole = std::min(query, key) / chunk;
    return whole * triangle(chunk, chunk) +
           triangle(std::min<Wide>(query - whole * chunk, chunk),
                    std::min<Wide>(key - whole * chunk, chunk));
  }

  /// The first key position that the query at `query` sees.
  Wide firstSeen(Wide query) const {
    if (int64_t window = mask.getWindow())
      return query - window + 1;
    if (int64_t chunk = mask.getChunk())
      return query / chunk * chunk;
    return 0;
  }

  /// The first query position after `key` that no longer sees it.
  Wide endOfSight(Wide key) const {
    if (int64_t window = mask.getWindow())
      return key + window;
    if (int64_t chunk = mask.getChunk())
      return (key / chunk + 1) * chunk;
    return Wide(INT64_MAX) * 2;
  }

  MaskAttr mask;
  int64_t firstKey, firstQuery;
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
  else if (visible.countQueries(box[s], box[t]) == 0)
    return int64_t(0);
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

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static AttentionShape attentionShapeOf(Value query, Value keys) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(keys);
  return {q[0], k[2], q[2] / k[2], q[1], k[1], q[3]};
}

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

/// What becomes of the scores up to their sum, per visible pair and per row.
static void addSoftmaxStages(Workload &workload, ArrayRef<StringRef> pairs,
                             ArrayRef<StringRef> rows, bool hasSoftCap,
                             bool hasSinks) {
  constexpr EngineKind vector = EngineKind::Vector;
  if (hasSoftCap)
    workload.addStage("cap", vector, pairs,
                      {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  workload.addStage("max", vector, pairs, {{WorkKind::Compare, 1}});
  workload.addStage("exp_sum", vector, pairs,
                    {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  if (hasSinks)
    workload.addStage(
        "sink", vector, rows,
        {{WorkKind::Compare, 1}, {WorkKind::Alu, 2}, {WorkKind::Special, 1}});
}

//===----------------------------------------------------------------------===//
// gqa_attn
//===----------------------------------------------------------------------===//

static Visibility visibilityOf(GqaAttnOp op) {
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getKeys())[1]};
}

FailureOr<Workload> GqaAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  AttentionShape shape = attentionShapeOf(getQuery(), getKeys());
  Workload workload = makeAttentionWorkload(shape);
  using Role = Buffer::Role;
  auto addBuffer = [&](Role role, StringRef name, Value value,
                       ArrayRef<StringRef> indices) {
    addHeadsBuffer(workload, role, name, value, shape.group, indices);
  };
  addBuffer(Role::Read, "query", getQuery(), {"b", "s", "hg", "d"});
  addBuffer(Role::Read, "keys", getKeys(), {"b", "t", "h", "d"});
  addBuffer(Role::Read, "values", getValues(), {"b", "t", "h", "d"});
  if (Value sinks = getSinks())
    addBuffer(Role::Read, "sinks", sinks, {"hg"});
  addBuffer(Role::Write, "out", getOut(), {"b", "s", "hg", "d"});
  SmallVector<StringRef> rows = {"b", "h", "g", "s"};
  SmallVector<StringRef> pairs = {"b", "h", "g", "s", "t"};
  SmallVector<StringRef> products = {"b", "h", "g", "s", "t", "d"};
  workload.addBuffer(Role::Temporary, "scores", getOut(),
                     Float32Type::get(getContext()), pairs);
  workload.addStage("qk", EngineKind::Matrix, products, {{WorkKind::Mac, 1}});
  addSoftmaxStages(workload, pairs, rows, getSoftCap().has_value(),
                   bool(getSinks()));
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
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getKeys())[1]};
}

FailureOr<Workload> QkOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  AttentionShape shape = attentionShapeOf(getQuery(), getKeys());
  Workload workload = makeAttentionWorkload(shape);
  int64_t group = shape.group;
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
  return {op.getMask(), shape[2], shape[3]};
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
  if (Value sinks = getSinks())
    workload.addBuffer(Buffer::Role::Read, "sinks", sinks, {"h"});
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), loops);
  SmallVector<StringRef> rows = {"b", "h", "s"};
  addSoftmaxStages(workload, loops, rows, getSoftCap().has_value(),
                   bool(getSinks()));
  workload.addStage("reciprocal", EngineKind::Vector, rows,
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
  return {op.getMask(), shape[2], shape[3]};
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
