//===- CompareTrace.h - A trace beside a prediction -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACECOMPARISON_COMPARETRACE_H
#define LLM_TRACECOMPARISON_COMPARETRACE_H

#include "llm/Results/Comparison.h"
#include "llm/TraceComparison/TraceAlignment.h"

namespace mlir::llm {

/// Compares a trace with a prediction. The alignment must be of the program of
/// the prediction, which must outlive the comparison. Ops take the median over
/// the passes that are compared.
Comparison compareTrace(const ImportedTrace &trace,
                        const TraceAlignment &alignment,
                        const Report &predicted);

/// Returns the time that one run of each op of the program took. Ops that ran
/// as one share the time in proportion to their predictions. For an op that the
/// trace does not have it is 0.
std::vector<double> measuredNanoseconds(const TraceAlignment &alignment,
                                        const Report &predicted);

/// Records the trace with the predicted schedule as one more process, which
/// begins with the first pass that is compared. A click on matched work shows
/// its ops.
ImportedTrace addPrediction(ImportedTrace trace,
                            const TraceAlignment &alignment,
                            const Report &predicted);

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_COMPARETRACE_H
