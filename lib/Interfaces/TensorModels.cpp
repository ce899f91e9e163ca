//===- TensorModels.cpp - Views and copies of tensors ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalModels.h"
#include "llm/Interfaces/Counts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

/// Loops d0, d1, .. over the elements of `copied`, and no arithmetic. The
/// caller adds the buffers.
static FailureOr<Workload> makeCopy(Operation *op, EmitError emitError,
                                    RankedTensorType copied) {
  if (failed(requireStaticShapes(op, emitError)))
    return failure();
  Workload workload;
  for (auto [index, size] : llvm::enumerate(copied.getShape()))
    workload.loops.push_back(
        {"d" + std::to_string(index), IteratorType::parallel, size});
  Stage stage;
  stage.name = "copy";
  stage.loops.resize(workload.loops.size(), true);
  workload.stages.push_back(std::move(stage));
  return workload;
}

static void addBuffer(Workload &workload, Buffer::Role role, StringRef name,
                      Value value, AffineMap map) {
  workload.buffers.push_back(
      {role, name.str(), value, map,
       cast<RankedTensorType>(value.getType()).getElementType()});
}

namespace {
/// The destination is updated in place: only the slice moves.
struct InsertSliceModel
    : WorkloadOpInterface::ExternalModel<InsertSliceModel,
                                         tensor::InsertSliceOp> {
  FailureOr<Workload> getWorkload(Operation *operation,
                                  EmitError emitError) const {
    auto op = cast<tensor::InsertSliceOp>(operation);
    RankedTensorType source = op.getSourceType();
    FailureOr<Workload> workload = makeCopy(op, emitError, source);
    if (failed(workload))
      return failure();
    MLIRContext *context = op.getContext();
    // A slice with strides is as many elements as the source: the map counts
    // them, not where they lie.
    AffineMap map =
        AffineMap::getMultiDimIdentityMap(source.getRank(), context);
    addBuffer(*workload, Buffer::Role::Read, "source", op.getSource(), map);
    addBuffer(*workload, Buffer::Role::Write, "slice", op.getResult(), map);
    return workload;
  }
};

/// Every element of the result is written; those of the source are read.
struct PadModel : WorkloadOpInterface::ExternalModel<PadModel, tensor::PadOp> {
  FailureOr<Workload> getWorkload(Operation *operation,
                                  EmitError emitError) const {
    auto op = cast<tensor::PadOp>(operation);
    RankedTensorType result = op.getResultType();
    FailureOr<Workload> workload = makeCopy(op, emitError, result);
    if (failed(workload))
      return failure();
    AffineMap map =
        AffineMap::getMultiDimIdentityMap(result.getRank(), op.getContext());
    addBuffer(*workload, Buffer::Role::Read, "source", op.getSource(), map);
    addBuffer(*workload, Buffer::Role::Write, "out", op.getResult(), map);
    return workload;
  }

  Count countElements(Operation *operation, const Workload &workload,
                      unsigned buffer, Box box) const {
    if (workload.buffers[buffer].role == Buffer::Role::Write)
      return countElementsOfProduct(workload, buffer, box);
    auto op = cast<tensor::PadOp>(operation);
    Count elements = int64_t(1);
    for (auto [interval, low, size, end] :
         llvm::zip_equal(box, op.getStaticLow(), op.getSourceType().getShape(),
                         op.getResultType().getShape())) {
      // A low padding that is no constant puts the source where the result
      // ends. One that is need not be smaller than the result, where the high
      // one is no constant.
      int64_t begin = ShapedType::isDynamic(low) ? 0 : std::min(low, end);
      elements = times(
          elements, std::max<int64_t>(0, std::min(interval.end, begin + size) -
                                             std::max(interval.begin, begin)));
    }
    return elements;
  }
};
} // namespace

template <typename... Ops>
static void attachTransparent(MLIRContext *context) {
  (Ops::template attachInterface<TransparentModel<Ops>>(*context), ...);
}

void mlir::llm::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTransparent<tensor::BitcastOp, tensor::CastOp,
                      tensor::CollapseShapeOp, tensor::ConcatOp, tensor::DimOp,
                      tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractOp,
                      tensor::ExtractSliceOp, tensor::FromElementsOp,
                      tensor::ReshapeOp, tensor::SplatOp>(context);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
    tensor::PadOp::attachInterface<PadModel>(*context);
  });
}
