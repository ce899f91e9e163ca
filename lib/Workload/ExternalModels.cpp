//===- ExternalModels.cpp - Workloads of upstream ops ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/ExternalModels.h"
#include "ExternalModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::llm;

void mlir::llm::registerExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<TransparentModel<arith::ConstantOp>>(
        *context);
  });
  // Frontends assert shapes and indices. The host checks these once before a
  // machine runs the program.
  registry.addExtension(+[](MLIRContext *context, cf::ControlFlowDialect *) {
    cf::AssertOp::attachInterface<TransparentModel<cf::AssertOp>>(*context);
  });
  registerTensorModels(registry);
  registerLinalgModels(registry);
}
