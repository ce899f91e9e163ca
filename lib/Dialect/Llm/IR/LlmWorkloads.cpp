//===- LlmWorkloads.cpp - Workloads whose counts are products -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ActivationWork.h"
#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

FailureOr<Workload> MatmulOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto out = cast<RankedTensorType>(getOut().getType());
  Workload workload;
  workload.loops = {{"m", IteratorType::parallel, out.getDimSize(0)},
                    {"n", IteratorType::parallel, out.getDimSize(1)},
                    {"k", IteratorType::reduction, lhs.getDimSize(1)}};
  using Role = Buffer::Role;
  workload.addBuffer(Role::Read, "lhs", getLhs(), {"m", "k"});
  if (getTransposeRhs())
    workload.addBuffer(Role::Read, "rhs", getRhs(), {"n", "k"});
  else
    workload.addBuffer(Role::Read, "rhs", getRhs(), {"k", "n"});
  workload.addStage("mac", EngineKind::Matrix, {"m", "n", "k"},
                    {{WorkKind::Mac, 1}});
  // The accumulators start at the bias, which costs its bytes and no work.
  if (Value bias = getBias())
    workload.addBuffer(Role::Read, "bias", bias, {"n"});
  workload.addBuffer(Role::Write, "out", getOut(), {"m", "n"});
  return workload;
}

FailureOr<Workload> BatchMatmulOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto out = cast<RankedTensorType>(getOut().getType());
  Workload workload;
  workload.loops = {{"b", IteratorType::parallel, out.getDimSize(1)},
                    {"m", IteratorType::parallel, out.getDimSize(0)},
                    {"n", IteratorType::parallel, out.getDimSize(2)},
                    {"k", IteratorType::reduction, lhs.getDimSize(2)}};
  using Role = Buffer::Role;
  workload.addBuffer(Role::Read, "lhs", getLhs(), {"m", "b", "k"});
  if (getTransposeRhs())
    workload.addBuffer(Role::Read, "rhs", getRhs(), {"b", "n", "k"});
  else
    workload.addBuffer(Role::Read, "rhs", getRhs(), {"b", "k", "n"});
  workload.addStage("mac", EngineKind::Matrix, {"b", "m", "n", "k"},
                    {{WorkKind::Mac, 1}});
  workload.addBuffer(Role::Write, "out", getOut(), {"m", "b", "n"});
  return workload;
}

//===----------------------------------------------------------------------===//
// Norm and elementwise
//===----------------------------------------------------------------------===//

/// A norm sweeps over each row twice: sums of all of it are needed before its
/// first element is scaled.
static void setNormStages(Workload &workload, StringRef sums, int64_t aluOfSums,
                          int64_t aluOfScale) {
  SmallVector<StringRef> all;
  for (const Loop &loop : workload.loops)
    all.push_back(loop.name);
  workload.loops.back().tiles = Loop::Tiles::PerStage;
  workload.stages.clear();
  workload.addStage(sums, EngineKind::Vector, all,
                    {{WorkKind::Alu, aluOfSums}});
  workload.addStage("rsqrt", EngineKind::Vector, ArrayRef(all).drop_back(),
                    {{WorkKind::Special, 1}});
  workload.addStage("scale", EngineKind::Vector, all,
                    {{WorkKind::Alu, aluOfScale}});
}

FailureOr<Workload> RmsNormOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload =
      elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(), {});
  if (failed(workload))
    return failure();
  setNormStages(*workload, "sum_of_squares", 2, getWeight() ? 2 : 1);
  if (Value weight = getWeight()) {
    SmallVector<StringRef> last;
    int64_t rank = cast<RankedTensorType>(weight.getType()).getRank();
    for (const Loop &loop : ArrayRef(workload->loops).take_back(rank))
      last.push_back(loop.name);
    workload->addBuffer(Buffer::Role::Read, "weight", weight, last);
  }
  return workload;
}

FailureOr<Workload> LayerNormOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload =
      elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(), {});
  if (failed(workload))
    return failure();
  setNormStages(*workload, "sums", 3, getBias() ? 4 : 3);
  StringRef columns = workload->loops.back().name;
  workload->addBuffer(Buffer::Role::Read, "weight", getWeight(), columns);
  if (Value bias = getBias())
    workload->addBuffer(Buffer::Role::Read, "bias", bias, columns);
  return workload;
}

/// Loops b, s, h, d over heads, x read and out written.
static FailureOr<Workload> makeHeadsWorkload(Operation *op, EmitError emitError,
                                             Value x, Value out) {
  if (failed(requireStaticShapes(op, emitError)))
    return failure();
  Workload workload;
  SmallVector<StringRef> loops = {"b", "s", "h", "d"};
  for (auto [name, size] :
       llvm::zip(loops, cast<RankedTensorType>(x.getType()).getShape()))
    workload.loops.push_back({name.str(), IteratorType::parallel, size});
  workload.addBuffer(Buffer::Role::Read, "x", x, loops);
  workload.addBuffer(Buffer::Role::Write, "out", out, loops);
  return workload;
}

