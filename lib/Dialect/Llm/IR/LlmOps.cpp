//===- LlmOps.cpp - Result types and verification of the ops --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Each check is a numbered constraint of dialects/llm/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Checks that there is a name, and that every {} of it has one index.
static LogicalResult verifyIndexedName(Operation *op, StringRef name,
                                       size_t indices) {
  if (name.empty()) // weight-C1, kv_cache-C4, state-C4
    return op->emitOpError() << "needs a name";
  size_t places = name.count("{}");
  if (places != indices) // weight-C2, kv_cache-C5, state-C5
    return op->emitOpError() << "name \"" << name << "\" has " << places
                             << " places '{}' for " << indices << " indices";
  return success();
}

LogicalResult WeightOp::verify() {
  return verifyIndexedName(*this, getName(), getIndices().size());
}

SourceKind WeightOp::getSourceKind() { return SourceKind::Weight; }

LogicalResult KvCacheOp::verify() {
  KvCacheType type = getType();
  size_t open = ShapedType::isDynamic(type.getBatch()) +
                ShapedType::isDynamic(type.getCapacity());
  if (open != getSizes().size()) // kv_cache-C6
    return emitOpError() << "has " << getSizes().size() << " sizes for " << open
                         << " that its type leaves open";
  return verifyIndexedName(*this, getName(), getIndices().size());
}

LogicalResult StateOp::verify() {
  size_t open = ShapedType::isDynamic(getType().getBatch());
  if (open != getSizes().size()) // state-C6
    return emitOpError() << "has " << getSizes().size() << " sizes for " << open
                         << " that its type leaves open";
  if (llvm::is_contained(getType().getShape(),
                         ShapedType::kDynamic)) // state-C7
    return emitOpError() << "of " << getType()
                         << " must know the shape of one sequence's state: "
                            "only the batch may be open";
  return verifyIndexedName(*this, getName(), getIndices().size());
}

SourceKind StateOp::getSourceKind() { return SourceKind::Cache; }

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getLhs(), 2},
                          {adaptor.getRhs(), 2},
                          {adaptor.getBias(), 1}})))
    return failure();
  RankedTensorType lhs = tensorType(adaptor.getLhs()),
                   rhs = tensorType(adaptor.getRhs());
  FailureOr<int64_t> n = inferColumns(loc, getOperationName(), lhs, rhs,
                                      adaptor.getTransposeRhs());
  if (failed(n)) // matmul-C1
    return failure();
  if (Value bias = adaptor.getBias())
    if (!agree(tensorType(bias).getDimSize(0), *n)) // matmul-C2
      return fail(loc, getOperationName(), "bias ", bias.getType(),
                  " must have n = ", *n, " elements");
  FailureOr<Type> type =
      resultElementType(loc, getOperationName(), lhs, adaptor.getOutType());
  if (failed(type)) // matmul-C3
    return failure();
  resultTypes.push_back(RankedTensorType::get({lhs.getDimSize(0), *n}, *type));
  return success();
}

LogicalResult
BatchMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                Adaptor adaptor,
                                SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getLhs(), 3}, {adaptor.getRhs(), 3}})))
    return failure();
  RankedTensorType lhs = tensorType(adaptor.getLhs()),
                   rhs = tensorType(adaptor.getRhs());
  FailureOr<int64_t> n = inferColumns(loc, getOperationName(), lhs, rhs,
                                      adaptor.getTransposeRhs());
  if (failed(n)) // batch_matmul-C1
    return failure();
  if (!agree(lhs.getDimSize(1), rhs.getDimSize(0))) // batch_matmul-C2
    return fail(loc, getOperationName(), "lhs ", lhs, " has ",
                lhs.getDimSize(1), " heads, rhs ", rhs, " ", rhs.getDimSize(0));
  FailureOr<Type> type =
      resultElementType(loc, getOperationName(), lhs, adaptor.getOutType());
  if (failed(type)) // batch_matmul-C3
    return failure();
  resultTypes.push_back(
      RankedTensorType::get({lhs.getDimSize(0), lhs.getDimSize(1), *n}, *type));
  return success();
}

//===----------------------------------------------------------------------===//
// Norm and elementwise
//===----------------------------------------------------------------------===//

