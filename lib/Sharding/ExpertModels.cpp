//===- ExpertModels.cpp - The llm dialect's ops on rows of experts --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
struct DispatchModel
    : ExpertsOpInterface::ExternalModel<DispatchModel, MoeDispatchOp> {
  std::optional<unsigned> getRowsOperand(Operation *) const {
    return std::nullopt;
  }
  bool makesRows(Operation *) const { return true; }
  SmallVector<unsigned, 2> getOperandsByExpert(Operation *) const { return {}; }
  ArrayRef<int64_t> getRowsOfExperts(Operation *) const { return {}; }
  Value getChoice(Operation *op) const {
    return cast<MoeDispatchOp>(op).getExperts();
  }
  ArrayAttr getOwnAxes(Operation *op) const {
    return cast<MoeDispatchOp>(op).getOwnAttr();
  }
  void takeOwn(Operation *op, ArrayAttr axes, int64_t rows,
               ArrayRef<int64_t>) const {
    auto dispatch = cast<MoeDispatchOp>(op);
    dispatch.setOwnAttr(axes);
    dispatch.setOwnRows(rows);
  }
};

struct ProductModel
    : ExpertsOpInterface::ExternalModel<ProductModel, GroupedMatmulOp> {
  std::optional<unsigned> getRowsOperand(Operation *) const { return 0; }
  bool makesRows(Operation *) const { return true; }
  SmallVector<unsigned, 2> getOperandsByExpert(Operation *op) const {
    if (cast<GroupedMatmulOp>(op).getBias())
      return {1, 2};
    return {1};
  }
  ArrayRef<int64_t> getRowsOfExperts(Operation *op) const {
    return cast<GroupedMatmulOp>(op).getRowsPerExpert();
  }
  Value getChoice(Operation *op) const {
    return cast<GroupedMatmulOp>(op).getExperts();
  }
  ArrayAttr getOwnAxes(Operation *op) const {
    return cast<GroupedMatmulOp>(op).getOwnAttr();
  }
  void takeOwn(Operation *op, ArrayAttr axes, int64_t,
               ArrayRef<int64_t> rowsOfExperts) const {
    auto product = cast<GroupedMatmulOp>(op);
    product.setOwnAttr(axes);
    product.setRowsPerExpert(rowsOfExperts);
  }
};

struct CombineModel
    : ExpertsOpInterface::ExternalModel<CombineModel, MoeCombineOp> {
  std::optional<unsigned> getRowsOperand(Operation *) const { return 0; }
  bool makesRows(Operation *) const { return false; }
  SmallVector<unsigned, 2> getOperandsByExpert(Operation *) const { return {}; }
  ArrayRef<int64_t> getRowsOfExperts(Operation *) const { return {}; }
  Value getChoice(Operation *op) const {
    return cast<MoeCombineOp>(op).getExperts();
  }
  ArrayAttr getOwnAxes(Operation *op) const {
    return cast<MoeCombineOp>(op).getOwnAttr();
  }
  void takeOwn(Operation *op, ArrayAttr axes, int64_t,
               ArrayRef<int64_t>) const {
    cast<MoeCombineOp>(op).setOwnAttr(axes);
  }
};
} // namespace

void mlir::llm::registerExperts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    MoeDispatchOp::attachInterface<DispatchModel>(*context);
    GroupedMatmulOp::attachInterface<ProductModel>(*context);
    MoeCombineOp::attachInterface<CombineModel>(*context);
  });
}
