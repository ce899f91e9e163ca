//===- Evaluation.cpp - From a module to its times ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Evaluation.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::llm;

static LogicalResult checkHasFunctions(ModuleOp module) {
  if (!functionsWithBody(module).empty())
    return success();
  return emitError(module.getLoc()) << "the module has no function with a "
                                       "body: there is nothing to evaluate";
}

FailureOr<Evaluation> Evaluation::read(ModuleOp module) {
  if (failed(checkHasFunctions(module)))
    return failure();
  FailureOr<Target> target = readTarget(module);
  if (failed(target))
    return failure();
  Evaluation evaluation;
  evaluation.machine = std::make_unique<Target>(std::move(*target));
  for (FunctionOpInterface function : functionsWithBody(module)) {
    FailureOr<Report> report = Report::create(function, *evaluation.machine);
    if (failed(report))
      return failure();
    evaluation.functionReports.push_back(std::move(*report));
  }
  return evaluation;
}

FailureOr<Evaluation> mlir::llm::evaluate(ModuleOp module,
                                          const PipelineOptions &options) {
  // A pass manager verifies behind each pass, but not before the first.
  if (failed(verify(module)) || failed(checkHasFunctions(module)))
    return failure();
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  buildPipeline(manager, options);
  if (failed(manager.run(module)))
    return failure();
  return Evaluation::read(module);
}

FailureOr<Evaluation> mlir::llm::evaluate(ModuleOp module, StringRef options) {
  PipelineOptions parsed;
  std::string problem;
  ::llvm::raw_string_ostream os(problem);
  if (succeeded(parsed.parseFromString(options, os)))
    return evaluate(module, parsed);
  InFlightDiagnostic error = emitError(module.getLoc())
                             << "cannot read '" << options
                             << "' as options of --llm-pipeline";
  if (!problem.empty())
    error << ": " << StringRef(problem).trim();
  return error;
}
