//===- makespan.c - How long a program takes, from C ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm-c/Evaluation.h"
#include "llm-c/Registration.h"

#include <stdio.h>

static int printMakespans(MlirModule module, const char *options) {
  LlmEvaluation evaluation =
      llmEvaluationCreate(module, mlirStringRefCreateFromCString(options));
  if (llmEvaluationIsNull(evaluation))
    return 1;
  for (intptr_t i = 0; i < llmEvaluationGetNumFunctions(evaluation); ++i) {
    LlmFunctionReport report = llmEvaluationGetFunction(evaluation, i);
    MlirStringRef name = llmFunctionReportGetName(report);
    printf("%.*s: %.3f us\n", (int)name.length, name.data,
           llmFunctionReportGetMakespanMicroseconds(report));
  }
  llmEvaluationDestroy(evaluation);
  return 0;
}

/* makespan <file> <options of --llm-pipeline> */
int main(int count, char **words) {
  if (count != 3)
    return 2;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  llmRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  MlirModule module = mlirModuleCreateParseFromFile(
      context, mlirStringRefCreateFromCString(words[1]));
  int status = 1;
  if (!mlirModuleIsNull(module)) {
    status = printMakespans(module, words[2]);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return status;
}