/// Are `last` the last dimensions, one or more?
static bool endsWith(ArrayRef<int64_t> shape, ArrayRef<int64_t> last) {
  return !last.empty() && last.size() <= shape.size() &&
         llvm::all_of_zip(shape.take_back(last.size()), last, agree);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  RankedTensorType x = tensorType(adaptor.getX());
  if (x.getRank() == 0) // rmsnorm-C1
    return fail(loc, getOperationName(), "needs at least one dimension");
  if (Value weight = adaptor.getWeight())
    if (!endsWith(x.getShape(), tensorType(weight).getShape())) // rmsnorm-C2
      return fail(loc, getOperationName(), "weight ", weight.getType(),
                  " must have the last dimension of ", x,
                  ", or the last several");
  if (adaptor.getAddUnitOffset() && !adaptor.getWeight()) // rmsnorm-C4
    return fail(loc, getOperationName(),
                "adds add_unit_offset to a weight, and has none");
  double epsilon = adaptor.getEpsilon().convertToDouble();
  if (!std::isfinite(epsilon) || epsilon < 0) // rmsnorm-C3
    return fail(loc, getOperationName(),
                "epsilon must be finite and not negative");
  resultTypes.push_back(x);
  return success();
}

LogicalResult RopeOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getX(), 4}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (!ShapedType::isDynamic(x.getDimSize(3)) && x.getDimSize(3) % 2) // rope-C1
    return fail(loc, getOperationName(),
                "rotates pairs: head_dim must be even, got ", x.getDimSize(3));
  if (failed(verifyPositions(loc, getOperationName(), adaptor.getBegin(),
                             adaptor.getDynamicBegin(),
                             x.getDimSize(0)))) // rope-C2
    return failure();
  double theta = adaptor.getTheta().convertToDouble();
  if (!std::isfinite(theta) || theta <= 0) // rope-C3
    return fail(loc, getOperationName(), "theta must be finite and positive");
  if (std::optional<RopeScalingAttr> scaling = adaptor.getScaling())
    if (DenseF64ArrayAttr factors = scaling->getFactors();
        factors && !agree(x.getDimSize(3), 2 * factors.size())) // rope-C4
      return fail(loc, getOperationName(), "scaling has ", factors.size(),
                  " factors for the pairs of ", x);
  int64_t stride = adaptor.getStride().value_or(1);
  if (stride < 1 || stride > maxCount) // rope-C5
    return fail(loc, getOperationName(), "stride must be in [1, 2^61), got ",
                stride);
  resultTypes.push_back(x);
  return success();
}

LogicalResult
PositionScaleOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  Adaptor adaptor,
                                  SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getX(), 4}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (failed(verifyPositions(loc, getOperationName(), adaptor.getBegin(),
                             adaptor.getDynamicBegin(),
                             x.getDimSize(0)))) // position_scale-C1
    return failure();
  if (static_cast<int64_t>(adaptor.getStep()) < 1) // position_scale-C2
    return fail(loc, getOperationName(), "step must be positive");
  if (!std::isfinite(adaptor.getSlope().convertToDouble()))
    return fail(loc, getOperationName(), // position_scale-C3
                "slope must be finite");
  resultTypes.push_back(x);
  return success();
}

/// Does one scale hold for all elements?
static bool coversAll(ScalesAttr scales, int64_t rank) {
  ArrayRef<int64_t> block = scales.getBlock();
  return static_cast<int64_t>(block.size()) >= rank &&
         llvm::all_of(block.take_back(rank), [](int64_t size) {
           return size == ScalesAttr::wholeDimension;
         });
}

