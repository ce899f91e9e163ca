//===- BaselineReport.h - A report that another run has written -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_REPORT_BASELINEREPORT_H
#define LLM_EXPORT_REPORT_BASELINEREPORT_H

#include "llm/Results/RunComparison.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// The functions of this program, compared with those of another report.
struct BesideBaseline {
  std::string text; ///< the baseline's JSON
  std::vector<ComparableRun> runs, baselines;
  std::vector<std::optional<RunComparison>>
      comparisons; ///< one for each of `runs`
};

/// Reads the file that the option `baseline` of a pass names, and compares the
/// reports with it. If the file is no JSON report, it fails with a diagnostic
/// that points into the file. A warning names functions that are compared with
/// nothing.
FailureOr<BesideBaseline> compareWithBaseline(const Pass &pass, StringRef path,
                                              ArrayRef<Report> reports,
                                              Location loc);

} // namespace mlir::llm

#endif // LLM_EXPORT_REPORT_BASELINEREPORT_H
