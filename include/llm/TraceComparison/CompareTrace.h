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

/// Compares a trace with a prediction. The alignment must be with the program
/// of the prediction, which must outlive the comparison. The measured time of
/// an op is the median over the compared passes.
Comparison compareTrace(const ImportedTrace &trace,
                        const TraceAlignment &alignment,
                        const Report &predicted);

/// Returns the measured time of one run of each op of the program. Ops that ran
/// as one share the time in proportion to their predictions. It is 0 for an op
/// that the trace does not have.
std::vector<double> measuredNanoseconds(const TraceAlignment &alignment,
                                        const Report &predicted);

/// Returns the trace with the predicted schedule as one more process, which
/// begins at the first compared pass. The args of matched work name its ops.
ImportedTrace addPrediction(ImportedTrace trace,
                            const TraceAlignment &alignment,
                            const Report &predicted);

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_COMPARETRACE_H
