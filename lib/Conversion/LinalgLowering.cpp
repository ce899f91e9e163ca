//===- LinalgLowering.cpp - How an op says what it computes ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Conversion/LinalgLowering.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Conversion/LinalgLoweringInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// The type in which an op calculates: meaning-R1.
Type chooseComputeType(Operation *op) {
  // Sums of products of whole numbers are exact in f64. Wide whole numbers that
  // an op reads are indices, of tokens and experts, or such sums. An op that
  // gives wide ones beside floats gives indices.
  auto hasIntegers = [](Type type, unsigned mostBits) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && integer.getWidth() <= mostBits;
  };
  auto hasDoubles = [](Type type) {
    return getElementTypeOrSelf(type).isF64();
  };
  bool isDouble =
      llvm::any_of(op->getOperandTypes(), hasDoubles) ||
      llvm::any_of(op->getResultTypes(), hasDoubles) ||
      llvm::any_of(op->getOperandTypes(),
                   [&](Type type) { return hasIntegers(type, 31); }) ||
      llvm::all_of(op->getResultTypes(),
                   [&](Type type) { return hasIntegers(type, 64); });
  return isDouble ? Type(Float64Type::get(op->getContext()))
                  : Type(Float32Type::get(op->getContext()));
}

} // namespace

SmallVector<ScaleDim> llm::getScaleDims(ScalesAttr scales, int64_t rank) {
  SmallVector<ScaleDim> dims;
  ArrayRef<int64_t> block = scales.getBlock();
  int64_t first = rank - static_cast<int64_t>(block.size());
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t neighbours = dim < first ? 1 : block[dim - first];
    if (neighbours != ScalesAttr::wholeDimension)
      dims.push_back({dim, neighbours});
  }
  return dims;
}

std::optional<int64_t> llm::findScaleBlock(ArrayRef<ScaleDim> dims,
                                           int64_t dim) {
  for (ScaleDim each : dims)
    if (each.dim == dim)
      return each.block;
  return std::nullopt;
}

unsigned llm::countParts(Type element) {
  auto scaled = dyn_cast<BlockScaledType>(element);
  return scaled ? 1 + static_cast<unsigned>(scaled.getScales().size()) : 1;
}

AffineMap llm::getScaleMap(ScalesAttr scales, AffineMap map) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, block] : getScaleDims(scales, map.getNumResults()))
    exprs.push_back(map.getResult(dim).floorDiv(block));
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

SmallVector<Type> llm::getPartTypes(RankedTensorType blockScaled) {
  auto element = cast<BlockScaledType>(blockScaled.getElementType());
  SmallVector<Type> parts = {
      RankedTensorType::get(blockScaled.getShape(), element.getValueType())};
  for (ScalesAttr scales : element.getScales()) {
    SmallVector<int64_t> shape;
    for (auto [dim, block] : getScaleDims(scales, blockScaled.getRank())) {
      int64_t size = blockScaled.getDimSize(dim);
      shape.push_back(ShapedType::isDynamic(size)
                          ? size
                          : llvm::divideCeilSigned(size, block));
    }
    parts.push_back(RankedTensorType::get(shape, scales.getType()));
  }
  return parts;
}

static SmallVector<ScaleDim> scaleDimsOf(const Array &array, unsigned tensor) {
  auto element = cast<BlockScaledType>(array.type.getElementType());
  return getScaleDims(element.getScales()[tensor - 1], array.getRank());
}

std::optional<int64_t> Array::findDimOfBlocks(unsigned tensor,
                                              int64_t dim) const {
  if (tensor == 0)
    return dim;
  for (auto [n, scaleDim] : llvm::enumerate(scaleDimsOf(*this, tensor)))
    if (scaleDim.dim == dim)
      return n;
  return std::nullopt;
}

FailureOr<std::optional<int64_t>> Array::findDim(unsigned tensor,
                                                 int64_t dim) const {
  std::optional<int64_t> found = findDimOfBlocks(tensor, dim);
  if (found && tensor && scaleDimsOf(*this, tensor)[*found].block != 1)
    return failure();
  return found;
}

