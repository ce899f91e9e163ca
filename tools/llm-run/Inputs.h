//===- Inputs.h - What a program is run on ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_INPUTS_H
#define LLM_TOOLS_LLM_RUN_INPUTS_H

#include "Pieces.h"
#include "llm/Execution/Executable.h"
#include "llm/Execution/WeightFiles.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

struct InputOptions {
  std::vector<std::string> files; ///< of arguments, in order
  std::string tokens;             ///< "1,2,3"
  std::string promptFile;         ///< a file with tokens instead; may be empty
  std::vector<std::string> sizes; ///< "kv_len=8"
  std::string weights;            ///< path; empty: made at random
  bool copiesWeights;             ///< if not, those of a file stay mapped
  uint64_t seed;
  uint64_t samplingSeed; ///< of the numbers that draw tokens
  int64_t steps;
};

/// Facts about a program that inputs need, and that lowering removes.
struct ModelFacts {
  /// The number of tokens in the table, if one is looked up.
  std::optional<int64_t> vocabulary;
  /// The place of an op that rotates queries or keys. `isInterleaved` tells
  /// whether it rotates interleaved pairs.
  std::optional<Location> rope;
  bool isInterleaved = false;
  std::string family; ///< what it was imported from, or empty
  bool hasOpenSizes = false;
  /// The number of tokens in the table in which the numbers of an argument, by
  /// its index, are looked up.
  llvm::DenseMap<unsigned, int64_t> vocabularyOf;
};

inline bool isCache(const ProgramArgument &argument) {
  return argument.kind == ProgramArgument::Kind::Cache;
}

/// Whether a tensor of these sizes can stand for one of the type.
bool fits(ArrayRef<int64_t> shape, RankedTensorType type);

ModelFacts findFacts(FunctionOpInterface function);

/// Fails if the machine has no room for all weights that are not mapped from a
/// file. It asks before the program is compiled, which takes long for a large
/// one.
LogicalResult checkRoomForWeights(FunctionOpInterface function,
                                  const InputOptions &options);

/// The values of all arguments of a program, from run to run.
class Inputs {
public:
  /// `asRead` is the program before it was compiled. It may be null if the
  /// program has no open sizes.
  Inputs(const Executable &executable, FunctionOpInterface asRead,
         InputOptions options, ModelFacts facts, Pieces pieces, Location loc)
      : executable(executable), asRead(asRead), options(std::move(options)),
        facts(std::move(facts)), pieces(pieces), loc(loc) {}

  /// Prepares the first run. It is an error if a size is not given, a file has
  /// another shape, or a weight is missing.
  LogicalResult prepare();
  /// Prepares the run behind one of the executable that gave these results. The
  /// tokens are the first of those of the program.
  LogicalResult advance(ArrayRef<HostTensor> results,
                        ArrayRef<HostTensor> ofProgram);

  ArrayRef<ArgumentValue> getValues() const { return values; }
  /// To put what a stage of a pipeline receives into its place.
  std::vector<ArgumentValue> &getValues() { return values; }
  /// Returns the sizes that the program leaves open.
  llvm::StringMap<int64_t> getOpenSizes() const;
  /// The weights by name, without caches.
  const std::map<std::string, HostTensor> &getWeights() const {
    return weights;
  }
  /// Describes the first element of a weight or an input that is infinite or
  /// NaN; nothing if all are numbers.
  std::string describeNonFinite() const;
  /// Whether rows of weights are for a rotary embedding in interleaved pairs.
  /// Nothing if the program does not rotate.
  std::optional<bool> hasInterleavedRows() const {
    return facts.rope ? std::optional(facts.isInterleaved) : std::nullopt;
  }

private:
  LogicalResult readSizes();
  /// Gives arguments of which the program says no sizes those of what is given.
  void closeArguments(FunctionOpInterface function) const;
  /// Checks that the program is right with the open sizes of this run, and
  /// keeps the types that its arguments have then.
  LogicalResult bindOpenSizes();
  /// The type that an argument of the function has with these sizes.
  RankedTensorType getInputType(const ProgramArgument &argument,
                                unsigned number) const;
  std::string describeTaken(RankedTensorType type) const;
  /// Fails if the program leaves open no size of that name.
  LogicalResult checkIsOpen(StringRef name) const;
  LogicalResult readTokens();
  FailureOr<HostTensor> makeInput(const ProgramArgument &argument,
                                  unsigned number);
  RandomRange chooseRange(const ProgramArgument &argument,
                          RankedTensorType type) const;
  /// Fails if there cannot be room for it beside what was reserved before.
  LogicalResult reserve(StringRef what, RankedTensorType type);
  /// Reserves everything before anything is made, so that the system never has
  /// to end the process.
  LogicalResult reserveAll();
  /// Whether an argument of the function is a file's, or the prompt.
  bool isGiven(RankedTensorType type, unsigned number) const;
  /// Fails if there cannot be room for what a run allocates beside that.
  LogicalResult checkRoomBetweenOps() const;
  FailureOr<HostTensor> makeTokens(RankedTensorType type);
  LogicalResult readFiles();
  FailureOr<HostTensor> convertInput(RankedTensorType type,
                                     unsigned number) const;
  /// Fails if a number is none of the type, or no token of the table in which
  /// it is looked up.
  LogicalResult checkWhole(const HostTensor &given, const HostTensor &converted,
                           unsigned number) const;
  FailureOr<HostTensor> makeSource(const ProgramArgument &argument);
  /// Draws numbers in [0, 1), which are others in each step.
  HostTensor drawNumbers(const ProgramArgument &argument);
  FailureOr<std::optional<HostTensor>>
  readCacheScale(const ProgramArgument &argument, RankedTensorType type) const;
  LogicalResult openWeights();
  FailureOr<HostTensor> readWeight(const ProgramArgument &argument);
  /// The type with its open sizes closed.
  FailureOr<RankedTensorType> close(RankedTensorType type,
                                    const ProgramArgument &argument);

  const Executable &executable;
  FunctionOpInterface asRead;
  InputOptions options;
  ModelFacts facts;
  Pieces pieces;
  Location loc;
  std::vector<int64_t> tokens;
  std::vector<HostTensor> given; ///< of files, until they are values
  int64_t reservedBytes = 0;
  int64_t step = 0; ///< from 0
  llvm::StringMap<int64_t> sizes;
  std::vector<std::string> knownSizes; ///< of the first run, as "seq=3"
  SmallVector<Type> boundTypes;        ///< of the function's arguments
  std::unique_ptr<WeightFiles> files;
  std::map<std::string, HostTensor> weights;
  std::vector<ArgumentValue> values;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_INPUTS_H