LogicalResult
LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              Adaptor adaptor,
                              SmallVectorImpl<Type> &resultTypes) {
  Value weight = adaptor.getWeight(), bias = adaptor.getBias();
  if (failed(verifyRanks(loc, getOperationName(), {{weight, 1}, {bias, 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (x.getRank() == 0) // layernorm-C1
    return fail(loc, getOperationName(), "needs at least one dimension");
  for (Value each : {weight, bias})
    if (each && !agree(x.getShape().back(),
                       tensorType(each).getDimSize(0))) // layernorm-C2
      return fail(loc, getOperationName(), each.getType(), " must have the ",
                  x.getShape().back(), " elements of the last dimension of ",
                  x);
  double epsilon = adaptor.getEpsilon().convertToDouble();
  if (!std::isfinite(epsilon) || epsilon < 0) // layernorm-C3
    return fail(loc, getOperationName(),
                "epsilon must be finite and not negative");
  resultTypes.push_back(x);
  return success();
}

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &resultTypes) {
  RankedTensorType x = tensorType(adaptor.getX());
  Type type = adaptor.getType();
  if (!isa<BlockScaledType>(type) &&
      !type.isSignlessIntOrFloat()) // quantize-C1
    return fail(loc, getOperationName(),
                "quantizes to a float, integer or block-scaled type, got ",
                type);
  if (x.getRank() == 0) // quantize-C2
    return fail(loc, getOperationName(), "needs at least one dimension");
  if (Value scale = adaptor.getScale()) {
    auto scaled = dyn_cast<BlockScaledType>(type);
    if (!adaptor.getIsStatic() || !scaled ||
        !coversAll(scaled.getScales().back(), x.getRank())) // quantize-C3
      return fail(loc, getOperationName(),
                  "takes a scale where it is 'static', to a block-scaled type "
                  "whose last layer has one for all of ",
                  x);
    auto expected =
        RankedTensorType::get({}, scaled.getScales().back().getType());
    if (scale.getType() != expected) // quantize-C4
      return fail(loc, getOperationName(), "takes a scale of the last layer, ",
                  expected, ", got ", scale.getType());
  }
  resultTypes.push_back(RankedTensorType::get(x.getShape(), type));
  return success();
}

// binary-C1: of add, swiglu and geglu.
template <typename Op>
static LogicalResult inferBinary(std::optional<Location> loc,
                                 typename Op::Adaptor adaptor,
                                 SmallVectorImpl<Type> &resultTypes) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (lhs != rhs)
    return fail(loc, Op::getOperationName(),
                "operands must have one type, got ", lhs, " and ", rhs);
  resultTypes.push_back(lhs);
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<AddOp>(loc, adaptor, resultTypes);
}

LogicalResult MulOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &resultTypes) {
  RankedTensorType lhs = tensorType(adaptor.getLhs()),
                   rhs = tensorType(adaptor.getRhs());
  bool fits = rhs.getRank() <= lhs.getRank();
  if (fits)
    for (auto [all, size] : llvm::zip_equal(
             lhs.getShape().take_back(rhs.getRank()), rhs.getShape()))
      fits &= size == 1 || agree(all, size);
  if (!fits) // mul-C1
    return fail(loc, getOperationName(),
                "needs a right operand that has the last dimensions of the "
                "left one, or size 1 there, got ",
                lhs, " and ", rhs);
  resultTypes.push_back(lhs);
  return success();
}

AffineMap MulOp::getRhsMap() {
  RankedTensorType lhs = tensorType(getLhs()), rhs = tensorType(getRhs());
  SmallVector<AffineExpr> indices;
  for (auto [dim, size] : llvm::enumerate(rhs.getShape())) {
    int64_t ofLhs = lhs.getRank() - rhs.getRank() + dim;
    bool isBroadcast = size == 1 && lhs.getDimSize(ofLhs) != 1;
    indices.push_back(isBroadcast ? getAffineConstantExpr(0, getContext())
                                  : getAffineDimExpr(ofLhs, getContext()));
  }
  return AffineMap::get(lhs.getRank(), 0, indices, getContext());
}

LogicalResult SwiGluOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  int64_t forms = 0;
  for (auto [name, bound] : {std::pair<StringRef, std::optional<APFloat>>{
                                 "limit", adaptor.getLimit()},
                             {"clamp", adaptor.getClamp()},
                             {"caps", adaptor.getGateCap()},
                             {"caps", adaptor.getUpCap()}}) {
    if (!bound)
      continue;
    ++forms;
    if (!std::isfinite(bound->convertToDouble()) ||
        bound->convertToDouble() <= 0) // swiglu-C1
      return fail(loc, getOperationName(), name,
                  " must be finite and positive");
  }
  bool hasCaps = adaptor.getGateCap().has_value();
  if (hasCaps != adaptor.getUpCap().has_value() ||
      forms > (hasCaps ? 2 : 1)) // swiglu-C2
    return fail(loc, getOperationName(),
                "has one of limit, clamp and two caps at most");
  return inferBinary<SwiGluOp>(loc, adaptor, resultTypes);
}

LogicalResult GeGluOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<GeGluOp>(loc, adaptor, resultTypes);
}

LogicalResult ScaleOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &resultTypes) {
  if (!std::isfinite(adaptor.getFactor().convertToDouble())) // scale-C1
    return fail(loc, getOperationName(), "factor must be finite");
  resultTypes.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult SoftCapOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  double cap = adaptor.getCap().convertToDouble();
  if (!std::isfinite(cap) || cap <= 0) // soft_cap-C1
    return fail(loc, getOperationName(), "cap must be finite and positive");
  resultTypes.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult
ActivationOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getBias(), 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (Value bias = adaptor.getBias())
    if (x.getRank() == 0 ||
        !agree(x.getShape().back(),
               tensorType(bias).getDimSize(0))) // activation-C1
      return fail(loc, getOperationName(), "bias ", bias.getType(),
                  " must have the elements of the last dimension of ", x);
  resultTypes.push_back(x);
  return success();
}

SmallVector<double> RopeOp::getFrequencies() {
  int64_t pairs = getX().getType().getDimSize(3) / 2;
  double theta = getTheta().convertToDouble();
  SmallVector<double> frequencies;
  for (int64_t i = 0; i < pairs; ++i)
    frequencies.push_back(
        std::pow(theta, -static_cast<double>(i) / static_cast<double>(pairs)));
  return getScaling() ? getScaling()->scale(frequencies, theta) : frequencies;
}
