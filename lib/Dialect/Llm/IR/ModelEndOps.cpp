//===- ModelEndOps.cpp - From tokens, to tokens ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// embedding
//===----------------------------------------------------------------------===//

LogicalResult
EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              Adaptor adaptor,
                              SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getTokens(), 1}, {adaptor.getTable(), 2}})))
    return failure();
  RankedTensorType tokens = tensorType(adaptor.getTokens());
  if (!isa<IntegerType>(tokens.getElementType())) // embedding-C1
    return fail(loc, getOperationName(), "tokens are whole numbers, got ",
                tokens);
  RankedTensorType table = tensorType(adaptor.getTable());
  FailureOr<Type> type =
      resultElementType(loc, getOperationName(), table, adaptor.getOutType());
  if (failed(type)) // embedding-C2
    return failure();
  resultTypes.push_back(RankedTensorType::get(
      {tokens.getDimSize(0), table.getDimSize(1)}, *type));
  return success();
}

FailureOr<Workload> EmbeddingOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  RankedTensorType out = tensorType(getOut());
  Workload workload;
  workload.loops = {{"m", IteratorType::parallel, out.getDimSize(0)},
                    {"h", IteratorType::parallel, out.getDimSize(1)}};
  workload.addBuffer(Buffer::Role::Read, "tokens", getTokens(), {"m"});
  // Each token reads one row, and it is not known which.
  Buffer &table =
      workload.addBuffer(Buffer::Role::Read, "table", getTable(), {"m", "h"});
  table.isGathered = true;
  table.selectedBy.push_back(getTokens());
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), {"m", "h"});
  workload.addStage("gather", EngineKind::Vector, {"m", "h"}, {});
  return workload;
}

//===----------------------------------------------------------------------===//
// sample
//===----------------------------------------------------------------------===//

LogicalResult SampleOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getLogits(), 2}})))
    return failure();
  int64_t rows = tensorType(adaptor.getLogits()).getDimSize(0);
  if (Value random = adaptor.getRandom()) {
    if (failed(verifyRanks(loc, getOperationName(), {{random, 1}})))
      return failure();
    if (adaptor.getSampling() != Sampling::Categorical) // sample-C1
      return fail(loc, getOperationName(),
                  "takes random numbers where it is 'categorical' only");
    RankedTensorType type = tensorType(random);
    if (!isa<FloatType>(type.getElementType()) ||
        !agree(type.getDimSize(0), rows)) // sample-C2
      return fail(loc, getOperationName(),
                  "random numbers are floats, one for each row of ",
                  tensorType(adaptor.getLogits()), ", got ", type);
  }
  resultTypes.push_back(
      RankedTensorType::get({rows}, IntegerType::get(context, 32)));
  return success();
}

FailureOr<Workload> SampleOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  RankedTensorType logits = tensorType(getLogits());
  bool isGreedy = getSampling() == Sampling::Greedy;
  Workload workload;
  workload.loops = {{"m", IteratorType::parallel, logits.getDimSize(0)},
                    {"v", IteratorType::reduction, logits.getDimSize(1),
                     isGreedy ? Loop::Tiles::AnyOrder : Loop::Tiles::PerStage}};
  workload.addBuffer(Buffer::Role::Read, "logits", getLogits(), {"m", "v"});
  if (getRandom())
    workload.addBuffer(Buffer::Role::Read, "random", getRandom(), {"m"});
  workload.addBuffer(Buffer::Role::Write, "out", getOut(), {"m"});
  SmallVector<StringRef> all = {"m", "v"};
  workload.addStage("max", EngineKind::Vector, all, {{WorkKind::Compare, 1}});
  if (isGreedy)
    return workload;
  workload.addStage("exp_sum", EngineKind::Vector, all,
                    {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  workload.addStage("draw", EngineKind::Vector, all,
                    {{WorkKind::Alu, 1}, {WorkKind::Compare, 1}});
  return workload;
}
