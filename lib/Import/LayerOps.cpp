//===- LayerOps.cpp - What the parts of a layer are built with ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Ops of a model
//===----------------------------------------------------------------------===//

Value OpsBuilder::weight(const Twine &name, ValueRange indices,
                         ArrayRef<int64_t> shape, Type elementType) {
  auto type = RankedTensorType::get(shape, elementType ? elementType
                                                       : model.elementType);
  return WeightOp::create(builder, loc, type, builder.getStringAttr(name),
                          indices);
}

Value OpsBuilder::linear(const Twine &name, const Twine &weightName,
                         ValueRange indices, Value x, int64_t out,
                         bool hasBias) {
  Value matrix = weight(weightName + ".weight", indices,
                        {out, tensorType(x).getDimSize(1)});
  Value bias = hasBias ? weight(weightName + ".bias", indices, {out}) : Value();
  return create<MatmulOp>(name, x, matrix, bias, /*transposeRhs=*/true,
                          TypeAttr());
}

Value OpsBuilder::norm(const Twine &name, const Twine &weightName,
                       ValueRange indices, Value x) {
  Value scale = weight(weightName + ".weight", indices,
                       {tensorType(x).getShape().back()});
  return create<RmsNormOp>(name, x, scale, llvm::APFloat(model.epsilon));
}

Value OpsBuilder::slice(Value x, int64_t dim, int64_t begin, int64_t size,
                        int64_t stride) {
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  if (begin == 0 && size == shape[dim])
    return x;
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0)),
      strides(shape.size(), builder.getIndexAttr(1)), sizes;
  for (int64_t each : shape)
    sizes.push_back(builder.getIndexAttr(each));
  offsets[dim] = builder.getIndexAttr(begin);
  sizes[dim] = builder.getIndexAttr(size);
  strides[dim] = builder.getIndexAttr(stride);
  return tensor::ExtractSliceOp::create(builder, loc, x, offsets, sizes,
                                        strides);
}

Value OpsBuilder::expand(Value x, ArrayRef<int64_t> shape,
                         ArrayRef<ReassociationIndices> groups) {
  auto type = RankedTensorType::get(shape, tensorType(x).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, x, groups);
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
// Linear layers and their formats
//===----------------------------------------------------------------------===//

bool LayerOps::isQuantized(StringRef part) const {
  return ops.model.formats.weights &&
         !llvm::is_contained(layer.plainParts, part);
}

Type LayerOps::weightType(StringRef part) const {
  return isQuantized(part) ? ops.model.formats.weights : ops.model.elementType;
}

Value LayerOps::quantize(StringRef part, Value x) {
  Type type = ops.model.formats.activations;
  if (!type || !isQuantized(part))
    return x;
  Value &known = quantized[x];
  if (!known)
    known = create<QuantizeOp>(part + ".quantize", x,
                               ops.model.formats.isStatic, type);
  return known;
}

TypeAttr LayerOps::outTypeFor(Value x) const {
  Type type = ops.model.elementType;
  return tensorType(x).getElementType() == type ? TypeAttr()
                                                : TypeAttr::get(type);
}

Value LayerOps::linear(const Twine &part, Value x, int64_t out, bool hasBias) {
  std::string name = part.str();
  Value matrix =
      ops.weight(weightName(part + ".weight"), indices(),
                 {out, tensorType(x).getDimSize(1)}, weightType(name));
  Value bias = hasBias ? weight(part + ".bias", {out}) : Value();
  Value lhs = quantize(name, x);
  return create<MatmulOp>(part, lhs, matrix, bias, /*transposeRhs=*/true,
                          outTypeFor(lhs));
}

} // namespace mlir::llm
