//===- DecomposeAttention.cpp - Attention as qk, softmax and pv -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMDECOMPOSEATTENTIONPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// The values of latent attention: the first features of the latents.
static Value showValues(RewriterBase &rewriter, MlaAttnOp op) {
  auto type = cast<RankedTensorType>(op.getLatents().getType());
  SmallVector<OpFoldResult> offsets(4, rewriter.getIndexAttr(0)),
      strides(4, rewriter.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(rewriter, op.getLoc(), op.getLatents());
  sizes.back() = rewriter.getIndexAttr(op.getValueDim());
  if (type.getDimSize(3) == static_cast<int64_t>(op.getValueDim()))
    return op.getLatents();
  return tensor::ExtractSliceOp::create(rewriter, op.getLoc(), op.getLatents(),
                                        offsets, sizes, strides);
}

/// Replaces a fused attention op of either kind by its pieces.
template <typename Op>
static void decompose(IRRewriter &rewriter, Op op, Value keys, Value values,
                      Value sinks, FloatAttr softCap) {
  Location loc = op.getLoc();
  auto named = [&](StringRef stage) -> StringAttr {
    if (!op.getName())
      return {};
    return rewriter.getStringAttr(*op.getName() + "." + stage);
  };
  Value scores = QkOp::create(rewriter, loc, named("qk"), op.getQuery(), keys,
                              op.getMaskAttr(), op.getScaleAttr());
  Value probabilities =
      SoftmaxOp::create(rewriter, loc, named("softmax"), scores, sinks,
                        op.getMaskAttr(), softCap);
  Value out = PvOp::create(rewriter, loc, named("pv"), probabilities, values,
                           op.getMaskAttr());
  RemarkLock oneAtATime;
  remark::passed(
      loc,
      remark::RemarkOpts::name("decompose").category("llm-decompose-attention"))
      << remark::reason("'{0}' is now qk, softmax and pv",
                        op.getName().value_or(""));
  rewriter.replaceOp(op, out);
}

/// Fails for attention in a kernel. A kernel has one contraction, and the
/// pieces of attention have two.
static LogicalResult checkKernels(ArrayRef<Operation *> ops) {
  bool isInside = false;
  for (Operation *op : ops)
    if (op->getParentOfType<FusedOp>()) {
      isInside = true;
      op->emitOpError() << "is fused with other ops, and qk, softmax and pv "
                           "cannot be: run --llm-decompose-attention before "
                           "--llm-fuse";
    }
  return failure(isInside);
}

/// Whether the scores of attention are of all keys, and give one result. If each
/// query selects keys for itself, no op has the scores, and softmax gives no
/// log-sum-exps.
static bool canDecompose(Operation *op) {
  if (auto gqa = dyn_cast<GqaAttnOp>(op))
    return !gqa.getSelected() && !gqa.getReturnLse();
  auto mla = dyn_cast<MlaAttnOp>(op);
  return mla && !mla.getSelected() && !mla.getReturnLse();
}

namespace {
struct LlmDecomposeAttentionPass
    : PassWithOptions<
          llm::impl::LlmDecomposeAttentionPassBase<LlmDecomposeAttentionPass>> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (canDecompose(op))
        ops.push_back(op);
    });
    if (failed(checkKernels(ops)))
      return signalPassFailure();
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto gqa = dyn_cast<GqaAttnOp>(op))
        decompose(rewriter, gqa, gqa.getKeys(), gqa.getValues(), gqa.getSinks(),
                  gqa.getSoftCapAttr());
      else if (auto mla = dyn_cast<MlaAttnOp>(op))
        decompose(rewriter, mla, mla.getLatents(), showValues(rewriter, mla),
                  /*sinks=*/Value(), /*softCap=*/FloatAttr());
    }
  }
};
} // namespace
