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

/// To load dialects takes longer than to make a program. What a context keeps
/// of each program is let go with it, now and then.
static MLIRContext &getContext() {
  constexpr unsigned mostUses = 2000;
  static unsigned uses = 0;
  static std::unique_ptr<MLIRContext> context;
  if (uses++ % mostUses == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    loadGraphDialects(context.get());
  }
  return *context;
}

static void buildProgram(const CapturedGraph &graph, MLIRContext &context,
                         const CapturedProgramForm &form, bool isWritten) {
  Location location = FileLineColLoc::get(&context, "capture", 1, 1);
  DiagnosticJudge judge(&context);
  FailureOr<CapturedProgram> program =
      buildCapturedGraph(graph, "graph", form, location);
  judge.judge(program, "making a program of a graph");
  require(!judge.lastError().contains("op "), "an op that does not verify");
  if (succeeded(program) && isWritten)
    writeAndRead(*program->module, judge);
}

static void buildPrograms(const CapturedGraph &graph, MLIRContext &context,
                          StringRef bytes) {
  CapturedProgramForm other;
  other.mask = MaskKind::Causal;
  other.floatType = BFloat16Type::get(&context);
  if (!graph.choices.empty())
    other.run = 0;
  // Each form for one half of what a fuzzer makes.
  bool both = isWrittenOut(bytes, 8);
  if (both || bytes.size() % 2)
    buildProgram(graph, context, CapturedProgramForm(), both);
  if (both || bytes.size() % 2 == 0)
    buildProgram(graph, context, other, both);
}

void runCapture(StringRef bytes) {
  llvm::Expected<std::vector<CapturedGraph>> graphs =
      readCapturedGraphs(llvm::MemoryBufferRef(bytes, "capture"));
  if (!graphs) {
    std::string message = llvm::toString(graphs.takeError());
    // "capture: byte 7: ..", or "cannot inflate 'capture': byte 4: ..".
    require(StringRef(message).contains("capture") &&
                StringRef(message).contains(": byte "),
            "an error without a place: " + message);
    if (isVerbose)
      llvm::errs() << message << "\n";
    return;
  }
  if (graphs->empty())
    return;
  MLIRContext &context = getContext();
  for (const CapturedGraph &graph : *graphs)
    buildPrograms(graph, context, bytes);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {
    "llmggml\n", "MUL_MAT",  "MUL_MAT_ID", "RMS_NORM", "ROPE",
    "SOFT_MAX",  "SET_ROWS", "CPY",        "CONT",     "VIEW",
    "RESHAPE",   "PERMUTE",  "TRANSPOSE",  "GET_ROWS", "FLASH_ATTN_EXT",
    "SWIGLU",    "SILU",     "SCALE",      "f32",      "f16",
    "i32",       "i64",      "q8_0",       "q4_K",     "CPU"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runCapture, words)
