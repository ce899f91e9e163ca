//===- Totals.h - What a whole program computes and keeps -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROGRAM_TOTALS_H
#define LLM_PROGRAM_TOTALS_H

#include "llm/Program/Program.h"

namespace mlir::llm {

/// Sums over a program. An op in a loop counts as often as it runs. A weight
/// that is used twice counts once. The sums follow from the workload alone, and
/// depend on no tile and no target.
struct Totals {
  int64_t macs = 0;                 ///< of contractions, without masked ones
  int64_t matmulWeightElements = 0; ///< of weights that contractions read
  int64_t parameters = 0;           ///< elements of all weights
  /// Elements of all weights, except those of experts that a token does not
  /// select.
  int64_t activeParameters = 0;
  int64_t weightBytes = 0;   ///< as stored
  int64_t cacheBytes = 0;    ///< room of all caches, filled or not
  int64_t stateElements = 0; ///< of the states of recurrent layers
  int64_t stateBytes = 0;    ///< the same, as stored
  int64_t kvElements = 0;    ///< valid elements of caches after the step
  int64_t kvReadBytes = 0;   ///< rows of caches that are read, each once
  int64_t kvWriteBytes = 0;  ///< rows that are written into caches
  /// For a program on several chips: the weights, caches and states of which a
  /// chip holds more than an equal share, and how many bytes more.
  std::vector<std::pair<SourceOpInterface, int64_t>> notCut;
  /// The weights that have zeros behind them so that chips divide them, and how
  /// many bytes of these zeros a chip holds on average.
  std::vector<std::pair<SourceOpInterface, double>> padded;
};

/// Returns the work of one kind in one run of an op. Fails if it does not fit
/// into 64 bits.
Count countWork(WorkloadOpInterface op, const Workload &workload,
                WorkKind kind);

/// Does the same for all work that one pipe of an engine does
/// (`Stage::pipeOf`).
Count countPipeWork(WorkloadOpInterface op, const Workload &workload,
                    WorkKind pipe);

/// Fails with a diagnostic if a sum does not fit into 64 bits.
FailureOr<Totals> computeTotals(const Program &program);

} // namespace mlir::llm

#endif // LLM_PROGRAM_TOTALS_H
