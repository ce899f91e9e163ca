//===- GraphExperts.cpp - Products with the weights of experts ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

/// Shares rows as evenly as possible, if it is not known what the tokens chose.
static SmallVector<int64_t> shareEvenly(int64_t rows, int64_t experts) {
  SmallVector<int64_t> shares(experts, rows / experts);
  for (int64_t i = 0; i < rows % experts; ++i)
    ++shares[i];
  return shares;
}

/// Returns how many rows each expert has, in the run that was chosen.
SmallVector<int64_t> GraphBuilder::rowsOfExperts(uint32_t chosen, int64_t rows,
                                                 int64_t experts) {
  for (const CapturedChoice &choice : choices) {
    if (choice.tensor != chosen)
      continue;
    SmallVector<int64_t> shares(experts);
    int64_t rest = rows;
    for (CapturedChoice::Rows of : choice.rows) {
      if (of.expert >= experts)
        break;
      shares[of.expert] = of.count;
      rest -= of.count;
    }
    if (rest == 0)
      return shares;
  }
  ++productsOfUnknownExperts;
  return shareEvenly(rows, experts);
}

/// The most experts, since the op has a number for each. A model has some
/// hundreds.
static constexpr int64_t mostExperts = 1 << 16;

/// Builds MUL_MAT_ID. It has weights [experts, n, k], rows [tokens, top_k, k],
/// or one for all experts of a token, [tokens, 1, k], and the experts [tokens,
/// top_k].
bool GraphBuilder::buildExperts(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if (op.op != "MUL_MAT_ID")
    return false;
  uint32_t matrices = sourceOf(op, 0), x = sourceOf(op, 1),
           chosen = sourceOf(op, 2);
  if (matrices == none || x == none || chosen == none)
    return false;
  const auto &weights = graph.tensors[matrices].sizes,
             &rows = graph.tensors[x].sizes, &ids = graph.tensors[chosen].sizes;
  int64_t topK = ids[0], tokens = ids[1], experts = weights[2];
  bool isShared = rows[1] == 1 && topK > 1;
  if (weights[0] != rows[0] ||
      countElements(graph.tensors[chosen]) != topK * tokens ||
      op.sizes != std::array<int64_t, 4>{weights[1], topK, tokens, 1} ||
      weights[3] != 1 || rows[2] != tokens || rows[3] != 1 ||
      (!isShared && rows[1] != topK) || topK > experts ||
      experts > mostExperts || !isFloat(x) || !isFloat(node) ||
      !isa_and_present<IntegerType>(typeOf(chosen)))
    return false;
  Value numbers = tensors.as(chosen, {tokens, topK}), lhs = tensors.rows(x);
  StringAttr name = tensors.nameOf(node);
  if (isShared)
    lhs = MoeDispatchOp::create(
        builder, loc, builder.getStringAttr(name.getValue() + " (dispatch)"),
        lhs, numbers, Value(), /*own=*/ArrayAttr(), /*ownRows=*/IntegerAttr());
  Value rhs = tensors.as(matrices, {experts, weights[1], weights[0]});
  tensors.set(node, GroupedMatmulOp::create(
                        builder, loc, name, lhs, rhs, Value(), numbers,
                        /*transposeRhs=*/true,
                        rowsOfExperts(chosen, tokens * topK, experts),
                        RoutingAttr(), topK, outType(lhs, node),
                        /*own=*/ArrayAttr()));
  return true;
}
