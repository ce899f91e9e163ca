//===- evaluation.c - Modules are evaluated from C ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %build/test/CAPI/llm-capi-evaluation %S/Inputs/block.mlir > %t.txt
// RUN: FileCheck %s --input-file=%t.txt

#include "llm-c/Evaluation.h"
#include "llm-c/Dialect.h"
#include "llm-c/Registration.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <stdio.h>

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static void show(const char *what, MlirStringRef string) {
  printf("%s: %.*s\n", what, (int)string.length, string.data);
}

static void append(MlirStringRef piece, void *unused) {
  (void)unused;
  printf("%.*s", (int)piece.length, piece.data);
}

static MlirLogicalResult showError(MlirDiagnostic diagnostic, void *unused) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) {
    printf("error: ");
    mlirDiagnosticPrint(diagnostic, append, unused);
    printf("\n");
  }
  return mlirLogicalResultSuccess();
}

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  llmRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, showError, NULL, NULL);
  return context;
}

//===----------------------------------------------------------------------===//
// What is shown of an evaluation
//===----------------------------------------------------------------------===//

static void showOp(LlmOpReport op) {
  show("op", llmOpReportGetName(op));
  show("kind", llmOpReportGetKind(op));
  show("bound by", llmOpReportGetBound(op));
  show("on", llmOpReportGetEngines(op));
  printf("%lld x %lld cycles (%lld), from %lld to %lld\n",
         (long long)llmOpReportGetCount(op),
         (long long)llmOpReportGetCycles(op),
         (long long)llmOpReportGetScheduledCycles(op),
         (long long)llmOpReportGetStartCycle(op),
         (long long)llmOpReportGetEndCycle(op));
}

static void showFunction(LlmFunctionReport report) {
  show("function", llmFunctionReportGetName(report));
  printf("makespan: %lld cycles, %.2f us, bound %lld\n",
         (long long)llmFunctionReportGetMakespanCycles(report),
         llmFunctionReportGetMakespanMicroseconds(report),
         (long long)llmFunctionReportGetLowerBoundCycles(report));
  for (intptr_t i = 0; i < llmFunctionReportGetNumProblems(report); ++i)
    show("problem", llmFunctionReportGetProblem(report, i));
  for (intptr_t i = 0; i < llmFunctionReportGetNumOps(report); ++i)
    showOp(llmFunctionReportGetOp(report, i));
}

static void showEvaluation(LlmEvaluation evaluation) {
  if (llmEvaluationIsNull(evaluation)) {
    printf("nothing\n");
    return;
  }
  show("target", llmEvaluationGetTargetName(evaluation));
  printf("clock: %lld Hz\n", (long long)llmEvaluationGetClockHz(evaluation));
  for (intptr_t i = 0; i < llmEvaluationGetNumFunctions(evaluation); ++i)
    showFunction(llmEvaluationGetFunction(evaluation, i));
}

static void evaluate(MlirModule module, const char *options) {
  LlmEvaluation evaluation = llmEvaluationCreate(module, text(options));
  showEvaluation(evaluation);
  llmEvaluationDestroy(evaluation);
}

static void readPlan(MlirModule module) {
  LlmEvaluation evaluation = llmEvaluationCreateFromPlan(module);
  showEvaluation(evaluation);
  llmEvaluationDestroy(evaluation);
}

//===----------------------------------------------------------------------===//
// What goes well
//===----------------------------------------------------------------------===//

/* By hand, for bf16 of 2 bytes:

     up   64 x 256 x 128 products, / 1024 = 2048 cycles; 32768 + 65536 + 16384
          bytes, / 8 = 14336. 14336 + 100 = 14436.
     sum  3 x 16384 bytes, / 8 = 6144. 6144 + 100 = 6244.

   One after the other, 20680 cycles of 2 ns are 41.36 us; nothing is shorter,
   as the sum waits for the product, and there is one engine. The plan is in the
   module then, and is read again. */
