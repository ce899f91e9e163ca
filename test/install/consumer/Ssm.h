//===- Ssm.h - State-space models -------------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SSM_H
#define SSM_H

#include "llm/Conversion/LinalgLowering.h"
#include "llm/Workload/Workload.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "SsmDialect.h.inc"
#define GET_OP_CLASSES
#include "SsmOps.h.inc"

namespace ssm {

/// The dialect, and workloads of ops of `math`.
void registerDialects(mlir::DialectRegistry &registry);
void registerPasses();

/// Gives `math.exp` on tensors a workload.
void registerMathModels(mlir::DialectRegistry &registry);

} // namespace ssm

#endif // SSM_H
