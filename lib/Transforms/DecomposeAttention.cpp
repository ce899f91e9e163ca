//===- DecomposeAttention.cpp - Attention as qk, softmax and pv -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMDECOMPOSEATTENTIONPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

static void decompose(GqaAttnOp op) {
  IRRewriter rewriter(op);
  Location loc = op.getLoc();
  auto named = [&](StringRef stage) -> StringAttr {
    if (!op.getName())
      return {};
    return rewriter.getStringAttr(*op.getName() + "." + stage);
  };
  Value scores =
      QkOp::create(rewriter, loc, named("qk"), op.getQuery(), op.getKeys(),
                   op.getMaskAttr(), op.getScaleAttr());
  Value probabilities =
      SoftmaxOp::create(rewriter, loc, named("softmax"), scores, op.getSinks(),
                        op.getMaskAttr(), op.getSoftCapAttr());
  Value out = PvOp::create(rewriter, loc, named("pv"), probabilities,
                           op.getValues(), op.getMaskAttr());
  remark::passed(
      loc,
      remark::RemarkOpts::name("decompose").category("llm-decompose-attention"))
      << remark::reason("'{0}' is now qk, softmax and pv",
                        op.getName().value_or(""));
  rewriter.replaceOp(op, out);
}

namespace {
struct LlmDecomposeAttentionPass
    : llm::impl::LlmDecomposeAttentionPassBase<LlmDecomposeAttentionPass> {
  void runOnOperation() override {
    SmallVector<GqaAttnOp> ops;
    getOperation().walk([&](GqaAttnOp op) { ops.push_back(op); });
    for (GqaAttnOp op : ops)
      decompose(op);
  }
};
} // namespace
