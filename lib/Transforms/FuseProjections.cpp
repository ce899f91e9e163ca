//===- FuseProjections.cpp - One product of the matmuls on one activation -===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/Units.h"
#include "llm/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMFUSEPROJECTIONSPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// What matmuls that become one have in common: left operand, orientation,
/// element type of the right operand, of the bias (null: no bias) and of the
/// result, block.
using Group = std::tuple<Value, unsigned, Type, Type, Type, Block *>;

static Type elementTypeOf(Value tensor) {
  return tensor ? cast<RankedTensorType>(tensor.getType()).getElementType()
                : Type();
}

static Group groupOf(MatmulOp op) {
  return {op.getLhs(),
          op.getTransposeRhs() ? 1 : 0,
          elementTypeOf(op.getRhs()),
          elementTypeOf(op.getBias()),
          elementTypeOf(op.getOut()),
          op->getBlock()};
}

/// "mlp.gate_proj" and "mlp.up_proj" as "mlp.gate_proj+up_proj".
static StringAttr joinNames(MutableArrayRef<MatmulOp> ops) {
  StringRef first = ops.front().getName().value_or("");
  std::string joined = first.str();
  StringRef prefix = first.substr(0, first.rfind('.') + 1);
  for (MatmulOp op : ops.drop_front()) {
    StringRef name = op.getName().value_or("");
    if (name.empty() || first.empty())
      return {};
    name.consume_front(prefix);
    joined += ("+" + name).str();
  }
  return first.empty() ? StringAttr()
                       : StringAttr::get(ops.front().getContext(), joined);
}

/// The values side by side along `dim`, before the first op.
static Value concatBefore(RewriterBase &rewriter, Operation *first, int64_t dim,
                          ArrayRef<Value> values) {
  rewriter.setInsertionPoint(first);
  return tensor::ConcatOp::create(rewriter, first->getLoc(), dim, values);
}

/// The columns [begin, begin + size) of a matrix, size being those of `like`.
static Value sliceColumns(RewriterBase &rewriter, Location loc, Value matrix,
                          int64_t begin, RankedTensorType like) {
  SmallVector<OpFoldResult> offsets = {rewriter.getIndexAttr(0),
                                       rewriter.getIndexAttr(begin)};
  SmallVector<OpFoldResult> sizes = {rewriter.getIndexAttr(like.getDimSize(0)),
                                     rewriter.getIndexAttr(like.getDimSize(1))};
  SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, like, matrix, offsets,
                                        sizes, strides);
}

/// Whether the results side by side are a matrix whose elements can be counted,
/// and the weights one that has as many scales.
static bool isJoinable(MutableArrayRef<MatmulOp> ops) {
  std::optional<int64_t> columns = 0;
  for (MatmulOp op : ops) {
    auto type = cast<RankedTensorType>(op.getOut().getType());
    columns = columns ? checkedAdd(*columns, type.getDimSize(1)) : std::nullopt;
  }
  if (!columns)
    return false;
  auto first = cast<RankedTensorType>(ops.front().getRhs().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[ops.front().getTransposeRhs() ? 0 : 1] = *columns;
  SmallVector<Value> weights;
  for (MatmulOp op : ops)
    weights.push_back(op.getRhs());
  Count joined = storageBytes(first.getElementType(), shape),
        apart = storageBytesOf(weights);
  return succeeded(joined) && succeeded(apart) && *joined == *apart;
}

static LogicalResult fuse(MutableArrayRef<MatmulOp> ops,
                          DominanceInfo &dominance) {
  MatmulOp first = ops.front();
  IRRewriter rewriter(first);
  SmallVector<Value> rhs, biases;
  SmallVector<Location> locs;
  for (MatmulOp op : ops) {
    rhs.push_back(op.getRhs());
    if (Value bias = op.getBias())
      biases.push_back(bias);
    locs.push_back(op.getLoc());
  }
  // All of them at once, so that a failure leaves nothing behind.
  SmallVector<Value> moved = llvm::to_vector(llvm::concat<Value>(rhs, biases));
  if (failed(
          moveValueDefinitions(rewriter, ValueRange(moved), first, dominance)))
    return failure();
  Value weights =
      concatBefore(rewriter, first, first.getTransposeRhs() ? 0 : 1, rhs);
  Value bias;
  if (!biases.empty())
    bias = concatBefore(rewriter, first, 0, biases);
  rewriter.setInsertionPoint(first);
  auto fused = MatmulOp::create(
      rewriter, rewriter.getFusedLoc(locs), joinNames(ops), first.getLhs(),
      weights, bias, first.getTransposeRhs(), first.getOutTypeAttr());
  int64_t column = 0;
  for (MatmulOp op : ops) {
    auto type = cast<RankedTensorType>(op.getOut().getType());
    Value out =
        sliceColumns(rewriter, op.getLoc(), fused.getOut(), column, type);
    column += type.getDimSize(1);
    rewriter.replaceOp(op, out);
  }
  remark::passed(fused.getLoc(), remark::RemarkOpts::name("fuse").category(
                                     "llm-fuse-projections"))
      << remark::reason("{0} matmuls on one activation are now '{1}'",
                        ops.size(), fused.getName().value_or("llm.matmul"));
  return success();
}

namespace {
struct LlmFuseProjectionsPass
    : llm::impl::LlmFuseProjectionsPassBase<LlmFuseProjectionsPass> {
  void runOnOperation() override {
    llvm::MapVector<Group, SmallVector<MatmulOp>> groups;
    getOperation().walk([&](MatmulOp op) {
      if (cast<RankedTensorType>(op.getRhs().getType()).hasStaticShape() &&
          cast<RankedTensorType>(op.getLhs().getType()).hasStaticShape())
        groups[groupOf(op)].push_back(op);
    });
    auto &dominance = getAnalysis<DominanceInfo>();
    for (auto &[group, ops] : groups)
      if (ops.size() > 1 && !isJoinable(ops))
        remark::missed(
            ops.front().getLoc(),
            remark::RemarkOpts::name("fuse").category("llm-fuse-projections"))
            << remark::reason("'{0}' and others would have other scales, or "
                              "more columns than can be counted",
                              ops.front().getName().value_or("llm.matmul"));
      else if (ops.size() > 1 && failed(fuse(ops, dominance)))
        remark::missed(
            ops.front().getLoc(),
            remark::RemarkOpts::name("fuse").category("llm-fuse-projections"))
            << remark::reason(
                   "a right operand or a bias is computed after '{0}'",
                   ops.front().getName().value_or("llm.matmul"));
  }
};
} // namespace
