//===- LinalgPayload.h - The work of one point of a linalg op ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_WORKLOAD_LINALGPAYLOAD_H
#define LLM_LIB_WORKLOAD_LINALGPAYLOAD_H

#include "llm/Workload/Workload.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::llm {

/// Operations by kind for each point of the iteration space.
struct PayloadWork {
  int64_t macs = 0, alu = 0, special = 0, compare = 0;
};

/// Counts the ops of the body. `out += a * b` with a reduction, where a and b
/// come from two operands, is one multiply-accumulate. Conversions, constants
/// and indices are free. Fails through `emitError` on an op that it does not
/// know.
FailureOr<PayloadWork> countPayload(linalg::LinalgOp op, EmitError emitError);

/// A tensor from outside of which the body reads one element at a time, and the
/// values from outside that select it.
struct GatheredTensor {
  Value tensor;
  SmallVector<Value, 1> selectedBy = {};
};
SmallVector<GatheredTensor> findGathered(linalg::LinalgOp op);

} // namespace mlir::llm

#endif // LLM_LIB_WORKLOAD_LINALGPAYLOAD_H
