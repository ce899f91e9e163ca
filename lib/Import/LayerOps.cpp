//===- LayerOps.cpp - What the parts of a layer are built with ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Ops of a model
//===----------------------------------------------------------------------===//

Value OpsBuilder::weight(const Twine &name, ValueRange indices,
                         ArrayRef<int64_t> shape, Type elementType) {
  return WeightOp::create(builder, loc,
                          RankedTensorType::get(shape, elementType),
                          builder.getStringAttr(name), indices);
}

Value OpsBuilder::modelWeight(const std::string &name,
                              ArrayRef<int64_t> shape) {
  auto known = model.weightTypes.find(name);
  return weight(name, {}, shape,
                known == model.weightTypes.end() ? model.elementType
                                                 : known->second);
}

Value OpsBuilder::matmul(const Twine &name, Value x, Value matrix, Value bias) {
  return create<MatmulOp>(name, x, matrix, bias, /*transposeRhs=*/true,
                          outTypeFor(x));
}

Value OpsBuilder::norm(const Twine &name, Value x, Value weight,
                       std::optional<double> epsilon) {
  if (model.hasLayerNorms)
    return create<LayerNormOp>(name, x, weight, /*bias=*/Value(),
                               llvm::APFloat(model.epsilon));
  return create<RmsNormOp>(name, x, weight,
                           llvm::APFloat(epsilon.value_or(model.epsilon)),
                           weight && model.normsAddOne);
}

Value OpsBuilder::scaled(const Twine &name, Value x, double factor) {
  return factor == 1 ? x : create<ScaleOp>(name, x, llvm::APFloat(factor));
}

TypeAttr OpsBuilder::outTypeFor(Value x) const {
  Type type = model.elementType;
  return tensorType(x).getElementType() == type ? TypeAttr()
                                                : TypeAttr::get(type);
}

Value OpsBuilder::slice(Value x, int64_t dim, int64_t begin, int64_t size,
                        int64_t stride) {
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  if (begin == 0 && size == shape[dim])
    return x;
  SmallVector<OpFoldResult> offsets(shape.size(), number(0)),
      strides(shape.size(), number(1)),
      sizes = tensor::getMixedSizes(builder, loc, x);
  offsets[dim] = number(begin);
  sizes[dim] = number(size);
  strides[dim] = number(stride);
  return tensor::ExtractSliceOp::create(builder, loc, x, offsets, sizes,
                                        strides);
}

Value OpsBuilder::expand(Value x, ArrayRef<OpFoldResult> shape,
                         ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> sizes = decomposeMixedValues(shape).first;
  auto type = RankedTensorType::get(sizes, tensorType(x).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, x, groups, shape);
}

OpFoldResult OpsBuilder::countRows(Value x) {
  return tensor::getMixedSize(builder, loc, x, 0);
}

OpFoldResult OpsBuilder::size(int64_t value, StringRef name) {
  if (value != openSize)
    return number(value);
  return openSizes.at(name);
}

template <typename Op>
static OpFoldResult combine(OpsBuilder &ops, OpFoldResult a, OpFoldResult b,
                            function_ref<int64_t(int64_t, int64_t)> fold) {
  std::optional<int64_t> left = getConstantIntValue(a),
                         right = getConstantIntValue(b);
  if (left && right)
    return ops.number(fold(*left, *right));
  Value leftValue = getValueOrCreateConstantIndexOp(ops.builder, ops.loc, a),
        rightValue = getValueOrCreateConstantIndexOp(ops.builder, ops.loc, b);
  return Op::create(ops.builder, ops.loc, leftValue, rightValue).getResult();
}

OpFoldResult OpsBuilder::subtract(OpFoldResult a, OpFoldResult b) {
  return combine<arith::SubIOp>(*this, a, b,
                                [](int64_t x, int64_t y) { return x - y; });
}

