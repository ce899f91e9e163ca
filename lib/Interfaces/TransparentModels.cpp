//===- TransparentModels.cpp - Upstream ops that take no time -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Interfaces/TransparentModels.h"
#include "llm/Interfaces/Workload.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
template <typename Op>
struct TransparentModel
    : TransparentOpInterface::ExternalModel<TransparentModel<Op>, Op> {};
} // namespace

template <typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<TransparentModel<Ops>>(*context), ...);
}

void mlir::llm::registerTransparentModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::ConstantOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
           tensor::DimOp, tensor::EmptyOp, tensor::ExpandShapeOp,
           tensor::ExtractSliceOp>(context);
  });
}
