//===- Evaluation.cpp - From a module to its times, from C ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Evaluation.h"
#include "llm-c/Evaluation.h"
#include "llm/Export/Report/ReportWriters.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::llm;

DEFINE_C_API_PTR_METHODS(LlmEvaluation, Evaluation)
DEFINE_C_API_PTR_METHODS(LlmFunctionReport, const Report)
DEFINE_C_API_PTR_METHODS(LlmOpReport, const OpReport)

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

static LlmEvaluation release(FailureOr<Evaluation> evaluation) {
  if (failed(evaluation))
    return {nullptr};
  return wrap(new Evaluation(std::move(*evaluation)));
}

LlmEvaluation llmEvaluationCreate(MlirModule module, MlirStringRef options) {
  return release(evaluate(unwrap(module), unwrap(options)));
}

LlmEvaluation llmEvaluationCreateFromPlan(MlirModule module) {
  // Bindings build modules op by op, without a pass manager that verifies them.
  if (failed(verify(unwrap(module))))
    return {nullptr};
  return release(Evaluation::read(unwrap(module)));
}

void llmEvaluationDestroy(LlmEvaluation evaluation) {
  delete unwrap(evaluation);
}

MlirStringRef llmEvaluationGetTargetName(LlmEvaluation evaluation) {
  return wrap(StringRef(unwrap(evaluation)->target().name));
}

int64_t llmEvaluationGetClockHz(LlmEvaluation evaluation) {
  return unwrap(evaluation)->target().clockHz;
}

void llmEvaluationPrintJson(LlmEvaluation evaluation,
                            MlirStringCallback callback, void *userData) {
  mlir::detail::CallbackOstream os(callback, userData);
  writeReportJson(unwrap(evaluation)->reports(), os);
}

intptr_t llmEvaluationGetNumFunctions(LlmEvaluation evaluation) {
  return unwrap(evaluation)->reports().size();
}

LlmFunctionReport llmEvaluationGetFunction(LlmEvaluation evaluation,
                                           intptr_t position) {
  return wrap(&unwrap(evaluation)->reports()[position]);
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

MlirStringRef llmFunctionReportGetName(LlmFunctionReport report) {
  return wrap(unwrap(report)->functionName());
}

int64_t llmFunctionReportGetMakespanCycles(LlmFunctionReport report) {
  return unwrap(report)->timeline.schedule().getMakespanCycles();
}

double llmFunctionReportGetMakespanMicroseconds(LlmFunctionReport report) {
  return unwrap(report)->makespanMicroseconds();
}

int64_t llmFunctionReportGetLowerBoundCycles(LlmFunctionReport report) {
  return unwrap(report)->timeline.schedule().getLowerBoundCycles();
}

intptr_t llmFunctionReportGetNumProblems(LlmFunctionReport report) {
  return unwrap(report)->problems.size();
}

MlirStringRef llmFunctionReportGetProblem(LlmFunctionReport report,
                                          intptr_t position) {
  return wrap(StringRef(unwrap(report)->problems[position]));
}

intptr_t llmFunctionReportGetNumOps(LlmFunctionReport report) {
  return unwrap(report)->ops.size();
}

LlmOpReport llmFunctionReportGetOp(LlmFunctionReport report,
                                   intptr_t position) {
  return wrap(&unwrap(report)->ops[position]);
}

MlirOperation llmFunctionReportGetOperation(LlmFunctionReport report,
                                            intptr_t position) {
  WorkloadOpInterface op = unwrap(report)->program->ops()[position].op;
  return wrap(op.getOperation());
}

//===----------------------------------------------------------------------===//
// An op
//===----------------------------------------------------------------------===//

MlirStringRef llmOpReportGetName(LlmOpReport report) {
  return wrap(unwrap(report)->name);
}

MlirStringRef llmOpReportGetKind(LlmOpReport report) {
  return wrap(unwrap(report)->kind);
}

int64_t llmOpReportGetCount(LlmOpReport report) {
  return unwrap(report)->count;
}

int64_t llmOpReportGetCycles(LlmOpReport report) {
  return unwrap(report)->figures.cycles;
}

int64_t llmOpReportGetScheduledCycles(LlmOpReport report) {
  return unwrap(report)->figures.scheduledCycles;
}

int64_t llmOpReportGetStartCycle(LlmOpReport report) {
  return unwrap(report)->startCycle;
}

int64_t llmOpReportGetEndCycle(LlmOpReport report) {
  return unwrap(report)->endCycle;
}

MlirStringRef llmOpReportGetBound(LlmOpReport report) {
  return wrap(stringifyCostBound(unwrap(report)->bound));
}

MlirStringRef llmOpReportGetEngines(LlmOpReport report) {
  return wrap(StringRef(unwrap(report)->engines));
}
