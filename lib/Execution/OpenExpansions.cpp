//===- OpenExpansions.cpp - Buffers with several open sizes ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenExpansions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
struct OpenExpansions : PassWrapper<OpenExpansions, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OpenExpansions)

  StringRef getArgument() const override { return "llm-open-expansions"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> all;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasOpenGroup(op))
        all.push_back(op);
    });
    for (memref::ExpandShapeOp op : all)
      replace(op);
  }

private:
  static bool hasOpenGroup(memref::ExpandShapeOp op) {
    MemRefType type = op.getType();
    return llvm::any_of(op.getReassociationIndices(),
                        [&](const ReassociationIndices &group) {
                          return llvm::count_if(group, [&](int64_t dim) {
                                   return type.isDynamicDim(dim);
                                 }) > 1;
                        });
  }

  /// The last dimension of a group keeps the stride, and each other one has
  /// that of all dimensions behind it.
  static void replace(memref::ExpandShapeOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto source =
        memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> from = source.getConstifiedMixedStrides();
    SmallVector<OpFoldResult> strides(sizes.size());
    for (auto [stride, group] :
         llvm::zip_equal(from, op.getReassociationIndices())) {
      OpFoldResult next = stride;
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = next;
        next = multiply(builder, loc, next, sizes[dim]);
      }
    }
    auto view = memref::ReinterpretCastOp::create(
        builder, loc, op.getType(), source.getBaseBuffer(),
        source.getConstifiedMixedOffset(), sizes, strides);
    op.replaceAllUsesWith(view.getResult());
    op.erase();
  }

  static OpFoldResult multiply(OpBuilder &builder, Location loc, OpFoldResult a,
                               OpFoldResult b) {
    std::optional<int64_t> x = getConstantIntValue(a),
                           y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(*x * *y);
    return OpFoldResult(
        arith::MulIOp::create(builder, loc,
                              getValueOrCreateConstantIndexOp(builder, loc, a),
                              getValueOrCreateConstantIndexOp(builder, loc, b))
            .getResult());
  }
};
} // namespace

std::unique_ptr<Pass> mlir::llm::createOpenExpansionsPass() {
  return std::make_unique<OpenExpansions>();
}
