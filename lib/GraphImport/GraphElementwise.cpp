//===- GraphElementwise.cpp - Norms and elementwise nodes -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

Value GraphBuilder::convert(OpBuilder &b, Location loc, Value value,
                            Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool isFromFloat = isa<FloatType>(from), isIntoFloat = isa<FloatType>(type);
  bool isWider = type.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isFromFloat && isIntoFloat && !isWider &&
      type.getIntOrFloatBitWidth() == from.getIntOrFloatBitWidth()) {
    Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    return arith::TruncFOp::create(b, loc, type, wide); // bf16 and f16
  }
  if (isFromFloat && isIntoFloat)
    return isWider ? arith::ExtFOp::create(b, loc, type, value).getResult()
                   : arith::TruncFOp::create(b, loc, type, value).getResult();
  if (isFromFloat)
    return arith::FPToSIOp::create(b, loc, type, value);
  if (isIntoFloat)
    return arith::SIToFPOp::create(b, loc, type, value);
  return isWider ? arith::ExtSIOp::create(b, loc, type, value).getResult()
                 : arith::TruncIOp::create(b, loc, type, value).getResult();
}

bool GraphBuilder::buildNorm(uint32_t node, uint32_t norm, uint32_t weight) {
  const CapturedTensor &op = graph.tensors[norm];
  double epsilon = floatParameter(op, 0);
  if (op.op != "RMS_NORM" || !isFloat(node) || !isSame(sourceOf(op, 0), node) ||
      !std::isfinite(epsilon) || epsilon < 0)
    return false;
  Value factors = weight == none ? Value() : tensors.flat(weight);
  Value x = tensors.rows(sourceOf(op, 0));
  tensors.set(node,
              RmsNormOp::create(builder, loc, tensors.nameOf({norm, node}), x,
                                factors, ::llvm::APFloat(epsilon),
                                /*addUnitOffset=*/false));
  return true;
}

/// Makes the body's op of a node with two sources, or returns null.
static Value combine(StringRef op, OpBuilder &b, Location loc, Value lhs,
                     Value rhs) {
  if (op == "ADD")
    return arith::AddFOp::create(b, loc, lhs, rhs);
  if (op == "SUB")
    return arith::SubFOp::create(b, loc, lhs, rhs);
  if (op == "MUL")
    return arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::DivFOp::create(b, loc, lhs, rhs);
}

/// Combines lhs with rhs, each dimension of which has lhs's size or 1.
Value GraphBuilder::broadcast(uint32_t node, Value lhs, uint32_t number) {
  const CapturedTensor &op = graph.tensors[node], &rhs = graph.tensors[number];
  SmallVector<int64_t> shape = tensors.sizesIn(op), kept;
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (int64_t size = rhs.sizes[shape.size() - 1 - dim]; size != 1) {
      kept.push_back(size);
      dims.push_back(builder.getAffineDimExpr(dim));
    }
  AffineMap identity = builder.getMultiDimIdentityMap(shape.size());
  AffineMap some = AffineMap::get(shape.size(), 0, dims, builder.getContext());
  Type type = typeOf(node);
  Value x = tensors.reshape(lhs, shape), y = tensors.as(number, kept);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange{x, y}, ValueRange{empty},
             ArrayRef<AffineMap>{identity, some, identity},
             SmallVector<utils::IteratorType>(shape.size(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc,
                                       combine(op.op, b, loc,
                                               convert(b, loc, args[0], type),
                                               convert(b, loc, args[1], type)));
             })
      .getResult(0);
}

bool GraphBuilder::buildPair(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "ADD" && op.op != "MUL" && op.op != "SUB" && op.op != "DIV")
    return false;
  uint32_t lhs = sourceOf(op, 0), rhs = sourceOf(op, 1);
  if (!isFloat(lhs) || !isFloat(rhs) || !isFloat(node) ||
      graph.tensors[lhs].sizes != op.sizes)
    return false;
  bool isAlike = graph.tensors[rhs].sizes == op.sizes &&
                 typeOf(lhs) == typeOf(rhs) && typeOf(lhs) == typeOf(node);
  if (isAlike && (op.op == "ADD" || op.op == "MUL")) {
    Value x = tensors.rows(lhs), y = tensors.rows(rhs);
    StringAttr name = tensors.nameOf(node);
    tensors.set(node, op.op == "ADD"
                          ? AddOp::create(builder, loc, name, x, y).getOut()
                          : MulOp::create(builder, loc, name, x, y).getOut());
    return true;
  }
  for (auto [size, all] : ::llvm::zip_equal(graph.tensors[rhs].sizes, op.sizes))
    if (size != 1 && size != all)
      return false; // it would repeat several times
  tensors.set(node, broadcast(node, tensors.inOrder(lhs), rhs));
  return true;
}

