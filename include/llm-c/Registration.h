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

/// Adds the llm dialect, those it builds on (func, scf, tensor, dlti), and the
/// workloads of linalg and tensor ops. What is parsed in a context of this
/// registry may have ops of all of these.
MLIR_CAPI_EXPORTED void llmRegisterAllDialects(MlirDialectRegistry registry);

/// Makes all passes and pipelines known to the process, for
/// mlirParsePassPipeline. To call it again changes nothing.
MLIR_CAPI_EXPORTED void llmRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // LLM_C_REGISTRATION_H
