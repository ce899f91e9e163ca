//===- report.c - The report of a file, from C ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the C API says of a file is what llm-opt writes of it: the report as
// JSON, and op by op the columns of the one in CSV. Of a block, fused, on
// engines of several kinds, and of a whole model with a loop over its layers.
// RUN: rm -rf %t && mkdir %t && cd %t
// DEFINE: %{report} = %build/test/CAPI/llm-capi-report
// DEFINE: %{block} = %root/dialects/llm/examples/dense-block-decode.mlir
// DEFINE: %{exports} = "--llm-export-report=format=json file=expected.json" "--llm-export-report=format=csv file=expected.csv" -o scheduled.mlir
// DEFINE: %{columns} = %python -c "import csv; [print(*(row[i] for i in (0, 3, 4, 9, 16, 18, 19, 20, 21, 22)), sep=',') for row in csv.reader(open('expected.csv'))]"
// RUN: %{report} %{block} "target=npu-mxu-vpu fuse-projections=true fuse=true decompose-attention=true" report.json > ops.csv
// RUN: llm-opt %{block} "--llm-target=name=npu-mxu-vpu" --llm-decompose-attention --llm-fuse-projections --llm-fuse --llm-tile --llm-schedule %{exports}
// RUN: diff report.json expected.json
// RUN: %{columns} | diff - ops.csv

// RUN: llm-translate --import-hf-config %examples/llama-3.2-1b.json --layers=all --phase=decode -o model.mlir
// RUN: %{report} model.mlir "engines=4" report.json > ops.csv
// RUN: llm-opt model.mlir --llm-target=engines=4 --llm-tile --llm-schedule %{exports}
// RUN: diff report.json expected.json
// RUN: %{columns} | diff - ops.csv

// Without a handler, diagnostics stand on stderr.
// RUN: not %{report} %{block} target=abacus no.json 2>&1 | FileCheck %s
// CHECK: dense-block-decode.mlir{{.*}}: error: {{.*}}'abacus'
// RUN: not ls no.json

#include "llm-c/Evaluation.h"
#include "llm-c/Registration.h"

#include <stdio.h>

static void writePiece(MlirStringRef piece, void *file) {
  fwrite(piece.data, 1, piece.length, (FILE *)file);
}

static void printText(MlirStringRef string) {
  printf("%.*s,", (int)string.length, string.data);
}

static void printOps(LlmFunctionReport report) {
  for (intptr_t i = 0; i < llmFunctionReportGetNumOps(report); ++i) {
    LlmOpReport op = llmFunctionReportGetOp(report, i);
    printText(llmFunctionReportGetName(report));
    printText(llmOpReportGetName(op));
    printText(llmOpReportGetKind(op));
    printf("%lld,", (long long)llmOpReportGetCount(op));
    printText(llmOpReportGetBound(op));
    printText(llmOpReportGetEngines(op));
    printf("%lld,%lld,%lld,%lld\n", (long long)llmOpReportGetStartCycle(op),
           (long long)llmOpReportGetEndCycle(op),
           (long long)llmOpReportGetScheduledCycles(op),
           (long long)llmOpReportGetCycles(op));
  }
}

static int report(MlirModule module, const char *options, const char *path) {
  LlmEvaluation evaluation =
      llmEvaluationCreate(module, mlirStringRefCreateFromCString(options));
  if (llmEvaluationIsNull(evaluation))
    return 1;
  FILE *file = fopen(path, "w");
  if (file) {
    llmEvaluationPrintJson(evaluation, writePiece, file);
    fclose(file);
  }
  printf("function,name,op,count,bound,engines,start_cycle,end_cycle,"
         "scheduled_cycles,cycles\n");
  for (intptr_t i = 0; i < llmEvaluationGetNumFunctions(evaluation); ++i)
    printOps(llmEvaluationGetFunction(evaluation, i));
  llmEvaluationDestroy(evaluation);
  return file ? 0 : 1;
}

/* <file> <options> <file for the JSON> */
int main(int count, char **words) {
  if (count != 4)
    return 2;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  llmRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  MlirModule module = mlirModuleCreateParseFromFile(
      context, mlirStringRefCreateFromCString(words[1]));
  int status =
      mlirModuleIsNull(module) ? 1 : report(module, words[2], words[3]);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return status;
}
