//===- Sight.h - Which keys a query sees ------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_SIGHT_H
#define LLM_LIB_CONVERSION_SIGHT_H

#include "Lowerings.h"

namespace mlir::llm {

/// Tells, in bodies, which keys a query sees.
class Sight {
public:
  /// `queries` and `keys` are their numbers.
  Sight(LinalgLowering &lowering, MaskAttr mask, Value queries, Value keys);

  /// Whether every query sees every key.
  bool isFull() const {
    return mask.getKind() == MaskKind::Full && mask.getLengths().empty();
  }
  /// Whether the query of the sequence sees the key. All three are numbers.
  Value sees(OpBuilder &b, Value sequence, Value query, Value key) const;
  /// The last key that the query sees; below 0 where it sees none.
  Value lastSeen(OpBuilder &b, Value sequence, Value query) const;

private:
  Value add(OpBuilder &b, Value x, Value y) const;
  Value subtract(OpBuilder &b, Value x, Value y) const;
  Value both(OpBuilder &b, Value x, Value y) const;
  Value compare(OpBuilder &b, arith::CmpIPredicate predicate, Value x,
                Value y) const;
  Value lengthOf(OpBuilder &b, Value sequence) const;
  /// The number of a sequence: one for all, one for each, or `otherwise` if
  /// there is none.
  Value numberOf(OpBuilder &b, ArrayRef<int64_t> numbers, Value all,
                 Value sequence, Value otherwise) const;

  LinalgLowering &lowering;
  MaskAttr mask;
  Value queries, keys, lengths, firstKeys;
};

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_SIGHT_H
