//===- Evaluation.h - From a module to its times, from C ----------*- C -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller owns an evaluation, which points at its module. Destroy it before
// the module, and make a new one after a change of the module. Reports and
// texts belong to the evaluation and live as long. Texts are not
// null-terminated.
//
// Cycles are those of the target's clock, and count from the start of the
// function. Positions count from 0, and are below the number that the function
// with "GetNum" in its name returns; other positions are not checked.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_C_EVALUATION_H
#define LLM_C_EVALUATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEFINE_C_API_STRUCT(name, storage)                                     \
  struct name {                                                                \
    storage *ptr;                                                              \
  };                                                                           \
  typedef struct name name

DEFINE_C_API_STRUCT(LlmEvaluation, void);
DEFINE_C_API_STRUCT(LlmFunctionReport, const void);
DEFINE_C_API_STRUCT(LlmOpReport, const void);

#undef DEFINE_C_API_STRUCT

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

/// Runs on the module what `--llm-pipeline="<options>"` runs, and reads the
/// result; options may be empty. The module then holds the target and the
/// tiles, costs, slots and schedules, which replace those before.
///
/// Returns a null evaluation after diagnostics, which the handlers of the
/// module's context get. A module that does not verify or has no function with
/// a body stays as it was, and so does one with wrong options. If a pass fails,
/// the module holds what the passes before it wrote, and perhaps a part of what
/// this one did. Errors in the value of an option go to stderr.
///
/// Must not be called within a pass.
MLIR_CAPI_EXPORTED LlmEvaluation llmEvaluationCreate(MlirModule module,
                                                     MlirStringRef options);

/// Reads a module that is scheduled already, and changes nothing. Returns a
/// null evaluation after diagnostics if something is missing, or if the module
/// does not verify.
MLIR_CAPI_EXPORTED LlmEvaluation llmEvaluationCreateFromPlan(MlirModule module);

/// Is this a null evaluation, which a failed call returns? Only
/// llmEvaluationDestroy takes one.
static inline bool llmEvaluationIsNull(LlmEvaluation evaluation) {
  return !evaluation.ptr;
}

/// Frees an evaluation. Does nothing for a null evaluation.
MLIR_CAPI_EXPORTED void llmEvaluationDestroy(LlmEvaluation evaluation);

/// The name of the module's target, such as "npu".
MLIR_CAPI_EXPORTED MlirStringRef
llmEvaluationGetTargetName(LlmEvaluation evaluation);

/// Cycles per second of the target's clock.
MLIR_CAPI_EXPORTED int64_t llmEvaluationGetClockHz(LlmEvaluation evaluation);

/// The JSON of `--llm-export-report=format=json`, with all figures of all
/// functions. The callback gets it in pieces, which live as long as the call.
MLIR_CAPI_EXPORTED void llmEvaluationPrintJson(LlmEvaluation evaluation,
                                               MlirStringCallback callback,
                                               void *userData);

/// The number of functions that have a body. It is above 0.
MLIR_CAPI_EXPORTED intptr_t
llmEvaluationGetNumFunctions(LlmEvaluation evaluation);

/// The report of the function at a position, in the order of the module.
MLIR_CAPI_EXPORTED LlmFunctionReport
llmEvaluationGetFunction(LlmEvaluation evaluation, intptr_t position);

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

/// The function's symbol, without "@".
MLIR_CAPI_EXPORTED MlirStringRef
llmFunctionReportGetName(LlmFunctionReport report);

/// The cycles from the start of the function to the end of the last slot.
MLIR_CAPI_EXPORTED int64_t
llmFunctionReportGetMakespanCycles(LlmFunctionReport report);

/// The same in microseconds of the target's clock.
MLIR_CAPI_EXPORTED double
llmFunctionReportGetMakespanMicroseconds(LlmFunctionReport report);

/// A lower bound: no schedule is shorter, whatever its tiles and cuts.
MLIR_CAPI_EXPORTED int64_t
llmFunctionReportGetLowerBoundCycles(LlmFunctionReport report);

/// The number of sentences that say what is wrong with the figures: a stale
/// cost, a schedule that breaks a rule, a program that does not fit into
/// memory. It is 0 if nothing is wrong.
MLIR_CAPI_EXPORTED intptr_t
llmFunctionReportGetNumProblems(LlmFunctionReport report);

/// The sentence at a position.
MLIR_CAPI_EXPORTED MlirStringRef
llmFunctionReportGetProblem(LlmFunctionReport report, intptr_t position);

/// The number of ops that take time.
MLIR_CAPI_EXPORTED intptr_t
llmFunctionReportGetNumOps(LlmFunctionReport report);

/// The report of the op at a position, in the order of the program.
MLIR_CAPI_EXPORTED LlmOpReport llmFunctionReportGetOp(LlmFunctionReport report,
                                                      intptr_t position);

/// The same op in the IR. The module owns it.
MLIR_CAPI_EXPORTED MlirOperation
llmFunctionReportGetOperation(LlmFunctionReport report, intptr_t position);

//===----------------------------------------------------------------------===//
// An op
//===----------------------------------------------------------------------===//

/// The name of the op in the model's words, with "{}" for the index of the loop
/// around it.
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetName(LlmOpReport report);

/// The name of the operation, such as "llm.matmul".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetKind(LlmOpReport report);

/// How often it runs: the product of the trips of the loops around it.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetCount(LlmOpReport report);

/// The cycles of one run if it has the machine for itself, summed over its
/// parts.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetCycles(LlmOpReport report);

/// The cycles that the slots of one run take, summed over its parts.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetScheduledCycles(LlmOpReport report);

/// The cycle in which the first slot of its first run starts; fetches ahead of
/// it are not counted.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetStartCycle(LlmOpReport report);

/// The cycle in which the last slot of its first run has ended.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetEndCycle(LlmOpReport report);

/// What binds the op on the whole machine: "compute", "memory" or "overhead".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetBound(LlmOpReport report);

/// The engines on which it has slots, in words: "core[0..3]", "4 slots".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetEngines(LlmOpReport report);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_EVALUATION_H