static void testTimes(MlirModule module) {
  readPlan(module);
  evaluate(module, "verify=true");
  readPlan(module);
}
// CHECK:      error: {{.*}}run --llm-tile first
// CHECK-NEXT: nothing
// CHECK-NEXT: target: edge
// CHECK-NEXT: clock: 500000000 Hz
// CHECK-NEXT: function: block
// CHECK-NEXT: makespan: 20680 cycles, 41.36 us, bound 20680
// CHECK-NEXT: op: up
// CHECK-NEXT: kind: llm.matmul
// CHECK-NEXT: bound by: memory
// CHECK-NEXT: on: core[0]
// CHECK-NEXT: 1 x 14436 cycles (14436), from 0 to 14436
// CHECK-NEXT: op: sum
// CHECK-NEXT: kind: llm.add
// CHECK-NEXT: bound by: memory
// CHECK-NEXT: on: core[0]
// CHECK-NEXT: 1 x 6244 cycles (6244), from 14436 to 20680
// CHECK-NEXT: target: edge
// CHECK:      makespan: 20680 cycles
// CHECK:      1 x 6244 cycles

/* An op of the report is one of the module, in which MLIR's own C API finds
   functions: both know the types of ops by the same numbers. */
static void testOperation(MlirModule module) {
  MlirSymbolTable symbols =
      mlirSymbolTableCreate(mlirModuleGetOperation(module));
  printf("finds the function: %d\n",
         !mlirOperationIsNull(mlirSymbolTableLookup(symbols, text("block"))));
  mlirSymbolTableDestroy(symbols);
  LlmEvaluation evaluation = llmEvaluationCreateFromPlan(module);
  MlirOperation op =
      llmFunctionReportGetOperation(llmEvaluationGetFunction(evaluation, 0), 1);
  show("second op", mlirIdentifierStr(mlirOperationGetName(op)));
  printf("has a tile: %d\n",
         llmAttributeIsATile(mlirOperationGetDiscardableAttributeByName(
             op, llmGetTileAttrName())));
  llmEvaluationDestroy(evaluation);
}
// CHECK-NEXT: finds the function: 1
// CHECK-NEXT: second op: llm.add
// CHECK-NEXT: has a tile: 1

/* A module without a target gets the default one; functions without a body are
   passed over. */
static void testFunctions(MlirContext context) {
  MlirModule module =
      mlirModuleCreateParse(context, text("func.func private @declared()\n"
                                          "func.func @first() { return }\n"
                                          "func.func @second() { return }\n"));
  evaluate(module, "");
  mlirModuleDestroy(module);
}
// CHECK-NEXT: target: npu
// CHECK-NEXT: clock: 1000000000 Hz
// CHECK-NEXT: function: first
// CHECK-NEXT: makespan: 0 cycles, 0.00 us, bound 0
// CHECK-NEXT: function: second
// CHECK-NEXT: makespan: 0 cycles, 0.00 us, bound 0

/* What does not fit the chip's memory is told: 262144 x 524288 weights of 2
   bytes are 256 GiB. */
static void testProblem(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(
      context, text("func.func @large(%x: tensor<1x524288xbf16>) {\n"
                    "  %w = llm.weight \"w\" : tensor<262144x524288xbf16>\n"
                    "  %y = llm.matmul \"y\" %x, %w transpose_rhs :\n"
                    "      tensor<1x524288xbf16>, tensor<262144x524288xbf16>\n"
                    "  return\n"
                    "}\n"));
  evaluate(module, "target=a100-sxm");
  mlirModuleDestroy(module);
}
// CHECK-NEXT: target: a100-sxm
// CHECK:      problem: function 'large' {{.*}}fit

