//===- StagePlace.h - The stage that a process runs -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program in stages has a function of each. Chips of a stage run it on what
// their peers in the stage before hand on, and the last ones have the results.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_STAGEPLACE_H
#define LLM_TOOLS_LLM_RUN_STAGEPLACE_H

#include "Chips.h"
#include "llm/Execution/Executable.h"

namespace mlir::llm {

/// The place of a process in a pipeline. A program that has no stages is one.
class StagePlace {
public:
  /// Fails if the program lacks the function of a stage.
  static FailureOr<StagePlace> find(ModuleOp module, const Chips &chips);

  /// Whether there are several stages.
  bool isSplit() const { return functions.size() > 1; }
  /// The name of the function that this process runs.
  StringRef getFunction() const { return functions[number]; }

  /// Receives what the stage before hands on, for the arguments that take it.
  void receive(ArrayRef<ProgramArgument> arguments, const Chips &chips,
               std::vector<ArgumentValue> &values) const;
  /// Hands the results of this stage on, and returns those of the last one: to
  /// the first chip alone, or to all of them if there is a next step. On other
  /// chips there are none.
  std::vector<HostTensor> handOn(std::vector<HostTensor> results,
                                 const Chips &chips, bool toAll) const;

private:
  std::vector<std::string> functions; ///< of each stage
  SmallVector<Type> elements;         ///< of the results of the last stage
  int64_t number = 0;
  int64_t stride = 1; ///< from a chip to its peer in the next stage
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_STAGEPLACE_H
