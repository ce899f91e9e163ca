//===- StreamOps.cpp - Residuals of several streams -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

//===----------------------------------------------------------------------===//
// stream_weights
//===----------------------------------------------------------------------===//

/// More streams or rounds than any model has: counts stay small.
static constexpr int64_t mostStreams = 1 << 10, mostIterations = 1 << 20;

/// Numbers of a row, and of scales: those for reading, or all.
static std::pair<int64_t, int64_t> sizesOf(StreamWeightsOp::Adaptor adaptor) {
  int64_t streams = adaptor.getStreams();
  if (adaptor.getIterations())
    return {(2 + streams) * streams, 3};
  return {streams, 1};
}

LogicalResult
StreamWeightsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  Adaptor adaptor,
                                  SmallVectorImpl<Type> &resultTypes) {
  StringRef name = getOperationName();
  if (failed(verifyRanks(loc, name,
                         {{adaptor.getX(), 2},
                          {adaptor.getScale(), 1},
                          {adaptor.getBias(), 1}})))
    return failure();
  int64_t streams = adaptor.getStreams(),
          iterations = adaptor.getIterations().value_or(1);
  if (streams < 1 || streams > mostStreams || iterations < 1 ||
      iterations > mostIterations) // stream_weights-C1
    return fail(loc, name, "streams must be in [1, ", mostStreams,
                "] and iterations in [1, ", mostIterations, "], got ", streams,
                " and ", iterations);
  auto [numbers, scales] = sizesOf(adaptor);
  RankedTensorType x = tensorType(adaptor.getX());
  if (!agree(x.getDimSize(1), numbers) ||
      !agree(tensorType(adaptor.getBias()).getDimSize(0), numbers) ||
      !agree(tensorType(adaptor.getScale()).getDimSize(0), scales))
    // stream_weights-C2
    return fail(loc, name, streams, " streams need rows of ", numbers,
                ", as many numbers of bias, and scales of ", scales, ", got ",
                x, ", ", adaptor.getBias().getType(), " and ",
                adaptor.getScale().getType());
  double epsilon = adaptor.getEpsilon().convertToDouble();
  if (!std::isfinite(epsilon) || epsilon < 0) // stream_weights-C3
    return fail(loc, name, "epsilon must be finite and not negative");
  resultTypes.push_back(x);
  return success();
}

FailureOr<Workload> StreamWeightsOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  RankedTensorType x = tensorType(getX());
  auto streams = static_cast<int64_t>(getStreams());
  constexpr Loop::Tiles whole = Loop::Tiles::Whole;
  constexpr EngineKind vector = EngineKind::Vector;
  Workload workload;
  workload.loops = {{"r", IteratorType::parallel, x.getDimSize(0)},
                    {"i", IteratorType::parallel, streams, whole},
                    {"j", IteratorType::parallel, streams, whole},
                    {"k", IteratorType::parallel, x.getDimSize(1), whole},
                    {"p", IteratorType::parallel,
                     tensorType(getScale()).getDimSize(0), whole}};
  workload.addBuffer(Role::Read, "x", getX(), {"r", "k"});
  workload.addBuffer(Role::Read, "scale", getScale(), {"p"});
  workload.addBuffer(Role::Read, "bias", getBias(), {"k"});
  workload.addBuffer(Role::Write, "out", getOut(), {"r", "k"});
  int64_t kinds = getIterations() ? 2 : 1;
  workload.addStage(
      "sigmoid", vector, {"r", "i"},
      {{WorkKind::Alu, 4 * kinds}, {WorkKind::Special, 2 * kinds}});
  if (!getIterations())
    return workload;
  workload.addStage(
      "softmax", vector, {"r", "i", "j"},
      {{WorkKind::Alu, 5}, {WorkKind::Special, 1}, {WorkKind::Compare, 1}});
  int64_t rounds = 2 * static_cast<int64_t>(*getIterations()) - 1;
  workload.addStage("normalize", vector, {"r", "i", "j"},
                    {{WorkKind::Alu, 2 * rounds}});
  workload.addStage("reciprocals", vector, {"r", "i"},
                    {{WorkKind::Alu, rounds}, {WorkKind::Special, rounds}});
  return workload;
}

//===----------------------------------------------------------------------===//
// mix_streams
//===----------------------------------------------------------------------===//

LogicalResult
MixStreamsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getWeights(), 3}, {adaptor.getX(), 3}})))
    return failure();
  RankedTensorType weights = tensorType(adaptor.getWeights()),
                   x = tensorType(adaptor.getX());
  if (!agree(weights.getDimSize(0), x.getDimSize(0)) ||
      !agree(weights.getDimSize(2), x.getDimSize(1))) // mix_streams-C1
    return fail(loc, getOperationName(), "weights ", weights,
                " must have a column for each vector of each row of ", x);
  resultTypes.push_back(RankedTensorType::get(
      {x.getDimSize(0), weights.getDimSize(1), x.getDimSize(2)},
      x.getElementType()));
  return success();
}

FailureOr<Workload> MixStreamsOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  RankedTensorType weights = tensorType(getWeights()), x = tensorType(getX());
  constexpr Loop::Tiles whole = Loop::Tiles::Whole;
  Workload workload;
  workload.loops = {{"r", IteratorType::parallel, x.getDimSize(0)},
                    {"n", IteratorType::parallel, weights.getDimSize(1), whole},
                    {"k", IteratorType::reduction, x.getDimSize(1), whole},
                    {"h", IteratorType::parallel, x.getDimSize(2)}};
  workload.addBuffer(Role::Read, "weights", getWeights(), {"r", "n", "k"});
  workload.addBuffer(Role::Read, "x", getX(), {"r", "k", "h"});
  workload.addBuffer(Role::Write, "out", getOut(), {"r", "n", "h"});
  workload.addStage("mac", EngineKind::Vector, {"r", "n", "k", "h"},
                    {{WorkKind::Mac, 1}});
  return workload;
}
