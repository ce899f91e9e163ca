//===- MathModels.cpp - A workload for an op that is not ours -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ssm.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// One exponential per element.
struct ExpModel : WorkloadOpInterface::ExternalModel<ExpModel, math::ExpOp> {
  FailureOr<Workload> getWorkload(Operation *operation,
                                  EmitError emitError) const {
    auto op = cast<math::ExpOp>(operation);
    return elementwiseWorkload(op, emitError, {{"x", op.getOperand()}},
                               op.getResult(), {{WorkKind::Special, 1}});
  }
};
} // namespace

void ssm::registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    math::ExpOp::attachInterface<ExpModel>(*context);
  });
}
