//===- AttentionWorkloads.cpp - Workloads with a mask ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "Visibility.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Loops and buffers that the attention ops share
//===----------------------------------------------------------------------===//

namespace {
struct AttentionShape {
  int64_t batch, kvHeads, group, queries, keys, headDim;
  /// The counts of some loops are no product: the keys that a query sees, or
  /// the sequences of several lengths.
  bool isRagged;
};
} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static AttentionShape attentionShapeOf(Value query, Value keys, MaskAttr mask) {
  ArrayRef<int64_t> q = shapeOf(query), k = shapeOf(keys);
  return {
      q[0], k[2], q[2] / k[2], q[1], k[1], q[3], !mask.getLengths().empty()};
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
      {"d", IteratorType::reduction, shape.headDim, Loop::Tiles::Whole}};
  workload.maskedLoops.resize(workload.loops.size());
  workload.maskedLoops.set(*workload.findLoop("s"));
  workload.maskedLoops.set(*workload.findLoop("t"));
  workload.maskedLoops[*workload.findLoop("b")] = shape.isRagged;
  return workload;
}

/// Returns the loop over the features of a value. This is that of a key's
/// features, or a loop of its own if there are not as many. It is never tiled
/// either: fewer features of the output at a time would need all scores again.
static StringRef addValueLoop(Workload &workload, int64_t valueDim) {
  if (workload.loops.back().extent == valueDim)
    return "d";
  workload.loops.push_back(
      {"c", IteratorType::parallel, valueDim, Loop::Tiles::Whole});
  workload.maskedLoops.resize(workload.loops.size());
  return "c";
}

/// Adds a buffer indexed by loops. The index "hg" stands for head h * G + g.
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

void mlir::llm::addSoftmaxStages(Workload &workload, ArrayRef<StringRef> pairs,
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

static MaskedBatch maskedBatchOf(GqaAttnOp op) {
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getKeys())[1]};
}

FailureOr<Workload> GqaAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  AttentionShape shape = attentionShapeOf(getQuery(), getKeys(), getMask());
  Value selected = getSelected();
  int64_t block = getBlock().value_or(1);
  if (selected)
    shape.keys = countSelectedKeys(selected, block, shape.keys);
  Workload workload = makeAttentionWorkload(shape);
  StringRef c = addValueLoop(workload, shapeOf(getValues())[3]);
  addSlotsLoop(workload, selected, block);
  using Role = Buffer::Role;
  auto addBuffer = [&](Role role, StringRef name, Value value,
                       ArrayRef<StringRef> indices) {
    addHeadsBuffer(workload, role, name, value, shape.group, indices);
  };
  addBuffer(Role::Read, "query", getQuery(), {"b", "s", "hg", "d"});
  addBuffer(Role::Read, "keys", getKeys(), {"b", "t", "h", "d"});
  addBuffer(Role::Read, "values", getValues(), {"b", "t", "h", c});
  if (Value sinks = getSinks())
    addBuffer(Role::Read, "sinks", sinks, {"hg"});
  if (selected) {
    for (StringRef name : {"keys", "values"})
      gatherSelected(workload, name, selected);
    addSelection(workload, selected);
  }
  addBuffer(Role::Write, "out", getOut(), {"b", "s", "hg", c});
  if (Value lse = getLse())
    addBuffer(Role::Write, "lse", lse, {"b", "s", "hg"});
  SmallVector<StringRef> rows = {"b", "h", "g", "s"};
  SmallVector<StringRef> pairs = {"b", "h", "g", "s", "t"};
  workload.addBuffer(Role::Temporary, "scores", getOut(),
                     Float32Type::get(getContext()), pairs);
  workload.addStage("qk", EngineKind::Matrix, {"b", "h", "g", "s", "t", "d"},
                    {{WorkKind::Mac, 1}});
  addSoftmaxStages(workload, pairs, rows, getSoftCap().has_value(),
                   bool(getSinks()));
  workload.addStage("pv", EngineKind::Matrix, {"b", "h", "g", "s", "t", c},
                    {{WorkKind::Mac, 1}});
  workload.addStage("normalize", EngineKind::Vector, {"b", "h", "g", "s", c},
                    {{WorkKind::Alu, 1}});
  return workload;
}

