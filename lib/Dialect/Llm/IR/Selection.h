//===- Selection.h - Attention over selected keys ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a selection, the loop t of attention is over the keys that a query may
// have selected, as many as there are slots for. A query sees as many of them
// as it would see of the first keys: one at position p sees min(p + 1, slots).
// So the counts of Visibility hold as they are.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_SELECTION_H
#define LLM_LIB_DIALECT_LLM_IR_SELECTION_H

#include "OpChecks.h"

namespace mlir::llm {

/// The name of the buffer of a selection, in the workload of an op that reads
/// one.
inline constexpr llvm::StringLiteral selectionName = "selected";
/// The loop over slots, if it is not the loop over keys.
inline constexpr llvm::StringLiteral slotsLoop = "k";
/// The number of sweeps over 32-bit scores that find the best ones. This is a
/// radix select with a digit of 8 bits in each sweep.
inline constexpr int64_t selectionPasses = 4;

/// Checks that `selected` is what attention reads, and that `block` stands
/// beside it.
LogicalResult verifySelection(std::optional<Location> loc, StringRef opName,
                              Value selected, std::optional<int64_t> block,
                              RankedTensorType query, int64_t kvHeads,
                              MaskAttr mask);

/// Returns how many keys a query has selected at most.
int64_t countSelectedKeys(Value selected, int64_t block, int64_t keys);
/// Turns the buffer [batch, keys, ..] into [batch, queries, keys, ..], because
/// each query reads its own keys.
void gatherSelected(Workload &workload, StringRef name, Value selected);
/// Adds the loop over slots if these are slots of blocks: all of them are read
/// for a tile of queries. Must be called before the first buffer is added.
void addSlotsLoop(Workload &workload, Value selected, int64_t block);
/// Adds the buffer of the selection.
void addSelection(Workload &workload, Value selected);

/// Adds what becomes of scores up to their sum, per visible pair and per row.
void addSoftmaxStages(Workload &workload, ArrayRef<StringRef> pairs,
                      ArrayRef<StringRef> rows, bool hasSoftCap, bool hasSinks);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_SELECTION_H
