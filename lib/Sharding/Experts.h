//===- Experts.h - Experts that lie on different chips ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows go from tokens to experts and back. Which row belongs to which expert is
// known only when the program runs, so that the cut over experts is no interval
// of a loop. It is one of everything between two ops: the one that makes rows
// of tokens, and the one that makes tokens of rows.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_EXPERTS_H
#define LLM_LIB_SHARDING_EXPERTS_H

#include "llm/Sharding/Cut.h"
#include "llm/Sharding/ExpertRoom.h"
#include "llm/Sharding/Summands.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::llm {

/// The entry of `llm.shard` that says which chips share experts. It stands
/// where a loop would.
constexpr StringLiteral expertsEntry = "experts";

/// Whether an op makes rows of tokens.
bool beginsExperts(Operation *op);

/// What works on the rows of experts.
struct ExpertRegion {
  ExpertsOpInterface begin;
  /// The ops with the interface, `begin` first, and all ops that have rows.
  /// Both are in program order.
  SmallVector<ExpertsOpInterface> experts;
  SmallVector<Operation *> ops;
  /// Of each expert.
  ArrayRef<int64_t> rows;
};

/// Finds out what works on the rows that an op makes. Fails, with a diagnostic,
/// if chips along the axes cannot share the experts: something there needs rows
/// of all of them.
FailureOr<ExpertRegion> findExpertRegion(ExpertsOpInterface begin,
                                         const Axes &axes, GridAttr grid);
/// Fails, with a diagnostic, if the chips do not divide the experts.
LogicalResult checkExpertsDivide(const ExpertRegion &region, const Axes &axes,
                                 GridAttr grid);

/// Finds the same in the program of one chip, whose experts are its own.
FailureOr<ExpertRegion> findRegionOfChip(ExpertsOpInterface begin,
                                         GridAttr grid);

/// Gives each op of a region so many rows, of its own experts along `axes`.
LogicalResult setRows(const ExpertRegion &region, ArrayAttr axes,
                      ArrayRef<int64_t> rowsOfExperts);

/// As many rows as any routing can send to `experts` of a chip, shared evenly,
/// if the tokens have these choices.
SmallVector<int64_t> rowsAtMost(int64_t experts, RankedTensorType choices);

/// Gives a chip its piece of a value that all uses may take pieces of.
using TakePiece =
    function_ref<FailureOr<Value>(Operation *, Value, const Cut &)>;

/// Has each chip work on the rows of its own experts, as `llm.shard` says, and
/// takes these entries away.
LogicalResult partitionExperts(FunctionOpInterface function, GridAttr grid,
                               ExpertRoom room, TakePiece takePiece);

/// Attaches the interface to the ops of the llm dialect.
void registerExperts(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_EXPERTS_H
