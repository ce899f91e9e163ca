//===- PassOracles.h - What is required of each pass ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_FUZZ_PASSORACLES_H
#define LLM_TEST_FUZZ_PASSORACLES_H

#include "Harness.h"

namespace mlir::llm::fuzz {

/// What a pass does to a module, and so what must hold behind it.
enum class StepKind {
  Target,
  Rewrite,
  Cut, ///< over chips: the work of one chip is another
  Cost,
  VerifyCost,
  Schedule,
  VerifySchedule,
  Perfetto,
  Report,
  ReportJson
};

/// Requires rules S4 to S6 of a verified schedule, run by run.
void checkAbsoluteTime(ModuleOp module, DiagnosticJudge &judge);

/// Runs passes on one module and holds each to its guarantees.
class PassOracle {
public:
  PassOracle(ModuleOp module, DiagnosticJudge &judge)
      : module(module), judge(judge) {}

  /// `$` in the pipeline is a temporary file. Fails where the pass does.
  LogicalResult run(StringRef pipeline, StepKind kind);
  /// The module as it is written and read again, with what was guaranteed.
  void checkRoundTrip();

private:
  /// The module is about to change in a way that no claim survives.
  void forget();
  LogicalResult runPass(ModuleOp on, StringRef pipeline);
  void requirePass(ModuleOp on, StringRef pipeline);
  LogicalResult runReadOnly(StringRef pipeline, StepKind kind);
  LogicalResult runRewrite(StringRef pipeline);
  LogicalResult runExport(StringRef pipeline, StepKind kind);
  void checkSchedules();
  void checkListBeatsEarliest();
  void checkRepeats(ModuleOp again, StringRef pipeline);
  bool isShortTrace();

  ModuleOp module;
  DiagnosticJudge &judge;
  bool hasFreshCosts = false; ///< written or verified, and unchanged since
  bool hasSchedule = false;   ///< likewise
  std::string lastCosts, lastSchedule; ///< the passes that wrote them
};

} // namespace mlir::llm::fuzz

#endif // LLM_TEST_FUZZ_PASSORACLES_H