LinalgTypeConverter::LinalgTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
        if (!isa<BlockScaledType>(type.getElementType()))
          return std::nullopt;
        llvm::append_range(parts, getPartTypes(type));
        return success();
      });
  addConversion([this](KvCacheType type, SmallVectorImpl<Type> &parts)
                    -> std::optional<LogicalResult> {
    Type vectors = RankedTensorType::get({type.getBatch(), type.getCapacity(),
                                          type.getKvHeads(), type.getHeadDim()},
                                         type.getElementType());
    for (int64_t i = 0; i < type.getVectors(); ++i)
      if (failed(convertType(vectors, parts)))
        return failure();
    return success();
  });
  addConversion([](StateType type) -> Type { return type.asTensor(); });
  auto cast = [](OpBuilder &b, Type type, ValueRange parts,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(b, loc, type, parts).getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization([](OpBuilder &b, TypeRange types, ValueRange values,
                              Location loc) -> SmallVector<Value> {
    return UnrealizedConversionCastOp::create(b, loc, types, values)
        ->getResults();
  });
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

LinalgLowering::LinalgLowering(OpBuilder &builder, Operation *op,
                               ArrayRef<ValueRange> operands)
    : builder(builder), op(op), loc(op->getLoc()), operands(operands),
      computeType(chooseComputeType(op)), results(op->getNumResults()) {}

ValueRange LinalgLowering::getParts(Value operand) const {
  for (auto [original, parts] : llvm::zip(op->getOperands(), operands))
    if (original == operand)
      return parts;
  llvm_unreachable("not an operand of the op");
}

Value LinalgLowering::get(Value operand) const {
  ValueRange parts = getParts(operand);
  assert(parts.size() == 1 && "stands for several values");
  return parts.front();
}

Array LinalgLowering::getArray(Value operand) const {
  return {cast<RankedTensorType>(operand.getType()),
          llvm::to_vector(getParts(operand))};
}

void LinalgLowering::setResult(unsigned result, ValueRange parts) {
  results[result].assign(parts.begin(), parts.end());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value LinalgLowering::number(OpBuilder &b, double value) const {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(computeType, value));
}

Value LinalgLowering::index(OpBuilder &b, int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value LinalgLowering::widen(OpBuilder &b, Value stored) const {
  Type type = stored.getType();
  if (type == computeType)
    return stored;
  if (isa<IntegerType>(type))
    return arith::SIToFPOp::create(b, loc, computeType, stored);
  if (type.getIntOrFloatBitWidth() < computeType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, computeType, stored);
  return arith::TruncFOp::create(b, loc, computeType, stored);
}

/// The least and the largest number of a type of few bits.
static std::pair<double, double> getRange(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    double end = std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
    return {-end, end - 1};
  }
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  // Scales that are powers of two have neither sign nor 0.
  if (!APFloat::semanticsHasZero(semantics))
    return {APFloat::getSmallest(semantics).convertToDouble(), largest};
  return {-largest, largest};
}

// meaning-R2 and meaning-R3.
Value LinalgLowering::narrow(OpBuilder &b, Value computed, Type type) const {
  Type from = computed.getType();
  if (from == type)
    return computed;
  bool isInteger = isa<IntegerType>(type);
  if (isInteger)
    computed = math::RoundEvenOp::create(b, loc, computed);
  if (isInteger || type.getIntOrFloatBitWidth() < 16) {
    auto [least, largest] = getRange(type);
    auto limit = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(from, value));
    };
    computed = arith::MaximumFOp::create(b, loc, computed, limit(least));
    computed = arith::MinimumFOp::create(b, loc, computed, limit(largest));
  }
  if (isInteger)
    return arith::FPToSIOp::create(b, loc, type, computed);
  // Few machines round f64 to types that are narrower than f32.
  if (from.isF64() && type.getIntOrFloatBitWidth() < 32)
    computed = arith::TruncFOp::create(b, loc, b.getF32Type(), computed);
  if (type.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, type, computed);
  return arith::ExtFOp::create(b, loc, type, computed);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> LinalgLowering::getSizes(Value tensor) const {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value LinalgLowering::empty(ArrayRef<OpFoldResult> sizes, Type element) const {
  return tensor::EmptyOp::create(builder, loc, sizes, element);
}

Value LinalgLowering::filled(ArrayRef<OpFoldResult> sizes, double value) const {
  return filled(sizes, builder.getFloatAttr(computeType, value));
}

Value LinalgLowering::filled(ArrayRef<OpFoldResult> sizes,
                             TypedAttr value) const {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar,
                                empty(sizes, value.getType()))
      .getResult(0);
}

Value LinalgLowering::constantIndices(ArrayRef<int64_t> values) const {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    builder.getIndexType());
  return arith::ConstantOp::create(builder, loc,
                                   DenseIntElementsAttr::get(type, values));
}

Array LinalgLowering::asArray(Value tensor) const {
  return {cast<RankedTensorType>(tensor.getType()), {tensor}};
}