/// Loops over positions: those of all sequences are the same, unless the batch
/// is ragged.
static SmallVector<StringRef> positionLoops(ArrayRef<int64_t> begins) {
  if (begins.size() == 1)
    return {"s"};
  return {"b", "s"};
}

FailureOr<Workload> RopeOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload =
      makeHeadsWorkload(*this, emitError, getX(), getOut());
  if (failed(workload))
    return failure();
  workload->loops.back().tiles = Loop::Tiles::Whole;
  SmallVector<StringRef> angles = positionLoops(getBegin());
  angles.push_back("d");
  workload->addStage("angles", EngineKind::Vector, angles,
                     {{WorkKind::Special, 1}});
  workload->addStage("rotate", EngineKind::Vector, {"b", "s", "h", "d"},
                     {{WorkKind::Alu, 3}});
  return workload;
}

FailureOr<Workload> PositionScaleOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload =
      makeHeadsWorkload(*this, emitError, getX(), getOut());
  if (failed(workload))
    return failure();
  workload->addStage("factors", EngineKind::Vector, positionLoops(getBegin()),
                     {{WorkKind::Special, 1}, {WorkKind::Alu, 5}});
  workload->addStage("scale", EngineKind::Vector, {"b", "s", "h", "d"},
                     {{WorkKind::Alu, 1}});
  return workload;
}

FailureOr<Workload> QuantizeOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload = elementwiseWorkload(
      *this, emitError, {{"x", getX()}}, getOut(), {{WorkKind::Alu, 2}});
  if (failed(workload))
    return failure();
  Stage quantize = workload->stages.front();
  quantize.name = "quantize";
  workload->stages.clear();
  if (isa<BlockScaledType>(getType()) && !getIsStatic()) {
    Stage amax = quantize;
    amax.name = "amax";
    amax.workPerPoint = {{WorkKind::Compare, 1}};
    workload->stages.push_back(amax);
    workload->loops.back().tiles = Loop::Tiles::PerStage;
  }
  workload->stages.push_back(quantize);
  return workload;
}

FailureOr<Workload> AddOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError,
                             {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
                             {{WorkKind::Alu, 1}});
}

FailureOr<Workload> MulOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload = elementwiseWorkload(
      *this, emitError, {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
      {{WorkKind::Alu, 1}});
  if (succeeded(workload))
    workload->buffers[1].map = getRhsMap();
  return workload;
}

FailureOr<Workload> SwiGluOp::getWorkload(EmitError emitError) {
  SmallVector<std::pair<WorkKind, int64_t>, 3> work = {{WorkKind::Special, 2},
                                                       {WorkKind::Alu, 3}};
  if (getLimit())
    work = {{WorkKind::Special, 2}, {WorkKind::Alu, 5}, {WorkKind::Compare, 3}};
  if (getClamp())
    work = {{WorkKind::Special, 2}, {WorkKind::Alu, 3}, {WorkKind::Compare, 3}};
  if (getGateCap())
    work = {{WorkKind::Special, 4}, {WorkKind::Alu, 7}};
  return elementwiseWorkload(
      *this, emitError, {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(), work);
}

FailureOr<Workload> GeGluOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError,
                             {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
                             {{WorkKind::Special, 1}, {WorkKind::Alu, 9}});
}

FailureOr<Workload> ScaleOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(),
                             {{WorkKind::Alu, 1}});
}

FailureOr<Workload> SoftCapOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(),
                             {{WorkKind::Special, 1}, {WorkKind::Alu, 2}});
}

SmallVector<std::pair<WorkKind, int64_t>, 4>
mlir::llm::workOf(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::Silu:
    return {{WorkKind::Special, 2}, {WorkKind::Alu, 2}};
  case ActivationKind::Gelu:
    return {{WorkKind::Special, 1}, {WorkKind::Alu, 4}};
  case ActivationKind::GeluTanh:
    return {{WorkKind::Special, 1}, {WorkKind::Alu, 8}};
  case ActivationKind::Relu:
    return {{WorkKind::Compare, 1}};
  case ActivationKind::Relu2:
    return {{WorkKind::Compare, 1}, {WorkKind::Alu, 1}};
  case ActivationKind::Sigmoid:
  case ActivationKind::Softplus:
    return {{WorkKind::Special, 2}, {WorkKind::Alu, 1}};
  }
  return {};
}

FailureOr<Workload> ActivationOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload = elementwiseWorkload(
      *this, emitError, {{"x", getX()}}, getOut(), workOf(getKind()));
  if (failed(workload) || !getBias())
    return workload;
  workload->addBuffer(Buffer::Role::Read, "bias", getBias(),
                      StringRef(workload->loops.back().name));
  addWork(workload->stages.front(), WorkKind::Alu, 1);
  return workload;
}
