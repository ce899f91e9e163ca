//===- LlmWorkloads.cpp - Workloads whose counts are products -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

FailureOr<Workload> KvWriteOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  auto type = cast<RankedTensorType>(getKeys().getType());
  Workload workload;
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<StringRef> loops = {"b", "s", "h", "d"};
  for (auto [name, size] : llvm::zip(loops, shape))
    workload.loops.push_back({name.str(), IteratorType::parallel, size});
  Type stored = getCache().getType().getElementType();
  workload.addBuffer(Buffer::Role::Read, "keys", getKeys(), loops);
  workload.addBuffer(Buffer::Role::Read, "values", getValues(), loops);
  workload.addBuffer(Buffer::Role::Write, "cached_keys", getResult(), stored,
                     loops);
  workload.addBuffer(Buffer::Role::Write, "cached_values", getResult(), stored,
                     loops);
  workload.addStage("copy", EngineKind::Vector, loops, {});
  return workload;
}

Count KvWriteOp::countValidElements() {
  KvCacheType cache = getCache().getType();
  int64_t seq = cast<RankedTensorType>(getKeys().getType()).getDimSize(1);
  if (ShapedType::isDynamic(seq))
    return failure();
  std::optional<int64_t> elements = checkedMul(2, getBegin() + seq);
  for (int64_t size :
       {cache.getBatch(), cache.getKvHeads(), cache.getHeadDim()})
    elements = elements ? checkedMul(*elements, size) : std::nullopt;
  return elements ? Count(*elements) : Count(failure());
}

Count KvWriteOp::countWrittenBytes() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  if (!keys.hasStaticShape())
    return failure();
  SmallVector<int64_t> shape(keys.getShape());
  shape.push_back(2);
  return storageBytes(getCache().getType().getElementType(), shape);
}

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

//===----------------------------------------------------------------------===//
// Norm and elementwise
//===----------------------------------------------------------------------===//

FailureOr<Workload> RmsNormOp::getWorkload(EmitError emitError) {
  FailureOr<Workload> workload =
      elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(), {});
  if (failed(workload))
    return failure();
  SmallVector<StringRef> all, rows;
  for (const Loop &loop : workload->loops)
    all.push_back(loop.name);
  rows.assign(all.begin(), std::prev(all.end()));
  workload->loops.back().isTileable = false;
  workload->addBuffer(Buffer::Role::Read, "weight", getWeight(), all.back());
  workload->stages.clear();
  workload->addStage("sum_of_squares", EngineKind::Vector, all,
                     {{WorkKind::Alu, 2}});
  workload->addStage("rsqrt", EngineKind::Vector, rows,
                     {{WorkKind::Special, 1}});
  workload->addStage("scale", EngineKind::Vector, all, {{WorkKind::Alu, 2}});
  return workload;
}

FailureOr<Workload> RopeOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  auto type = cast<RankedTensorType>(getX().getType());
  Workload workload;
  SmallVector<StringRef> loops = {"b", "s", "h", "d"};
  for (auto [name, size] : llvm::zip(loops, type.getShape()))
    workload.loops.push_back(
        {name.str(), IteratorType::parallel, size, name != "d"});
  workload.addBuffer(Buffer::Role::Read, "x", getX(), loops);
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), loops);
  workload.addStage("angles", EngineKind::Vector, {"s", "d"},
                    {{WorkKind::Special, 1}});
  workload.addStage("rotate", EngineKind::Vector, loops, {{WorkKind::Alu, 3}});
  return workload;
}

FailureOr<Workload> AddOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError,
                             {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
                             {{WorkKind::Alu, 1}});
}

FailureOr<Workload> MulOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError,
                             {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
                             {{WorkKind::Alu, 1}});
}

FailureOr<Workload> SwiGluOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError,
                             {{"lhs", getLhs()}, {"rhs", getRhs()}}, getOut(),
                             {{WorkKind::Special, 2}, {WorkKind::Alu, 3}});
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

static SmallVector<std::pair<WorkKind, int64_t>, 2>
workOf(ActivationKind kind) {
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
  }
  return {};
}

FailureOr<Workload> ActivationOp::getWorkload(EmitError emitError) {
  return elementwiseWorkload(*this, emitError, {{"x", getX()}}, getOut(),
                             workOf(getKind()));
}
