//===- SequenceGroups.h - Sequences that are alike --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Projections run once for the tokens of all sequences. Ops that depend on
// positions or on the cache are built for each group of sequences that are
// alike. Its rows are a slice of those of all.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_SEQUENCEGROUPS_H
#define LLM_LIB_IMPORT_SEQUENCEGROUPS_H

#include "LayerOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::llm {

/// Sequences that are alike, and their place among the tokens.
struct SequenceGroup {
  SequencesAttr sequences;
  int64_t firstRow = 0;
  std::string suffix; ///< of names; empty for the only group
  OpFoldResult batch, seq;
  /// The number of keys, and the position of the first new token, of all
  /// sequences or of each.
  SmallVector<OpFoldResult, 1> kvLens, firstPositions;

  bool isOnly() const { return suffix.empty(); }
};

/// Positions as attribute and operands of an op.
struct Positions {
  explicit Positions(ArrayRef<OpFoldResult> positions) {
    std::tie(numbers, values) = decomposeMixedValues(positions);
  }
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
};

/// The groups of the program.
SmallVector<SequenceGroup> groupsOf(OpsBuilder &b);

/// The rows of a group of x, which has a row for each token.
Value rowsOf(OpsBuilder &b, const SequenceGroup &group, Value x);

/// Takes the same rows as [batch, seq, heads, features of a head].
Value headsOf(OpsBuilder &b, const SequenceGroup &group, Value x,
              int64_t heads);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_SEQUENCEGROUPS_H
