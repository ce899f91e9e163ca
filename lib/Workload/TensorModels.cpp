//===- TensorModels.cpp - Views and copies of tensors ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalModels.h"
#include "llm/Workload/Counts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

/// Makes a workload of loops d0, d1, .. over the elements of `copied`, without
/// arithmetic. Its buffers have these loops as indices. For a slice with
/// strides, or a padded source, these count elements, but do not tell where
/// they lie.
static FailureOr<Workload> makeCopy(Operation *op, EmitError emitError,
                                    RankedTensorType copied, Value source,
                                    StringRef outName, Value out) {
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
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(copied.getRank(), op->getContext());
  auto addBuffer = [&](Buffer::Role role, StringRef name, Value value) {
    workload.buffers.push_back(
        {role, name.str(), value, map, getElementTypeOrSelf(value)});
  };
  addBuffer(Buffer::Role::Read, "source", source);
  addBuffer(Buffer::Role::Write, outName, out);
  return workload;
}

namespace {
/// The destination is updated in place: only the slice moves.
struct InsertSliceModel
    : WorkloadOpInterface::ExternalModel<InsertSliceModel,
                                         tensor::InsertSliceOp> {
  FailureOr<Workload> getWorkload(Operation *operation,
                                  EmitError emitError) const {
    auto op = cast<tensor::InsertSliceOp>(operation);
    return makeCopy(op, emitError, op.getSourceType(), op.getSource(), "slice",
                    op.getResult());
  }
};

/// A pad writes every element of the result, and reads those of the source.
struct PadModel : WorkloadOpInterface::ExternalModel<PadModel, tensor::PadOp> {
  FailureOr<Workload> getWorkload(Operation *operation,
                                  EmitError emitError) const {
    auto op = cast<tensor::PadOp>(operation);
    return makeCopy(op, emitError, op.getResultType(), op.getSource(), "out",
                    op.getResult());
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
      // If the low padding is no constant, this puts the source at the
      // beginning of the result. If it is, it may be larger than the result, as
      // long as the high padding is no constant.
      int64_t begin = ShapedType::isDynamic(low) ? 0 : std::min(low, end);
      elements = times(
          elements, std::max<int64_t>(0, std::min(interval.end, begin + size) -
                                             std::max(interval.begin, begin)));
    }
    return elements;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Views with sizes that are open
//===----------------------------------------------------------------------===//

/// Replaces sizes that are constants now by numbers. A number below 0 stays as
/// it is.
static SmallVector<OpFoldResult> closeSizes(SmallVector<OpFoldResult> sizes,
                                            Builder &builder) {
  for (OpFoldResult &size : sizes)
    if (std::optional<int64_t> number = getConstantIntValue(size);
        number && *number >= 0)
      size = builder.getIndexAttr(*number);
  return sizes;
}

namespace {
struct OpenExpandShape
    : OpenSizesOpInterface::ExternalModel<OpenExpandShape,
                                          tensor::ExpandShapeOp> {
  FailureOr<bool> bindOpenSizes(Operation *operation,
                                RewriterBase &rewriter) const {
    auto op = cast<tensor::ExpandShapeOp>(operation);
    SmallVector<OpFoldResult> shape =
        closeSizes(op.getMixedOutputShape(), rewriter);
    auto type = op.getResultType().clone(decomposeMixedValues(shape).first);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, type, op.getSrc(), op.getReassociationIndices(), shape);
    return true;
  }
};

struct OpenExtractSlice
    : OpenSizesOpInterface::ExternalModel<OpenExtractSlice,
                                          tensor::ExtractSliceOp> {
  FailureOr<bool> bindOpenSizes(Operation *operation,
                                RewriterBase &rewriter) const {
    auto op = cast<tensor::ExtractSliceOp>(operation);
    SmallVector<OpFoldResult> sizes = closeSizes(op.getMixedSizes(), rewriter);
    // Dimensions of size 1 may be left out.
    ::llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(decomposeMixedValues(sizes).first))
      if (!dropped[dim])
        shape.push_back(size);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getResultType().clone(shape), op.getSource(),
        closeSizes(op.getMixedOffsets(), rewriter), sizes,
        closeSizes(op.getMixedStrides(), rewriter));
    return true;
  }
};

