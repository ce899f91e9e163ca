//===- ModuleTarget.h - The target of a module, as passes need it -*- C++ -*-===//
//
// Part of the llm-opt project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_MODULETARGET_H
#define LLM_LIB_TRANSFORMS_MODULETARGET_H

#include "llm/Target/Target.h"

namespace mlir::llm {

/// The module's target; the default preset is written on a module without one, and a
/// remark says so.
FailureOr<Target> getOrWriteTarget(ModuleOp module);

/// The module's target; a module without one is an error.
FailureOr<Target> requireTarget(ModuleOp module);

/// Sets the number of compute engines from a pass option, if one is given.
LogicalResult applyEnginesOption(ModuleOp module, StringRef engines, Target &target);

/// Removes slots and schedules, which a change of tiles or costs has made wrong.
void dropSchedules(ModuleOp module);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_MODULETARGET_H
