//===- PreparedProgram.h - What a process runs ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_PREPAREDPROGRAM_H
#define LLM_TOOLS_LLM_RUN_PREPAREDPROGRAM_H

#include "Inputs.h"
#include "Measurement.h"
#include "StagePlace.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir::llm {

/// A function that is ready to run: the program, or a stage of it.
struct Prepared {
  OwningOpRef<ModuleOp> module, asRead; // compiling changes the first one
  std::unique_ptr<Executable> executable;
  std::optional<Inputs> inputs;
  std::vector<HostTensor> results; ///< of the last step, with caches
};

/// What this process runs: a function in each round.
struct PreparedProgram {
  std::optional<StagePlace> place;
  bool recordsOps = false; ///< on all chips, or on none
  std::vector<Prepared> stages; ///< of this process, by round
  /// Of all stages, by their numbers, on the first chip if ops are recorded.
  std::vector<Measurement> measurements;
};

/// Runs the stages of this process, each on what the one before has handed on.
/// Returns the results of the last stage of all, where StagePlace::handOn gives
/// them.
std::vector<HostTensor> runStages(PreparedProgram &program, const Chips &chips,
                                  bool toAll);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_PREPAREDPROGRAM_H
