//===- Sequences.h - The sequences that options describe --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_SEQUENCES_H
#define LLM_LIB_IMPORT_SEQUENCES_H

#include "llm/Import/ImportOptions.h"

namespace mlir::llm {

/// Sequences that become a `#llm.sequences` once all numbers are checked.
struct Sequences {
  int64_t batch = 1, seq = 1;
  std::vector<int64_t> kvLens;

  bool isOpen() const {
    return batch == openSize || seq == openSize ||
           llvm::is_contained(kvLens, openSize);
  }
};

/// Begins an error about an option, which has no place in a file.
InFlightDiagnostic emitOptionError(MLIRContext *context);
LogicalResult checkPositive(MLIRContext *context, StringRef option,
                            int64_t value);

/// Lists the sequences of the options in groups, each of which one op attends
/// for.
FailureOr<std::vector<Sequences>> groupSequences(const ModelConfig &model,
                                                 const ImportOptions &options);

/// Checks that all sizes of a program can be counted. Sizes that are open are
/// at least 1.
LogicalResult checkSizes(const ModelConfig &model, ArrayRef<Sequences> groups);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_SEQUENCES_H
