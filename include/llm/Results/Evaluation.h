//===- Evaluation.h - From a module to its times ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_EVALUATION_H
#define LLM_RESULTS_EVALUATION_H

#include "llm/Results/Report.h"
#include "llm/Transforms/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::llm {

/// The reports on the schedules of a module. They point at ops of the module,
/// which must outlive them. They must be made anew after a change of the
/// module.
class Evaluation {
public:
  /// Reads a module and changes nothing. The module must verify and have a
  /// target, and its functions must be scheduled. Fails if no function has a
  /// body. If something is missing, it fails with a diagnostic that names the
  /// pass to run.
  static FailureOr<Evaluation> read(ModuleOp module);

  /// Returns the machine of the module. Its address stays when the evaluation
  /// moves.
  const Target &target() const { return *machine; }
  /// Returns the report of each function with a body, in the order of the
  /// module. There is at least one.
  ArrayRef<Report> reports() const { return functionReports; }

private:
  std::unique_ptr<Target> machine;
  std::vector<Report> functionReports;
};

/// Runs what `--llm-pipeline` runs on the module, then reads the results. It
/// loads the dialects that this needs, and so must not be called by a pass.
///
/// Afterwards the module holds what the pipeline wrote. The target is
/// `dlti.target_system_spec`: that of the options, else its own, else the
/// default preset. Ops have `llm.tile`, `llm.cost` and `llm.slots`, and
/// functions have `llm.schedule`. There are other ops if the options fuse or
/// decompose some. Tiles, costs and slots that stood there before are decided
/// anew.
///
/// Fails with diagnostics. A module that does not verify, or has no function
/// with a body, is left as it was. If a pass failed, the module holds what the
/// passes before it wrote, and perhaps a part of what this pass did. Callers
/// that need the module as it was evaluate a clone.
FailureOr<Evaluation> evaluate(ModuleOp module, const PipelineOptions &options);

/// Does the same for options as text, "target=npu engines=4", which is what
/// `--llm-pipeline="..."` takes. If the options are wrong, the module is left
/// as it was. A wrong value is also printed to stderr, besides the diagnostic.
FailureOr<Evaluation> evaluate(ModuleOp module, StringRef options);

} // namespace mlir::llm

#endif // LLM_RESULTS_EVALUATION_H