struct OpenEmpty
    : OpenSizesOpInterface::ExternalModel<OpenEmpty, tensor::EmptyOp> {
  FailureOr<bool> bindOpenSizes(Operation *operation,
                                RewriterBase &rewriter) const {
    auto op = cast<tensor::EmptyOp>(operation);
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
        op, closeSizes(op.getMixedSizes(), rewriter),
        op.getType().getElementType());
    return true;
  }
};

struct OpenCollapseShape
    : OpenSizesOpInterface::ExternalModel<OpenCollapseShape,
                                          tensor::CollapseShapeOp> {
  FailureOr<bool> bindOpenSizes(Operation *operation, RewriterBase &) const {
    auto op = cast<tensor::CollapseShapeOp>(operation);
    op.getResult().setType(tensor::CollapseShapeOp::inferCollapsedType(
        op.getSrcType(), op.getReassociationMaps()));
    return false;
  }
};

struct OpenConcat
    : OpenSizesOpInterface::ExternalModel<OpenConcat, tensor::ConcatOp> {
  FailureOr<bool> bindOpenSizes(Operation *operation, RewriterBase &) const {
    auto op = cast<tensor::ConcatOp>(operation);
    op.getResult().setType(tensor::ConcatOp::inferResultType(
        op.getDim(), op.getInputs().getTypes()));
    return false;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Views whose elements are those of one value
//===----------------------------------------------------------------------===//

namespace {
/// A view of all elements of the first operand, in the same order.
template <typename Op>
struct ReshapeModel
    : TransparentOpInterface::ExternalModel<ReshapeModel<Op>, Op> {
  std::optional<ShownBox> getShownBox(Operation *op) const {
    auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType()),
         result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!source || !result || !source.hasStaticShape() ||
        !result.hasStaticShape())
      return std::nullopt;
    ShownBox shown{op->getOperand(0), {}};
    for (int64_t size : source.getShape())
      shown.ranges.push_back({0, size, 1});
    return shown;
  }
};

struct ExtractSliceModel
    : TransparentOpInterface::ExternalModel<ExtractSliceModel,
                                            tensor::ExtractSliceOp> {
  std::optional<ShownBox> getShownBox(Operation *operation) const {
    auto op = cast<tensor::ExtractSliceOp>(operation);
    if (!op.getSourceType().hasStaticShape() ||
        ShapedType::isDynamicShape(op.getStaticOffsets()) ||
        ShapedType::isDynamicShape(op.getStaticSizes()) ||
        ShapedType::isDynamicShape(op.getStaticStrides()))
      return std::nullopt;
    ShownBox shown{op.getSource(), {}};
    for (auto [offset, size, stride] : llvm::zip_equal(
             op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()))
      shown.ranges.push_back({offset, size, stride});
    return shown;
  }
};
} // namespace

template <template <typename> typename Model, typename... Ops>
static void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void mlir::llm::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachAll<TransparentModel, tensor::BitcastOp, tensor::ConcatOp,
              tensor::DimOp, tensor::EmptyOp, tensor::ExtractOp,
              tensor::FromElementsOp, tensor::SplatOp>(context);
    attachAll<ReshapeModel, tensor::CastOp, tensor::CollapseShapeOp,
              tensor::ExpandShapeOp, tensor::ReshapeOp>(context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
    tensor::PadOp::attachInterface<PadModel>(*context);
    tensor::EmptyOp::attachInterface<OpenEmpty>(*context);
    tensor::ExpandShapeOp::attachInterface<OpenExpandShape>(*context);
    tensor::ExtractSliceOp::attachInterface<OpenExtractSlice>(*context);
    tensor::CollapseShapeOp::attachInterface<OpenCollapseShape>(*context);
    tensor::ConcatOp::attachInterface<OpenConcat>(*context);
  });
}
