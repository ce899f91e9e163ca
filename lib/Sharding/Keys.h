//===- Keys.h - Keys that lie on different chips ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chips that have the same heads of a cache may share its positions. Of n
// chips, the chip of rank r has the positions r, r + n, r + 2 n, .., so that
// all have as many whatever the length of a sequence is. Attention then has
// partial results, which are joined (`JoinableOpInterface`).
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_KEYS_H
#define LLM_LIB_SHARDING_KEYS_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Cut.h"
#include "llm/Sharding/Summands.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::llm {

/// The entry of `llm.shard` of a write that says which chips share positions.
/// It stands where a loop would.
constexpr StringLiteral positionsEntry = "positions";

/// The dimension of positions, of a cache and of what a read shows of it.
constexpr unsigned positionsDim = 1;

/// The axes by which each of n chips has one of each n neighbours.
Axes inTurns(ArrayRef<StringAttr> names, int64_t size, GridAttr grid);

/// Says why so many chips cannot share the positions of a cache, as a sentence
/// without a subject. Empty if they can.
std::string explainUnshared(KvCacheType type, int64_t chips);

/// The axes along which the positions of a write are shared; none if it has all
/// of them.
Axes axesOfPositions(Operation *op, GridAttr grid);

/// Whether the results of the op over parts of this loop can be joined.
bool isJoined(Operation *op, StringRef loop);

/// Finds the writes whose positions chips along `axes` can share: all that
/// reads their caches attends to all keys that it reads, or reads what was
/// written just before. Says of the caches for which that is not possible why.
DenseSet<Operation *> findSharedWrites(FunctionOpInterface function,
                                       GridAttr grid,
                                       ArrayRef<StringAttr> axes);

/// If a read shows just what the write before it wrote, and chips share
/// positions there, returns that value, which all chips have; otherwise null.
Value findWritten(OpResult read, GridAttr grid);

/// Has the users of such values read them where they are, and not from the
/// cache.
void readWhatIsWritten(FunctionOpInterface function, GridAttr grid);

/// Attaches the interface to attention of the llm dialect.
void registerJoinables(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_KEYS_H
