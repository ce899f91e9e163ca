//===- ProgramPass.h - Passes on programs -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass on programs runs on a module, which means on all of its functions, one
// after the other. Or it is nested and runs on a single function, while other
// threads run it on others. On a module it may write the default target. On a
// function it reads the target of the module and changes nothing outside.
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

/// Emits an error of a pass about all that it runs on. It starts with the
/// pass's flag. (An error on the op would print all of it.)
InFlightDiagnostic emitPassError(const Pass &pass, Operation *root);

/// Returns the target of the outermost module, which `root` is or is in. If it
/// has none, the pass writes the default preset and a remark. If `root` is
/// nested in such a module, that is an error.
FailureOr<Target> getOrWriteTarget(const Pass &pass, Operation *root);

/// Does the same, but it is an error if there is no target.
FailureOr<Target> requireTarget(const Pass &pass, Operation *root);

/// Sets the number of engines from the pass's option `engines`, if it is given,
/// in the module's target. A pass on a function must not change that, so it is
/// an error there.
LogicalResult applyEnginesOption(const Pass &pass, Operation *root,
                                 StringRef engines, Target &target);

/// Removes slots and schedules, which a change of tiles or costs has made
/// wrong.
void dropSchedules(Operation *root);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_PROGRAMPASS_H