/// Builds a gated unit, from two sources, from the halves of one, or from two
/// nodes.
bool GraphBuilder::buildGate(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  StringRef kind = op.op;
  uint32_t gate = sourceOf(op, 0), up = sourceOf(op, 1), first = node;
  if (auto pair = patterns.activationOfGate.find(node);
      pair != patterns.activationOfGate.end()) {
    first = pair->second;
    kind = graph.tensors[first].op == "SILU" ? "SWIGLU" : "GEGLU";
    gate = sourceOf(graph.tensors[first], 0);
  }
  if ((kind != "SWIGLU" && kind != "GEGLU") || !isFloat(node) ||
      typeOf(gate) != typeOf(node))
    return false;
  Value lhs = tensors.rows(gate), rhs;
  if (up != none) {
    if (!isSame(up, node) || !isSame(gate, node))
      return false;
    rhs = tensors.rows(up);
  } else {
    int64_t width = op.sizes[0],
            height = countElements(op) / std::max<int64_t>(width, 1);
    if (graph.tensors[gate].sizes[0] != 2 * width ||
        countElements(graph.tensors[gate]) != 2 * countElements(op))
      return false;
    rhs = tensors.slice(lhs, 0, width, height, width);
    lhs = tensors.slice(lhs, 0, 0, height, width);
    if (intParameter(op, 1)) // the gate is the second half
      std::swap(lhs, rhs);
  }
  if (lhs.getType() != rhs.getType())
    return false;
  StringAttr name = tensors.nameOf({first, node});
  tensors.set(
      node,
      kind == "SWIGLU"
          ? SwiGluOp::create(builder, loc, name, lhs, rhs).getOut()
          : GeGluOp::create(builder, loc, name, lhs, rhs).getOut());
  return true;
}

bool GraphBuilder::buildActivation(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  auto kind = ::llvm::StringSwitch<std::optional<ActivationKind>>(op.op)
                  .Case("SILU", ActivationKind::Silu)
                  .Case("GELU", ActivationKind::GeluTanh)
                  .Case("GELU_ERF", ActivationKind::Gelu)
                  .Case("RELU", ActivationKind::Relu)
                  .Default(std::nullopt);
  if (!kind || !isFloat(node) || !isSame(sourceOf(op, 0), node))
    return false;
  tensors.set(node, ActivationOp::create(builder, loc, tensors.nameOf(node),
                                         *kind, tensors.rows(sourceOf(op, 0)),
                                         /*bias=*/Value()));
  return true;
}

/// Builds a scale. Its parameters are the factor and an addend.
bool GraphBuilder::buildScale(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  double factor = floatParameter(op, 0);
  if (op.op != "SCALE" || floatParameter(op, 1) != 0 || !isFloat(node) ||
      !std::isfinite(factor) || !isSame(sourceOf(op, 0), node))
    return false;
  tensors.set(node, ScaleOp::create(builder, loc, tensors.nameOf(node),
                                    tensors.rows(sourceOf(op, 0)),
                                    ::llvm::APFloat(factor)));
  return true;
}

/// Builds a softmax outside of attention, which is neither scaled nor masked,
/// along the rows.
bool GraphBuilder::buildSoftmax(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "SOFT_MAX" || floatParameter(op, 0) != 1 ||
      floatParameter(op, 1) != 0 || sourceOf(op, 1) != none ||
      sourceOf(op, 2) != none || !isFloat(node) ||
      !isSame(sourceOf(op, 0), node))
    return false;
  Value x = tensors.as(sourceOf(op, 0), tensors.sizesIn(op));
  tensors.set(node, SoftmaxOp::create(
                        builder, loc, tensors.nameOf(node), x, Value(),
                        MaskAttr::get(builder.getContext(), MaskKind::Full),
                        FloatAttr()));
  return true;
}

/// Builds a copy in ggml's order. A tensor in that order already moves only if
/// its type changes.
bool GraphBuilder::buildCopy(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  bool isCopy =
      op.op == "CONT" || op.op == "DUP" || (op.op == "CPY" && op.view == none);
  uint32_t source = sourceOf(op, 0);
  if (!isCopy || typeOf(source) != typeOf(node) ||
      countElements(graph.tensors[source]) != countElements(op))
    return false;
  tensors.set(node, tensors.inOrder(source));
  return true;
}