OpFoldResult OpsBuilder::larger(OpFoldResult a, OpFoldResult b) {
  return combine<arith::MaxSIOp>(
      *this, a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
}

OpFoldResult OpsBuilder::roundDown(OpFoldResult a, int64_t factor) {
  OpFoldResult rest = combine<arith::RemUIOp>(
      *this, a, number(factor), [](int64_t x, int64_t y) { return x % y; });
  return subtract(a, rest);
}

Value OpsBuilder::collapse(Value x, ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(builder, loc, x, groups);
}

Value OpsBuilder::concat(int64_t dim, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  return tensor::ConcatOp::create(builder, loc, dim, ValueRange(values));
}

//===----------------------------------------------------------------------===//
// Parts of a layer and their formats
//===----------------------------------------------------------------------===//

std::string LayerOps::spell(const Twine &part) const {
  std::string text = part.str();
  for (const auto &[ours, theirs] : config.names) {
    StringRef rest = text;
    if (rest.consume_front(ours) && (rest.empty() || rest.starts_with(".")))
      return theirs + rest.str();
  }
  return text;
}

Type LayerOps::weightType(const std::string &name, Type otherwise) const {
  auto known = config.weightTypes.find(spell(name));
  return known == config.weightTypes.end() ? otherwise : known->second;
}

Type LayerOps::linearType(const std::string &name) const {
  Type quantizedType = ops.model.formats.weights;
  return weightType(name,
                    quantizedType ? quantizedType : ops.model.elementType);
}

bool LayerOps::isQuantized(const std::string &weightName) const {
  const NumberFormats &formats = ops.model.formats;
  if (!formats.weights)
    return false;
  Type type = linearType(weightName);
  return type == formats.weights || type == formats.expertWeights;
}

Value LayerOps::weight(const Twine &name, ArrayRef<int64_t> shape) {
  return ops.weight(weightName(name), indices(), shape,
                    weightType(name.str(), ops.model.elementType));
}

Value LayerOps::linearWeight(const Twine &name, ArrayRef<int64_t> shape) {
  return ops.weight(weightName(name), indices(), shape, linearType(name.str()));
}

/// Returns the scale of activations that a checkpoint has; null if scales are
/// found at run time.
Value LayerOps::knownScale(StringRef part, Type type) {
  auto scaled = dyn_cast<BlockScaledType>(type);
  if (!ops.model.formats.isStatic || !scaled)
    return {};
  const int64_t all[] = {ScalesAttr::wholeDimension,
                         ScalesAttr::wholeDimension};
  ScalesAttr last = scaled.getScales().back();
  if (last.getBlock() != ArrayRef(all))
    return {};
  return ops.weight(weightName(part + ".input_scale"), indices(), {},
                    last.getType());
}

Value LayerOps::quantize(const std::string &weightName, Value x) {
  const ModelConfig &model = ops.model;
  Type type = model.formats.activations;
  if (!type || !isQuantized(weightName) ||
      tensorType(x).getElementType() != model.elementType)
    return x;
  Value &known = quantized[x];
  StringRef part = weightName;
  part.consume_back(".weight");
  if (!known)
    known = create<QuantizeOp>(part + ".quantize", x, knownScale(part, type),
                               model.formats.isStatic, type);
  return known;
}

Value LayerOps::norm(const Twine &part, Value x,
                     std::optional<double> epsilon) {
  return ops.norm(nameOf(part), x,
                  weight(part + ".weight", tensorType(x).getShape().back()),
                  epsilon);
}

Value LayerOps::plainLinear(const Twine &part, Value x, int64_t out,
                            bool hasBias) {
  Value matrix = weight(part + ".weight", {out, tensorType(x).getDimSize(1)});
  Value bias = hasBias ? weight(part + ".bias", {out}) : Value();
  return ops.matmul(nameOf(part), x, matrix, bias);
}

Value LayerOps::linear(const Twine &part, Value x, int64_t out, bool hasBias) {
  Value matrix =
      linearWeight(part + ".weight", {out, tensorType(x).getDimSize(1)});
  Value bias = hasBias ? weight(part + ".bias", {out}) : Value();
  return ops.matmul(nameOf(part), quantize((part + ".weight").str(), x), matrix,
                    bias);
}

Value LayerOps::gated(const Twine &sigmoid, const Twine &product, Value x,
                      Value gates) {
  Value open = create<ActivationOp>(sigmoid, ActivationKind::Sigmoid, gates,
                                    /*bias=*/Value());
  return create<MulOp>(product, x, open);
}

} // namespace mlir::llm