Count GqaAttnOp::countPoints(const Workload &workload, unsigned stage,
                             Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     maskedBatchOf(*this), box);
}

Count GqaAttnOp::countElements(const Workload &workload, unsigned buffer,
                               Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}

//===----------------------------------------------------------------------===//
// mla_attn
//===----------------------------------------------------------------------===//

static MaskedBatch maskedBatchOf(MlaAttnOp op) {
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getLatents())[1]};
}

FailureOr<Workload> MlaAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(getQuery());
  Value selected = getSelected();
  int64_t keys = shapeOf(getLatents())[1], block = getBlock().value_or(1);
  if (selected)
    keys = countSelectedKeys(selected, block, keys);
  Workload workload;
  workload.loops = {
      {"b", IteratorType::parallel, query[0]},
      {"h", IteratorType::parallel, query[2]},
      {"s", IteratorType::parallel, query[1]},
      {"t", IteratorType::reduction, keys},
      {"d", IteratorType::reduction, query[3], Loop::Tiles::Whole},
      {"c", IteratorType::parallel, static_cast<int64_t>(getValueDim()),
       Loop::Tiles::Whole}};
  workload.maskedLoops.resize(workload.loops.size());
  workload.maskedLoops.set(2, 4);
  workload.maskedLoops[0] = !getMask().getLengths().empty();
  addSlotsLoop(workload, selected, block);
  workload.addBuffer(Buffer::Role::Read, "query", getQuery(),
                     {"b", "s", "h", "d"});
  // All heads read the same latents, which have one head.
  AffineExpr b = getAffineDimExpr(0, getContext()),
             t = getAffineDimExpr(3, getContext()),
             d = getAffineDimExpr(4, getContext()),
             one = getAffineConstantExpr(0, getContext());
  workload.buffers.push_back(
      {Buffer::Role::Read, "latents", getLatents(),
       AffineMap::get(workload.loops.size(), 0, {b, t, one, d}, getContext()),
       cast<RankedTensorType>(getLatents().getType()).getElementType()});
  if (selected) {
    gatherSelected(workload, "latents", selected);
    addSelection(workload, selected);
  }
  workload.addBuffer(Buffer::Role::Write, "out", getOut(),
                     {"b", "s", "h", "c"});
  if (Value lse = getLse())
    workload.addBuffer(Buffer::Role::Write, "lse", lse, {"b", "s", "h"});
  SmallVector<StringRef> rows = {"b", "h", "s"}, pairs = {"b", "h", "s", "t"};
  workload.addBuffer(Buffer::Role::Temporary, "scores", getOut(),
                     Float32Type::get(getContext()), pairs);
  workload.addStage("qk", EngineKind::Matrix, {"b", "h", "s", "t", "d"},
                    {{WorkKind::Mac, 1}});
  addSoftmaxStages(workload, pairs, rows, /*hasSoftCap=*/false,
                   /*hasSinks=*/false);
  workload.addStage("pv", EngineKind::Matrix, {"b", "h", "s", "t", "c"},
                    {{WorkKind::Mac, 1}});
  workload.addStage("normalize", EngineKind::Vector, {"b", "h", "s", "c"},
                    {{WorkKind::Alu, 1}});
  return workload;
}

Count MlaAttnOp::countPoints(const Workload &workload, unsigned stage,
                             Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     maskedBatchOf(*this), box);
}

Count MlaAttnOp::countElements(const Workload &workload, unsigned buffer,
                               Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}

//===----------------------------------------------------------------------===//
// join_attn
//===----------------------------------------------------------------------===//

