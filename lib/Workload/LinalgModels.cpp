//===- LinalgModels.cpp - Workloads of structured linalg ops --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalModels.h"
#include "LinalgPayload.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether the body gives every point of the result the same value: that of a
/// scalar operand, or one from outside (a fill after generalization).
static bool repeatsOneValue(linalg::LinalgOp op, OpResult result) {
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  if (auto argument = dyn_cast<BlockArgument>(yielded);
      argument && argument.getOwner() == op.getBlock())
    return !isa<ShapedType>(op->getOperand(argument.getArgNumber()).getType());
  return yielded.getParentBlock() != op.getBlock() ||
         matchPattern(yielded, m_Constant());
}

/// Whether the op only copies elements of its first operand.
static bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

/// Whether every element of the tensor is one value that needs no memory.
/// Accumulators start from such a value, and an operand with it is not read.
static bool isSplat(Value value) {
  while (Operation *view = value.getDefiningOp()) {
    if (!isView(view))
      break;
    value = view->getOperand(0);
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return structured.hasPureTensorSemantics() &&
           repeatsOneValue(structured, cast<OpResult>(value));
  SplatElementsAttr splat;
  return isa<tensor::EmptyOp, tensor::SplatOp>(op) ||
         matchPattern(op, m_Constant(&splat));
}

/// Whether the index is a sum of loop indices with factors >= 0, which
/// `countElementsOfProduct` can count.
static bool isCountable(AffineExpr index) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return constant.getValue() >= 0;
  if (isa<AffineDimExpr>(index))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  return binary &&
         (binary.getKind() == AffineExprKind::Add ||
          binary.getKind() == AffineExprKind::Mul) &&
         isCountable(binary.getLHS()) && isCountable(binary.getRHS());
}

static LogicalResult addOperand(Workload &workload, Buffer::Role role,
                                const Twine &name, Value value, AffineMap map,
                                EmitError emitError) {
  if (!llvm::all_of(map.getResults(), isCountable))
    return emitError() << "the indexing map " << AffineMapAttr::get(map)
                       << " is not made of sums of loop indices; the elements "
                          "that a tile touches cannot be counted";
  workload.buffers.push_back(
      {role, name.str(), value, map, getElementTypeOrSelf(value.getType())});
  return success();
}

/// Adds buffers. First come the operands that the body uses, and the start
/// values of outputs that are not a single value. Then come the tensors that
/// the body gathers from, and the results.
static LogicalResult addBuffers(linalg::LinalgOp op, Workload &workload,
                                EmitError emitError) {
  using Role = Buffer::Role;
  auto isRead = [&](OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType()) &&
           op.payloadUsesValueFromOperand(&operand) && !isSplat(operand.get());
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRead(operand))
      continue;
    bool isInit = op.isDpsInit(&operand);
    unsigned number = operand.getOperandNumber() -
                      (isInit ? unsigned(op.getNumDpsInputs()) : 0);
    if (failed(addOperand(
            workload, Role::Read, (isInit ? "init" : "in") + Twine(number),
            operand.get(), op.getMatchingIndexingMap(&operand), emitError)))
      return failure();
  }
  // Which element a point gathers is only known at run time, so this counts one
  // for each point.
  AffineMap everyPoint =
      AffineMap::getMultiDimIdentityMap(workload.loops.size(), op.getContext());
  for (auto [number, gathered] : llvm::enumerate(findGathered(op))) {
    if (failed(addOperand(workload, Role::Read, "gathered" + Twine(number),
                          gathered.tensor, everyPoint, emitError)))
      return failure();
    workload.buffers.back().isGathered = true;
    workload.buffers.back().selectedBy = gathered.selectedBy;
  }
  for (auto [number, init] : llvm::enumerate(op.getDpsInitsMutable()))
    if (!repeatsOneValue(op, op->getResult(number)) &&
        failed(addOperand(workload, Role::Write, "out" + Twine(number),
                          op->getResult(number),
                          op.getMatchingIndexingMap(&init), emitError)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static void addStage(Workload &workload, StringRef name, EngineKind engine,
                     ArrayRef<std::pair<WorkKind, int64_t>> workPerPoint) {
  Stage stage;
  stage.name = name.str();
  stage.engine = engine;
  stage.loops.resize(workload.loops.size(), true);
  for (auto work : workPerPoint)
    if (work.second > 0)
      stage.workPerPoint.push_back(work);
  workload.stages.push_back(std::move(stage));
}

static void addStages(Workload &workload, const PayloadWork &work) {
  if (work.macs > 0)
    addStage(workload, "mac", EngineKind::Matrix, {{WorkKind::Mac, work.macs}});
  if (work.macs == 0 || work.alu + work.special + work.compare > 0)
    addStage(workload, "map", EngineKind::Vector,
             {{WorkKind::Alu, work.alu},
              {WorkKind::Special, work.special},
              {WorkKind::Compare, work.compare}});
}

static FailureOr<Workload> makeWorkload(linalg::LinalgOp op,
                                        EmitError emitError) {
  if (!op.hasPureTensorSemantics())
    return emitError() << "works on memory; workloads are counted on tensors, "
                          "before bufferization";
  if (failed(requireStaticShapes(op, emitError)))
    return failure();
  Workload workload;
  for (auto [index, extent, kind] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    workload.loops.push_back({"d" + std::to_string(index), kind, extent});
  FailureOr<PayloadWork> work = countPayload(op, emitError);
  if (failed(work) || failed(addBuffers(op, workload, emitError)))
    return failure();
  addStages(workload, *work);
  return workload;
}

namespace {
template <typename Op>
struct StructuredModel
    : WorkloadOpInterface::ExternalModel<StructuredModel<Op>, Op> {
  FailureOr<Workload> getWorkload(Operation *op, EmitError emitError) const {
    return makeWorkload(cast<linalg::LinalgOp>(op), emitError);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <typename Op>
static void attachStructured(MLIRContext *context) {
  // A fill only gives the start value of accumulators, and takes no time.
  if constexpr (std::is_same_v<Op, linalg::FillOp>)
    Op::template attachInterface<TransparentModel<Op>>(*context);
  else
    Op::template attachInterface<StructuredModel<Op>>(*context);
}

template <typename... Ops>
static void attachAll(MLIRContext *context) {
  (attachStructured<Ops>(context), ...);
}

void mlir::llm::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
