//===- ModuleTarget.h - The target of a module, for passes ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_MODULETARGET_H
#define LLM_LIB_TRANSFORMS_MODULETARGET_H

#include "llm/Target/Target.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// An error of a pass about the whole module, which starts with the pass's
/// flag. (An error on the module op would print all of it.)
InFlightDiagnostic emitPassError(const Pass &pass, ModuleOp module);

/// The module's target; the default preset is written on a module without one,
/// and a remark says so.
FailureOr<Target> getOrWriteTarget(ModuleOp module);

/// The module's target; a module without one is an error.
FailureOr<Target> requireTarget(const Pass &pass, ModuleOp module);

/// Sets the number of compute engines from the pass's option `engines`, if it
/// is given.
LogicalResult applyEnginesOption(const Pass &pass, ModuleOp module,
                                 StringRef engines, Target &target);

/// Removes slots and schedules, which a change of tiles or costs has made
/// wrong.
void dropSchedules(ModuleOp module);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_MODULETARGET_H