Array LinalgLowering::split(const Array &array, int64_t dim,
                            OpFoldResult inner) const {
  SmallVector<OpFoldResult> sizes = getSizes(array.getValues());
  OpFoldResult outer = divide(sizes[dim], inner);
  sizes[dim] = outer;
  sizes.insert(sizes.begin() + dim + 1, inner);
  // Upstream expands a dimension into at most one of unknown size.
  if (!getConstantIntValue(outer) && !getConstantIntValue(inner))
    return copySplit(array, dim, sizes);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < array.getRank(); ++d) {
    int64_t next = d + (d > dim ? 1 : 0);
    groups.push_back({next});
    if (d == dim)
      groups.back().push_back(next + 1);
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(sizes, values, shape);
  auto type = RankedTensorType::get(shape, array.type.getElementType());
  return asArray(tensor::ExpandShapeOp::create(
      builder, loc, type, array.getValues(), groups, sizes));
}

Array LinalgLowering::copySplit(const Array &array, int64_t dim,
                                ArrayRef<OpFoldResult> sizes) const {
  Value inner = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim + 1]);
  return asArray(generate(
      sizes, array.type.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        SmallVector<Value> from(at);
        Value first = arith::MulIOp::create(b, loc, from[dim], inner);
        from[dim] = arith::AddIOp::create(b, loc, first, from[dim + 1]);
        from.erase(from.begin() + dim + 1);
        return tensor::ExtractOp::create(b, loc, array.getValues(), from);
      }));
}

/// Combines two sizes, into a number if both are known.
template <typename Op>
static OpFoldResult combine(OpBuilder &builder, Location loc, OpFoldResult a,
                            OpFoldResult b) {
  return getAsOpFoldResult(builder.createOrFold<Op>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, a),
      getValueOrCreateConstantIndexOp(builder, loc, b)));
}

OpFoldResult LinalgLowering::divide(OpFoldResult size,
                                    OpFoldResult divisor) const {
  return combine<arith::DivSIOp>(builder, loc, size, divisor);
}

OpFoldResult LinalgLowering::add(OpFoldResult a, OpFoldResult b) const {
  return combine<arith::AddIOp>(builder, loc, a, b);
}

OpFoldResult LinalgLowering::multiply(OpFoldResult a, OpFoldResult b) const {
  return combine<arith::MulIOp>(builder, loc, a, b);
}

Array LinalgLowering::slice(const Array &array, int64_t dim,
                            OpFoldResult offset, OpFoldResult size,
                            int64_t stride) const {
  SmallVector<OpFoldResult> sizes = getSizes(array.getValues());
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  strides[dim] = builder.getIndexAttr(stride);
  return asArray(tensor::ExtractSliceOp::create(builder, loc, array.getValues(),
                                                offsets, sizes, strides));
}

FailureOr<Array> LinalgLowering::sliceRows(const Array &array,
                                           OpFoldResult offset,
                                           OpFoldResult size) const {
  Array rows{array.type, {}};
  for (auto [n, tensor] : llvm::enumerate(array.tensors)) {
    FailureOr<std::optional<int64_t>> dim = array.findDim(n, 0);
    if (failed(dim))
      return failure();
    rows.tensors.push_back(
        *dim ? slice(asArray(tensor), 0, offset, size).getValues() : tensor);
  }
  auto shown = cast<RankedTensorType>(rows.getValues().getType());
  rows.type = RankedTensorType::get(
      shown.getShape(), array.type.getElementType(), array.type.getEncoding());
  return rows;
}

/// The type of a tensor without its first dimension.
static Type dropFirstDim(RankedTensorType type) {
  auto scaled = dyn_cast<BlockScaledType>(type.getElementType());
  if (!scaled)
    return type.getElementType();
  SmallVector<ScalesAttr> layers;
  for (ScalesAttr scales : scaled.getScales()) {
    ArrayRef<int64_t> block = scales.getBlock();
    if (static_cast<int64_t>(block.size()) == type.getRank())
      block = block.drop_front();
    layers.push_back(
        ScalesAttr::get(type.getContext(), block, scales.getType()));
  }
  return BlockScaledType::get(type.getContext(), scaled.getValueType(), layers);
}

FailureOr<Array> LinalgLowering::pickRow(const Array &array,
                                         OpFoldResult index) const {
  FailureOr<Array> row = sliceRows(array, index, builder.getIndexAttr(1));
  if (failed(row))
    return failure();
  for (auto [n, tensor] : llvm::enumerate(row->tensors))
    if (*array.findDim(n, 0))
      tensor = dropUnit(asArray(tensor), 0).getValues();
  row->type = RankedTensorType::get(array.type.getShape().drop_front(),
                                    dropFirstDim(array.type));
  return row;
}

