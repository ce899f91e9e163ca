//===- Registration.h - Register everything, from C ---------------*- C -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_C_REGISTRATION_H
#define LLM_C_REGISTRATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds the llm dialect, the dialects it builds on (func, scf, tensor, dlti),
/// and the workloads of linalg and tensor ops. A context with this registry can
/// parse ops of all of these.
MLIR_CAPI_EXPORTED void llmRegisterAllDialects(MlirDialectRegistry registry);

/// Makes all passes and pipelines known to the process, for
/// mlirParsePassPipeline. Further calls change nothing.
MLIR_CAPI_EXPORTED void llmRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_REGISTRATION_H
