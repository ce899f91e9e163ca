//===- StagePlace.h - The stage that a process runs -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program in stages has a function of each. Chips of a stage run it on what
// their peers in the stage before hand on, and the last ones have the results.
// Chips may have several stages, which they run in rounds.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_STAGEPLACE_H
#define LLM_TOOLS_LLM_RUN_STAGEPLACE_H

#include "Chips.h"
#include "llm/Execution/Executable.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::llm {

/// The place of a process in a pipeline. A program that has no stages is one.
class StagePlace {
public:
  /// Fails if the program lacks the function of a stage, or its chips do not
  /// share the stages equally.
  static FailureOr<StagePlace> find(ModuleOp module, const Chips &chips);

  /// Whether there are several stages.
  bool isSplit() const { return functions.size() > 1; }
  int64_t countRounds() const { return rounds; }
  int64_t countStages() const { return countPlaces() * rounds; }
  /// The first of the chips that run a stage, and how many there are.
  std::pair<int64_t, int64_t> chipsOf(int64_t stage) const {
    return {stage % countPlaces() * stride, stride};
  }
  /// The stages that run in a round.
  auto stagesOf(int64_t round) const {
    return ::llvm::seq(round * countPlaces(), (round + 1) * countPlaces());
  }
  /// The name of the function of a stage.
  StringRef getFunctionOf(int64_t stage) const {
    return functions[static_cast<size_t>(stage)];
  }
  /// The name of the function that this process runs in a round.
  StringRef getFunction(int64_t round) const {
    return getFunctionOf(stageIn(round));
  }

  /// Receives what the stage before hands on, for the arguments that take it.
  void receive(ArrayRef<ProgramArgument> arguments, const Chips &chips,
               std::vector<ArgumentValue> &values) const;
  /// Hands the results of this process's stage in the round on. Returns those of
  /// the last stage, in the last round: to the first chip alone, or to all of
  /// them if there is a next step. Otherwise there are none.
  std::vector<HostTensor> handOn(std::vector<HostTensor> results, int64_t round,
                                 const Chips &chips, bool toAll) const;

private:
  int64_t countPlaces() const {
    return static_cast<int64_t>(functions.size()) / rounds;
  }
  int64_t stageIn(int64_t round) const { return round * countPlaces() + place; }
  /// The chip's peer so many places further on, around the ring of places.
  int64_t findPeer(const Chips &chips, int64_t places) const;

  std::vector<std::string> functions; ///< of each stage
  SmallVector<Type> elements;         ///< of the results of the last stage
  int64_t rounds = 1;
  int64_t place = 0;
  int64_t stride = 1; ///< from a chip to its peer in the next place
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_STAGEPLACE_H
