//===- Evaluation.h - From a module to its times, from C ----------*- C -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An evaluation is owned by who made it, and points at its module: destroy it
// first, and make it anew after a change of the module. Reports and texts
// belong to the evaluation and live as long. Texts are not null-terminated.
//
// Cycles are those of the target's clock and count from the start of the
// function. Positions count from 0 and are below the number that the function
// with "GetNum" in its name gives; others are not checked.
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

/// Runs on the module what `--llm-pipeline="<options>"` runs, and reads what it
/// says; options may be empty. The module then holds the target and the tiles,
/// costs, slots and schedules, which take the place of those before.
///
/// Gives a null evaluation after diagnostics, which the handlers of the
/// module's context get. A module that does not verify or has no function with
/// a body, and one with wrong options, is left as it was; one at which a pass
/// failed holds what the passes before it wrote, and perhaps a part of what
/// this one did. What is wrong with the value of an option stands on stderr.
///
/// Not for use within a pass.
MLIR_CAPI_EXPORTED LlmEvaluation llmEvaluationCreate(MlirModule module,
                                                     MlirStringRef options);

/// Reads what a module says that is scheduled already, and changes nothing.
/// Gives a null evaluation after diagnostics where something is missing, and
/// for a module that does not verify.
MLIR_CAPI_EXPORTED LlmEvaluation llmEvaluationCreateFromPlan(MlirModule module);

/// Whether making it failed. Only llmEvaluationDestroy takes such a one.
static inline bool llmEvaluationIsNull(LlmEvaluation evaluation) {
  return !evaluation.ptr;
}

/// Takes back what is owned, and nothing from a null evaluation.
MLIR_CAPI_EXPORTED void llmEvaluationDestroy(LlmEvaluation evaluation);

/// The name of the module's target: "npu".
MLIR_CAPI_EXPORTED MlirStringRef
llmEvaluationGetTargetName(LlmEvaluation evaluation);

/// Cycles per second of the target's clock.
MLIR_CAPI_EXPORTED int64_t llmEvaluationGetClockHz(LlmEvaluation evaluation);

/// The JSON of `--llm-export-report=format=json`, with all figures of all
/// functions. The callback gets it in pieces, which live as long as the call.
MLIR_CAPI_EXPORTED void llmEvaluationPrintJson(LlmEvaluation evaluation,
                                               MlirStringCallback callback,
                                               void *userData);

/// How many functions have a body; above 0.
MLIR_CAPI_EXPORTED intptr_t
llmEvaluationGetNumFunctions(LlmEvaluation evaluation);

/// The report of one of them, in the order of the module.
MLIR_CAPI_EXPORTED LlmFunctionReport
llmEvaluationGetFunction(LlmEvaluation evaluation, intptr_t position);

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

/// The function's symbol, without "@".
MLIR_CAPI_EXPORTED MlirStringRef
llmFunctionReportGetName(LlmFunctionReport report);

/// Cycles from the start to the last end.
MLIR_CAPI_EXPORTED int64_t
llmFunctionReportGetMakespanCycles(LlmFunctionReport report);

/// The same in microseconds of the target's clock.
MLIR_CAPI_EXPORTED double
llmFunctionReportGetMakespanMicroseconds(LlmFunctionReport report);

/// Cycles that no schedule is shorter than, whatever the tiles and cuts.
MLIR_CAPI_EXPORTED int64_t
llmFunctionReportGetLowerBoundCycles(LlmFunctionReport report);

/// How many sentences there are on what is not right with the figures: a stale
/// cost, a schedule that breaks a rule, a program that does not fit into
/// memory. 0 where all is well.
MLIR_CAPI_EXPORTED intptr_t
llmFunctionReportGetNumProblems(LlmFunctionReport report);

/// One of these sentences.
MLIR_CAPI_EXPORTED MlirStringRef
llmFunctionReportGetProblem(LlmFunctionReport report, intptr_t position);

/// How many ops take time.
MLIR_CAPI_EXPORTED intptr_t
llmFunctionReportGetNumOps(LlmFunctionReport report);

/// One of them, in the order of the program.
MLIR_CAPI_EXPORTED LlmOpReport llmFunctionReportGetOp(LlmFunctionReport report,
                                                      intptr_t position);

/// The same in the IR, owned by the module.
MLIR_CAPI_EXPORTED MlirOperation
llmFunctionReportGetOperation(LlmFunctionReport report, intptr_t position);

//===----------------------------------------------------------------------===//
// An op
//===----------------------------------------------------------------------===//

/// In the model's words, with "{}" for the index of the loop around it.
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetName(LlmOpReport report);

/// "llm.matmul".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetKind(LlmOpReport report);

/// How often it runs: the product of the trips of the loops around it.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetCount(LlmOpReport report);

/// Cycles of one run if it had the machine for itself, summed over its parts.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetCycles(LlmOpReport report);

/// Cycles that the slots of one run take, summed over its parts.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetScheduledCycles(LlmOpReport report);

/// The cycle in which the first slot of its first run starts; fetches ahead of
/// it are not counted.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetStartCycle(LlmOpReport report);

/// The cycle in which the last slot of its first run has ended.
MLIR_CAPI_EXPORTED int64_t llmOpReportGetEndCycle(LlmOpReport report);

/// What bounds the parts that take most of the time: "compute", "memory" or
/// "overhead".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetBound(LlmOpReport report);

/// The engines that its slots are on, in words: "core[0..3]", "4 slots".
MLIR_CAPI_EXPORTED MlirStringRef llmOpReportGetEngines(LlmOpReport report);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_EVALUATION_H