FailureOr<Workload> JoinAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> out = shapeOf(getOut());
  Workload workload;
  workload.loops = {
      {"b", IteratorType::parallel, out[0]},
      {"p", IteratorType::reduction, static_cast<int64_t>(getParts())},
      {"s", IteratorType::parallel, out[1]},
      {"h", IteratorType::parallel, out[2]},
      {"c", IteratorType::parallel, out[3]}};
  MLIRContext *context = getContext();
  auto dim = [&](unsigned loop) { return getAffineDimExpr(loop, context); };
  AffineExpr rowOfPart = dim(1) * out[1] + dim(2);
  auto addParts = [&](StringRef name, Value value,
                      ArrayRef<AffineExpr> indices) {
    workload.buffers.push_back(
        {Buffer::Role::Read, name.str(), value,
         AffineMap::get(workload.loops.size(), 0, indices, context),
         cast<RankedTensorType>(value.getType()).getElementType()});
  };
  addParts("x", getX(), {dim(0), rowOfPart, dim(3), dim(4)});
  addParts("lse", getLse(), {dim(0), rowOfPart, dim(3)});
  if (Value sinks = getSinks())
    workload.addBuffer(Buffer::Role::Read, "sinks", sinks, {"h"});
  workload.addBuffer(Buffer::Role::Write, "out", getOut(),
                     {"b", "s", "h", "c"});
  SmallVector<StringRef> rows = {"b", "s", "h"}, parts = {"b", "p", "s", "h"};
  addSoftmaxStages(workload, parts, rows, /*hasSoftCap=*/false,
                   bool(getSinks()));
  workload.addStage("add", EngineKind::Vector, {"b", "p", "s", "h", "c"},
                    {{WorkKind::Alu, 2}});
  workload.addStage("normalize", EngineKind::Vector, {"b", "s", "h", "c"},
                    {{WorkKind::Alu, 1}});
  return workload;
}

//===----------------------------------------------------------------------===//
// repeat_kv
//===----------------------------------------------------------------------===//

FailureOr<Workload> RepeatKvOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> x = shapeOf(getX());
  int64_t group = getHeads() / x[2];
  Workload workload;
  workload.loops = {{"b", IteratorType::parallel, x[0]},
                    {"t", IteratorType::parallel, x[1]},
                    {"h", IteratorType::parallel, x[2]},
                    {"g", IteratorType::parallel, group},
                    {"d", IteratorType::parallel, x[3]}};
  addHeadsBuffer(workload, Buffer::Role::Read, "x", getX(), group,
                 {"b", "t", "h", "d"});
  addHeadsBuffer(workload, Buffer::Role::Write, "out", getOut(), group,
                 {"b", "t", "hg", "d"});
  workload.addStage("copy", EngineKind::Vector, {"b", "t", "h", "g", "d"}, {});
  return workload;
}

/// Each (h, g) is a head of its own, so the heads of a box are no range.
Count RepeatKvOp::countElements(const Workload &workload, unsigned buffer,
                                Box box) {
  Count elements = int64_t(1);
  llvm::SmallBitVector used = workload.loopsOf(workload.buffers[buffer]);
  for (unsigned loop : used.set_bits())
    elements = times(elements, box[loop].size());
  return elements;
}

//===----------------------------------------------------------------------===//
// qk
//===----------------------------------------------------------------------===//

static MaskedBatch maskedBatchOf(QkOp op) {
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getKeys())[1]};
}

FailureOr<Workload> QkOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  AttentionShape shape = attentionShapeOf(getQuery(), getKeys(), getMask());
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
                     maskedBatchOf(*this), box);
}

Count QkOp::countElements(const Workload &workload, unsigned buffer, Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

static MaskedBatch maskedBatchOf(SoftmaxOp op) {
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
        {name.str(), IteratorType::parallel, size,
         name == "t" ? Loop::Tiles::PerStage : Loop::Tiles::AnyOrder});
  workload.maskedLoops.resize(loops.size());
  workload.maskedLoops.set(2, 4);
  workload.maskedLoops[0] = !getMask().getLengths().empty();
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
                     maskedBatchOf(*this), box);
}

Count SoftmaxOp::countElements(const Workload &workload, unsigned buffer,
                               Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}

//===----------------------------------------------------------------------===//
// pv
//===----------------------------------------------------------------------===//

static MaskedBatch maskedBatchOf(PvOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getProbabilities());
  return {op.getMask(), shape[2], shape[3]};
}

FailureOr<Workload> PvOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> probabilities = shapeOf(getProbabilities());
  ArrayRef<int64_t> values = shapeOf(getValues());
  int64_t group = probabilities[1] / values[2];
  Workload workload = makeAttentionWorkload(
      {probabilities[0], values[2], group, probabilities[2], probabilities[3],
       values[3], !getMask().getLengths().empty()});
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
                     maskedBatchOf(*this), box);
}

Count PvOp::countElements(const Workload &workload, unsigned buffer, Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}
