//===- GraphOpaque.cpp - Nodes of which only the bytes are known ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node that is not recognised reads each of its sources once and writes its
// result once. Sources that have as many elements as the result go through one
// linalg.generic with it, which adds them up; each other one is swept by a
// linalg.generic of its own that leaves one element.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

/// Returns the bytes of a tensor of a type that is only stored.
static Value readBytes(GraphTensors &tensors, uint32_t source) {
  const CapturedTensor &tensor = tensors.graph.tensors[source];
  const CapturedType &type = tensors.graph.typeOf(tensor);
  int64_t bytes = countElements(tensor) / type.blockElements * type.blockBytes;
  return WeightOp::create(
      tensors.builder, tensors.loc,
      RankedTensorType::get({bytes}, tensors.builder.getI8Type()),
      tensors.nameOf(source), ValueRange());
}

/// Reads a whole tensor and returns its last element. The body only passes
/// elements on, which is no work.
Value GraphBuilder::readWhole(uint32_t source) {
  Value whole = typeOf(source).isIntOrFloat() ? tensors.flat(source)
                                              : readBytes(tensors, source);
  Type type = getElementTypeOrSelf(whole);
  Value empty =
      tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), type);
  AffineMap every = builder.getMultiDimIdentityMap(1),
            one = AffineMap::get(1, 0, builder.getContext());
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange{whole},
             ValueRange{empty}, ArrayRef<AffineMap>{every, one},
             ArrayRef{utils::IteratorType::reduction},
             [](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, args[0]);
             })
      .getResult(0);
}

static Value addUp(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(b, loc, lhs, rhs);
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value GraphBuilder::writeFrom(Type type, int64_t count, ArrayRef<Value> alike,
                              ArrayRef<Value> others) {
  AffineMap every = builder.getMultiDimIdentityMap(1),
            one = AffineMap::get(1, 0, builder.getContext());
  SmallVector<Value> inputs(alike);
  ::llvm::append_range(inputs, others);
  SmallVector<AffineMap> maps(alike.size(), every);
  maps.append(others.size(), one);
  maps.push_back(every);
  Value empty =
      tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{count}, type);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), inputs, ValueRange{empty}, maps,
             ArrayRef{utils::IteratorType::parallel},
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value sum;
               for (Value arg : args.drop_back()) {
                 Value term = convert(b, loc, arg, type);
                 sum = sum ? addUp(b, loc, sum, term) : term;
               }
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

void GraphBuilder::buildOpaque(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  ++opaque[op.op];
  if (!typeOf(node).isIntOrFloat()) // it is written into a stored tensor
    return;
  SmallVector<Value> alike, others;
  for (uint32_t source : op.sources) {
    if (source == none)
      continue;
    bool isAlike = countElements(graph.tensors[source]) == countElements(op) &&
                   typeOf(source).isIntOrFloat();
    (isAlike ? alike : others)
        .push_back(isAlike ? tensors.flat(source) : readWhole(source));
  }
  // A node without sources, such as a range, still writes its result.
  if (alike.empty() && others.empty())
    others.push_back(arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, typeOf(node)),
                               builder.getZeroAttr(typeOf(node)))));
  tensors.set(node, writeFrom(typeOf(node), countElements(op), alike, others));
}
