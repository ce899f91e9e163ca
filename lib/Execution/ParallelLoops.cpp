//===- ParallelLoops.cpp - Work that threads share ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::llm;

/// A loop of fewer iterations gets no threads. Threads meet in a few
/// microseconds, in which one thread computes some thousands of elements.
static constexpr int64_t leastIterations = 16384;

bool llm::isWorthThreads(linalg::LinalgOp op) {
  int64_t iterations = 1;
  for (int64_t size : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(size) || size >= leastIterations)
      return true;
    iterations *= size;
    if (iterations >= leastIterations)
      return true;
  }
  return false;
}

/// Splits a loop into plain loops. If `hasThreads`, the outermost one with more
/// than one iteration is parallel. With one parallel loop for all dimensions,
/// threads would find the indices of each point by divisions, and there would
/// be no vectors.
static void splitLoop(scf::ParallelOp loop, bool hasThreads,
                      RewriterBase &rewriter) {
  unsigned shared = 0;
  while (shared + 1 < loop.getNumLoops() &&
         getConstantIntValue(loop.getUpperBound()[shared]) == 1)
    ++shared;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> indices;
  for (unsigned i = 0; i < loop.getNumLoops(); ++i) {
    Value begin = loop.getLowerBound()[i], end = loop.getUpperBound()[i],
          step = loop.getStep()[i];
    Block *body = nullptr;
    if (hasThreads && i == shared)
      body = scf::ParallelOp::create(rewriter, loc, begin, end, step).getBody();
    else
      body = scf::ForOp::create(rewriter, loc, begin, end, step).getBody();
    indices.push_back(body->getArgument(0));
    rewriter.setInsertionPointToStart(body);
  }
  rewriter.eraseOp(loop.getBody()->getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), rewriter.getInsertionBlock(),
                             rewriter.getInsertionPoint(), indices);
  rewriter.eraseOp(loop);
}

namespace {
struct ParallelLoops
    : PassWrapper<ParallelLoops, InterfacePass<FunctionOpInterface>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ParallelLoops)

  StringRef getArgument() const override { return "llm-parallel-loops"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, memref::MemRefDialect,
                    scf::SCFDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && isWorthThreads(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::LinalgLoops> loops =
          linalg::linalgOpToParallelLoops(rewriter, op);
      if (failed(loops))
        continue; // plain loops come later
      rewriter.eraseOp(op);
      for (auto [depth, loop] : llvm::enumerate(*loops))
        if (auto parallel = dyn_cast<scf::ParallelOp>(loop))
          splitLoop(parallel, /*hasThreads=*/depth == 0, rewriter);
    }
  }
};
} // namespace

std::unique_ptr<Pass> mlir::llm::createParallelLoopsPass() {
  return std::make_unique<ParallelLoops>();
}
