//===- Inputs.h - What a program is run on ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_INPUTS_H
#define LLM_TOOLS_LLM_RUN_INPUTS_H

#include "llm/Execution/Executable.h"
#include "llm/Execution/WeightFiles.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

struct InputOptions {
  std::vector<std::string> files; ///< of arguments, in order
  std::string tokens;             ///< "1,2,3"
  std::string promptFile;         ///< that has them instead; may be empty
  std::vector<std::string> sizes; ///< "kv_len=8"
  std::string weights;            ///< where they are; empty: made at random
  bool copiesWeights;             ///< else those of a file stay mapped
  uint64_t seed;
  uint64_t samplingSeed; ///< of the numbers by which tokens are drawn
  int64_t steps;
};

/// What inputs must know of a program, and lowering takes out of it.
struct ModelFacts {
  /// The number of tokens that there are, where they are looked up.
  std::optional<int64_t> vocabulary;
  /// An op that rotates queries or keys, and whether in interleaved pairs.
  std::optional<Location> rope;
  bool isInterleaved = false;
  std::string family; ///< in the words of what it was imported from, if it was
};

ModelFacts findFacts(FunctionOpInterface function);

/// The values of all arguments of a program, from run to run.
class Inputs {
public:
  Inputs(const Executable &executable, InputOptions options, ModelFacts facts,
         Location loc)
      : executable(executable), options(std::move(options)), facts(facts),
        loc(loc) {}

  /// For the first run. Errors: a size that nobody says, a file of another
  /// shape, a weight that is missing.
  LogicalResult prepare();
  /// For the run behind one that gave these results, tokens first.
  LogicalResult advance(ArrayRef<HostTensor> results);

  ArrayRef<ArgumentValue> getValues() const { return values; }
  /// What the sizes are that the program leaves open.
  llvm::StringMap<int64_t> getOpenSizes() const;
  /// By name, without caches.
  const std::map<std::string, HostTensor> &getWeights() const {
    return weights;
  }
  /// The first element of a weight or an input that is infinite or NaN, in
  /// words; nothing where all are numbers.
  std::string describeNonFinite() const;
  /// Whether their rows are for a rotary embedding in interleaved pairs;
  /// nothing where nothing is rotated.
  std::optional<bool> hasInterleavedRows() const {
    return facts.rope ? std::optional(facts.isInterleaved) : std::nullopt;
  }

private:
  LogicalResult readSizes();
  /// Fails if the program leaves open no size of that name.
  LogicalResult checkIsOpen(StringRef name) const;
  LogicalResult readTokens();
  FailureOr<HostTensor> makeInput(const ProgramArgument &argument,
                                  unsigned number);
  RandomRange chooseRange(const ProgramArgument &argument,
                          RankedTensorType type) const;
  /// Whether there can be room for it beside what is there already.
  LogicalResult reserve(StringRef what, RankedTensorType type);
  FailureOr<HostTensor> makeTokens(RankedTensorType type);
  FailureOr<HostTensor> makeSource(const ProgramArgument &argument);
  /// Numbers in [0, 1), other ones in each step.
  HostTensor drawNumbers(const ProgramArgument &argument);
  FailureOr<std::optional<HostTensor>>
  readCacheScale(const ProgramArgument &argument, RankedTensorType type) const;
  LogicalResult openWeights();
  FailureOr<HostTensor> readWeight(const ProgramArgument &argument);
  /// The type with its open sizes closed.
  FailureOr<RankedTensorType> close(RankedTensorType type,
                                    const ProgramArgument &argument);

  const Executable &executable;
  InputOptions options;
  ModelFacts facts;
  Location loc;
  std::vector<int64_t> tokens;
  int64_t reservedBytes = 0;
  int64_t step = 0; ///< from 0
  llvm::StringMap<int64_t> sizes;
  std::unique_ptr<WeightFiles> files;
  std::map<std::string, HostTensor> weights;
  std::vector<ArgumentValue> values;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_INPUTS_H
