//===- FuzzCapture.cpp - Fuzz captures of ggml, up to their programs ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every graph of a capture that is read becomes a program that verifies and is
// read as it was written, or an error.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llm/GraphImport/GgmlGraph.h"

namespace mlir::llm::fuzz {

static void buildProgram(const CapturedGraph &graph, MLIRContext &context) {
  Location location = FileLineColLoc::get(&context, "capture", 1, 1);
  CapturedProgramForm forms[2];
  forms[1] = {MaskKind::Causal, BFloat16Type::get(&context)};
  for (const CapturedProgramForm &form : forms) {
    DiagnosticJudge judge(&context);
    FailureOr<CapturedProgram> program =
        buildCapturedGraph(graph, "graph", form, location);
    judge.judge(program, "making a program of a graph");
    require(!judge.lastError().contains("op "), "an op that does not verify");
    if (succeeded(program))
      writeAndRead(*program->module, judge);
  }
}

void runCapture(StringRef bytes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadGraphDialects(&context);
  llvm::Expected<std::vector<CapturedGraph>> graphs =
      readCapturedGraphs(llvm::MemoryBufferRef(bytes, "capture"));
  if (!graphs) {
    std::string message = llvm::toString(graphs.takeError());
    require(StringRef(message).starts_with("capture: byte "),
            "an error without a place");
    if (isVerbose)
      llvm::errs() << message << "\n";
    return;
  }
  for (const CapturedGraph &graph : *graphs)
    buildProgram(graph, context);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {
    "llmggml\n", "MUL_MAT",  "MUL_MAT_ID", "RMS_NORM", "ROPE",
    "SOFT_MAX",  "SET_ROWS", "CPY",        "CONT",     "VIEW",
    "RESHAPE",   "PERMUTE",  "TRANSPOSE",  "GET_ROWS", "FLASH_ATTN_EXT",
    "SWIGLU",    "SILU",     "SCALE",      "f32",      "f16",
    "i32",       "i64",      "q8_0",       "q4_K",     "CPU"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runCapture, words)
