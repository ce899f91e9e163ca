//===- GraphBuilder.cpp - Nodes of ggml as ops ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

void GraphBuilder::build(uint32_t node) {
  const CapturedTensor &tensor = graph.tensors[node];
  if (patterns.absorbed.contains(node) || tensor.isView() ||
      tensor.op == "NONE")
    return;
  if (buildAttention(node) || buildWrite(node))
    return;
  if (auto norm = patterns.normOfMul.find(node);
      norm != patterns.normOfMul.end() &&
      buildNorm(node, norm->second, sourceOf(tensor, 1)))
    return;
  if (auto product = patterns.productOfBias.find(node);
      product != patterns.productOfBias.end() &&
      buildProduct(node, product->second, tensors.flat(sourceOf(tensor, 1))))
    return;
  // If this node does not take in its absorbed sources, they are built by
  // themselves.
  for (uint32_t source : tensor.sources)
    if (source != none && patterns.absorbed.erase(source))
      build(source);
  bool isBuilt = buildNorm(node, node, none) ||
                 buildProduct(node, node, Value()) || buildBatchProduct(node) ||
                 buildExperts(node) || buildRows(node) || buildRope(node) ||
                 buildGate(node) || buildPair(node) || buildActivation(node) ||
                 buildScale(node) || buildSoftmax(node) || buildCopy(node);
  if (!isBuilt)
    buildOpaque(node);
}

//===----------------------------------------------------------------------===//
// Products and rows
//===----------------------------------------------------------------------===//

/// Builds x times a matrix [n, k] that all rows share.
bool GraphBuilder::buildProduct(uint32_t node, uint32_t product, Value bias) {
  const CapturedTensor &op = graph.tensors[product];
  if (op.op != "MUL_MAT")
    return false;
  uint32_t matrix = sourceOf(op, 0), x = sourceOf(op, 1);
  const CapturedTensor &weights = graph.tensors[matrix];
  std::array<int64_t, 4> sizes = graph.tensors[x].sizes;
  bool fits = sizes[0] == weights.sizes[0];
  sizes[0] = weights.sizes[1];
  if (weights.sizes[2] != 1 || weights.sizes[3] != 1 || !isFloat(x) ||
      !isFloat(node) || !fits || graph.tensors[node].sizes != sizes)
    return false;
  Value lhs = tensors.rows(x), rhs = tensors.rows(matrix);
  Value out =
      MatmulOp::create(builder, loc, tensors.nameOf({product, node}), lhs, rhs,
                       bias, /*transposeRhs=*/true, outType(lhs, node));
  tensors.set(node, out);
  return true;
}

/// Builds a product for each matrix [b3, b2]. Sources are [b3, b2, n, k] and
/// [b3, b2 g, m, k], where g matrices of the second share one of the first.
bool GraphBuilder::buildBatchProduct(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "MUL_MAT")
    return false;
  uint32_t lhs = sourceOf(op, 0), rhs = sourceOf(op, 1);
  const auto &a = graph.tensors[lhs].sizes, &b = graph.tensors[rhs].sizes;
  if (!isFloat(lhs) || !isFloat(rhs) || !isFloat(node) || a[3] != b[3] ||
      a[0] != b[0] || b[2] % a[2] != 0 ||
      op.sizes != std::array<int64_t, 4>{a[1], b[1], b[2], b[3]})
    return false;
  int64_t shared = b[2] / a[2];
  Value x = tensors.as(lhs, {a[3], a[2], a[1], a[0]}),
        y = tensors.as(rhs, {b[3], a[2], shared, b[1], b[0]});
  enum { B3, B2, G, M, N, K, Loops };
  AffineExpr d[Loops];
  bindDimsList(builder.getContext(), MutableArrayRef<AffineExpr>(d));
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(Loops, 0, results, builder.getContext());
  };
  SmallVector<utils::IteratorType> loops(Loops, utils::IteratorType::parallel);
  loops[K] = utils::IteratorType::reduction;
  Type type = typeOf(node);
  auto zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{b[3], a[2], shared, b[1], a[1]}, type);
  Value start =
      linalg::FillOp::create(builder, loc, ValueRange(zero), ValueRange(empty))
          .getResult(0);
  auto out = linalg::GenericOp::create(
      builder, loc, start.getType(), ValueRange{x, y}, ValueRange{start},
      ArrayRef<AffineMap>{map({d[B3], d[B2], d[N], d[K]}),
                          map({d[B3], d[B2], d[G], d[M], d[K]}),
                          map({d[B3], d[B2], d[G], d[M], d[N]})},
      loops, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value product =
            arith::MulFOp::create(b, loc, convert(b, loc, args[0], type),
                                  convert(b, loc, args[1], type));
        linalg::YieldOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, args[2], product).getResult());
      });
  tensors.set(node, out.getResult(0));
  return true;
}

/// Builds a lookup of rows of a table, or of activations, by their numbers.
bool GraphBuilder::buildRows(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "GET_ROWS")
    return false;
  uint32_t table = sourceOf(op, 0), numbers = sourceOf(op, 1);
  const CapturedTensor &rows = graph.tensors[table];
  if (rows.sizes[2] != 1 || rows.sizes[3] != 1 || !isFloat(node) ||
      rows.sizes[0] != op.sizes[0] ||
      countElements(op) / op.sizes[0] !=
          countElements(graph.tensors[numbers]) ||
      !isa_and_present<IntegerType>(typeOf(numbers)))
    return false;
  Value from = tensors.rows(table);
  tensors.set(node, EmbeddingOp::create(builder, loc, tensors.nameOf(node),
                                        tensors.flat(numbers), from,
                                        outType(from, node)));
  return true;
}