/* The passes are there by name, also for who asks for them twice. */
static void testPasses(MlirContext context, MlirModule module) {
  llmRegisterAllPasses();
  llmRegisterAllPasses();
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result = mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      text("builtin.module(llm-tile,llm-schedule)"), append, NULL);
  printf("parsed: %d\n", mlirLogicalResultIsSuccess(result));
  result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  printf("ran: %d\n", mlirLogicalResultIsSuccess(result));
  mlirPassManagerDestroy(manager);
  readPlan(module);
}
// CHECK:      parsed: 1
// CHECK-NEXT: ran: 1
// CHECK-NEXT: target: edge
// CHECK:      makespan: 20680 cycles
// CHECK:      1 x 6244 cycles

//===----------------------------------------------------------------------===//
// What does not
//===----------------------------------------------------------------------===//

static MlirOperation firstOpOf(MlirModule module) {
  return mlirBlockGetFirstOperation(mlirModuleGetBody(module));
}

/* Wrong options, after which nothing is scheduled. */
static void testOptions(MlirModule module) {
  static const char *const wrong[] = {"speed=9",     "}{",
                                      "policy=best", "verify=maybe",
                                      "engines",     "engines=0",
                                      "engines={4",  "engines='",
                                      "target=no",   "target=no.json"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    evaluate(module, wrong[i]);
  MlirAttribute schedule = mlirOperationGetDiscardableAttributeByName(
      firstOpOf(module), llmGetScheduleAttrName());
  printf("has a schedule: %d\n", llmAttributeIsASchedule(schedule));
}
// CHECK-NEXT: error: cannot read 'speed=9' as options of --llm-pipeline: {{.*}}no such option speed
// CHECK-NEXT: nothing
// CHECK-NEXT: error: cannot read '}{' as options of --llm-pipeline: {{.*}}no such option }{
// CHECK-NEXT: nothing
// CHECK-NEXT: error: cannot read 'policy=best' as options of --llm-pipeline
// CHECK-NEXT: nothing
// CHECK-NEXT: error: cannot read 'verify=maybe' as options of --llm-pipeline
// CHECK-NEXT: nothing
// CHECK-NEXT: error: cannot read 'engines' as options of --llm-pipeline
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}option 'engines'{{.*}}got 0
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}option 'engines'{{.*}}got '{4'
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}option 'engines'{{.*}}got '''
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}no preset is called 'no'
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}cannot read 'no.json'
// CHECK-NEXT: nothing
// CHECK-NEXT: has a schedule: 0

/* Modules with nothing to evaluate, and one whose function has no end. */
static void testModules(MlirContext context, MlirModule module) {
  MlirModule other = mlirModuleCreateEmpty(mlirLocationUnknownGet(context));
  evaluate(other, "");
  mlirModuleDestroy(other);
  other = mlirModuleCreateParse(context, text("func.func private @declared()"));
  evaluate(other, "");
  mlirModuleDestroy(other);
  MlirRegion body = mlirOperationGetRegion(firstOpOf(module), 0);
  mlirOperationDestroy(mlirBlockGetTerminator(mlirRegionGetFirstBlock(body)));
  evaluate(module, "");
  readPlan(module);
}
// CHECK-NEXT: error: the module has no function with a body: there is nothing to evaluate
// CHECK-NEXT: nothing
// CHECK-NEXT: error: the module has no function with a body: there is nothing to evaluate
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}block with no terminator
// CHECK-NEXT: nothing
// CHECK-NEXT: error: {{.*}}block with no terminator
// CHECK-NEXT: nothing

int main(int count, char **words) {
  if (count != 2)
    return 2;
  MlirContext context = createContext();
  MlirModule modules[3];
  for (int i = 0; i < 3; ++i)
    modules[i] = mlirModuleCreateParseFromFile(context, text(words[1]));
  testTimes(modules[0]);
  testOperation(modules[0]);
  testFunctions(context);
  testProblem(context);
  testPasses(context, modules[1]);
  testOptions(modules[2]);
  testModules(context, modules[2]);
  for (int i = 0; i < 3; ++i)
    mlirModuleDestroy(modules[i]);
  mlirContextDestroy(context);
  return 0;
}
