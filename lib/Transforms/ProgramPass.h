//===- ProgramPass.h - Passes on programs -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass on programs runs on a module, that is on all of its functions, one
// after the other; or nested, on a single function, at the same time as on
// others. On a module it may write the default target. On a function it reads
// that of the module and changes nothing outside.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_PROGRAMPASS_H
#define LLM_LIB_TRANSFORMS_PROGRAMPASS_H

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Program/Program.h"
#include "llm/Target/Target.h"
#include "llm/Workload/ExternalModels.h"

namespace mlir::llm {

template <typename PassBase>
struct ProgramPass : WorkloadPass<PassWithOptions<PassBase>> {
  using WorkloadPass<PassWithOptions<PassBase>>::WorkloadPass;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ModuleOp::getOperationName() ||
           name.hasInterface<FunctionOpInterface>();
  }
};

/// An error of a pass about all that it runs on, which starts with the pass's
/// flag. (An error on the op would print all of it.)
InFlightDiagnostic emitPassError(const Pass &pass, Operation *root);

/// The target of the outermost module, which `root` is or is in. On one without
/// the default preset is written, and a remark says so; what is nested in such
/// a module gets an error.
FailureOr<Target> getOrWriteTarget(const Pass &pass, Operation *root);

/// The same; without a target it is an error.
FailureOr<Target> requireTarget(const Pass &pass, Operation *root);

/// Sets the number of engines from the pass's option `engines`, if it is given:
/// in the module's target, which a pass on a function must not change.
LogicalResult applyEnginesOption(const Pass &pass, Operation *root,
                                 StringRef engines, Target &target);

/// Removes slots and schedules, which a change of tiles or costs has made
/// wrong.
void dropSchedules(Operation *root);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_PROGRAMPASS_H