Array LinalgLowering::dropUnit(const Array &array, int64_t dim) const {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < array.getRank(); ++d) {
    // The unit dimension joins the one behind it, or the one before if it is
    // the last.
    if (array.getRank() == 1)
      break;
    if (d == dim + 1 || (d == dim && d == array.getRank() - 1))
      groups.back().push_back(d);
    else
      groups.push_back({d});
  }
  return asArray(
      tensor::CollapseShapeOp::create(builder, loc, array.getValues(), groups));
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

// meaning-R4.
Value LinalgLowering::readScalar(OpBuilder &b, const Array &array,
                                 ValueRange stored) const {
  Value value = widen(b, stored.front());
  for (Value scale : stored.drop_front())
    value = arith::MulFOp::create(b, loc, value, widen(b, scale));
  return value;
}

Value LinalgLowering::extract(OpBuilder &b, const Array &array,
                              ValueRange at) const {
  SmallVector<Value> stored = {
      tensor::ExtractOp::create(b, loc, array.getValues(), at)};
  auto scaled = dyn_cast<BlockScaledType>(array.type.getElementType());
  ArrayRef<ScalesAttr> layers;
  if (scaled)
    layers = scaled.getScales();
  for (auto [scales, tensor] :
       llvm::zip_equal(layers, ArrayRef(array.tensors).drop_front())) {
    SmallVector<Value> indices;
    for (auto [dim, block] : getScaleDims(scales, array.getRank()))
      indices.push_back(block == 1 ? at[dim]
                                   : arith::DivUIOp::create(b, loc, at[dim],
                                                            index(b, block)));
    stored.push_back(tensor::ExtractOp::create(b, loc, tensor, indices));
  }
  return readScalar(b, array, stored);
}

Value LinalgLowering::makeGeneric(
    Value init, AffineMap outMap, ArrayRef<Read> reads,
    function_ref<Value(OpBuilder &, Location, ValueRange, Value)> body) const {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Read &read : reads) {
    llvm::append_range(inputs, read.array.tensors);
    maps.push_back(read.map);
    if (auto scaled =
            dyn_cast<BlockScaledType>(read.array.type.getElementType()))
      for (ScalesAttr scales : scaled.getScales())
        maps.push_back(getScaleMap(scales, read.map));
  }
  maps.push_back(outMap);

  SmallVector<utils::IteratorType> iterators(outMap.getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : outMap.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &b, Location, ValueRange scalars) {
        SmallVector<Value> numbers;
        for (const Read &read : reads) {
          size_t parts = read.array.tensors.size();
          numbers.push_back(
              readScalar(b, read.array, scalars.take_front(parts)));
          scalars = scalars.drop_front(parts);
        }
        linalg::YieldOp::create(b, loc, body(b, loc, numbers, scalars.front()));
      });
  return generic.getResult(0);
}

Value LinalgLowering::compute(ArrayRef<OpFoldResult> sizes,
                              ArrayRef<Read> reads, Type element,
                              Body body) const {
  AffineMap identity =
      builder.getMultiDimIdentityMap(static_cast<unsigned>(sizes.size()));
  return makeGeneric(
      empty(sizes, element), identity, reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers, Value) {
        return narrow(b, body(b, loc, numbers), element);
      });
}

Value LinalgLowering::generate(ArrayRef<OpFoldResult> sizes, Type element,
                               Body body) const {
  auto rank = static_cast<unsigned>(sizes.size());
  Value init = empty(sizes, element);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange(), init,
      builder.getMultiDimIdentityMap(rank),
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> at;
        for (unsigned dim = 0; dim < rank; ++dim)
          at.push_back(linalg::IndexOp::create(b, loc, dim));
        linalg::YieldOp::create(b, loc, body(b, loc, at));
      });
  return generic.getResult(0);
}

Value LinalgLowering::reduce(Value init, AffineMap outMap, ArrayRef<Read> reads,
                             Body body) const {
  return makeGeneric(
      init, outMap, reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers, Value sum) {
        SmallVector<Value> all(numbers);
        all.push_back(sum);
        return body(b, loc, all);
      });
}

Array LinalgLowering::convert(const Array &array, Type element) const {
  if (array.type.getElementType() == element)
    return array;
  AffineMap identity = builder.getMultiDimIdentityMap(array.getRank());
  return asArray(compute(getSizes(array.getValues()), {{array, identity}},
                         element,
                         [](OpBuilder &, Location, ValueRange numbers) {
                           return numbers.front();
                         }));
}

Value LinalgLowering::round(Value tensor, Type element) const {
  return convert(asArray(tensor), element).getValues();
}
