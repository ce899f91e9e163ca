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

/// What the schedules of a module say. The reports point at ops of the module,
/// which must outlive them; after a change of it they are to be made anew.
class Evaluation {
public:
  /// Reads a module that verifies, has a target, and whose functions are
  /// scheduled. Changes nothing. If something is missing, it fails with a
  /// diagnostic that names the pass to run; also if no function has a body.
  static FailureOr<Evaluation> read(ModuleOp module);

  /// The machine of the module. Its address stays when the evaluation moves.
  const Target &target() const { return *machine; }
  /// For each function with a body, in the order of the module; never empty.
  ArrayRef<Report> reports() const { return functionReports; }

private:
  std::unique_ptr<Target> machine;
  std::vector<Report> functionReports;
};

/// Runs what `--llm-pipeline` runs on the module, then reads what it says. It
/// loads the dialects that this needs, and so must not be called by a pass.
///
/// Afterwards the module holds what the pipeline wrote: the target as
/// `dlti.target_system_spec` (that of the options, else its own, else the
/// default preset), on ops `llm.tile`, `llm.cost` and `llm.slots`, on functions
/// `llm.schedule`; and other ops where the options fuse or decompose some.
/// Tiles, costs and slots that stood there before are decided anew.
///
/// Fails with diagnostics. A module that does not verify, or has no function
/// with a body, is left as it was; one at which a pass failed holds what the
/// passes before it wrote, and perhaps a part of what this one did: who needs
/// it as it was evaluates a clone.
FailureOr<Evaluation> evaluate(ModuleOp module, const PipelineOptions &options);

/// The same for options as text, "target=npu engines=4": what
/// `--llm-pipeline="..."` takes. Where they are wrong, the module is left as it
/// was; what is wrong with a value stands on stderr, beside a diagnostic.
FailureOr<Evaluation> evaluate(ModuleOp module, StringRef options);

} // namespace mlir::llm

#endif // LLM_RESULTS_EVALUATION_H
