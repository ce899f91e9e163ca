//===- LoopCuts.h - Which loops of an op chips may share --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_LOOPCUTS_H
#define LLM_LIB_SHARDING_LOOPCUTS_H

#include "llm/Sharding/Cut.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::llm {

/// The axes that cut each loop of an op.
using LoopCuts = SmallVector<Axes>;

/// Whether some loop is cut.
inline bool isCut(ArrayRef<Axes> loops) {
  return llvm::any_of(loops, [](const Axes &axes) { return !axes.empty(); });
}

/// Calls `visit` on the ops of a function in program order, and on a loop
/// behind the ops of its body, before which `enter` is called. It stops after a
/// failure. Ops that `visit` adds are not visited.
LogicalResult forEachOp(FunctionOpInterface function,
                        function_ref<LogicalResult(Operation *)> visit,
                        function_ref<void(LoopLikeOpInterface)> enter);

/// What a cut says of some of the axes of the grid, and of all others.
Cut restrictTo(const Cut &cut, ArrayRef<StringAttr> axes);
Cut restrictToOthers(const Cut &cut, ArrayRef<StringAttr> axes);

/// The arguments of a function that have a row for each sequence, or for each
/// token, and their cuts over the axes that share sequences. Empty if there are
/// no such axes. Fails, with a diagnostic, if sequences cannot be shared.
FailureOr<DenseMap<Value, Cut>> findBatchCuts(FunctionOpInterface function,
                                              GridAttr grid,
                                              ArrayRef<StringAttr> axes);

/// Returns the loop that counts along this dimension of all results, if there
/// is one.
std::optional<unsigned> findLoopOfDim(Operation *op, const Workload &workload,
                                      int64_t dim);
inline std::optional<unsigned> findRowLoop(Operation *op,
                                           const Workload &workload) {
  return findLoopOfDim(op, workload, 0);
}

/// Cuts the loop that counts the rows of all results of an op over these axes,
/// within the chips that share sequences. Nothing if chips cannot share it.
std::optional<LoopCuts> cutRows(Operation *op, const Workload &workload,
                                ArrayRef<StringAttr> axes,
                                const LoopCuts &ofSequences, GridAttr grid);

/// How a value that a loop carries is cut if chips share the rows of tokens,
/// each within its sequences. Nothing if it has no row for each token, or if
/// they do not divide these.
std::optional<Cut> rowsOfCarried(FunctionOpInterface function, Value carried,
                                 const Cut &bySequences, GridAttr grid,
                                 ArrayRef<StringAttr> axes);

/// Whether a value only shows weights, or caches and states as they are when
/// the program starts. Each use may take its own piece of such a value.
bool isFree(Value value);

/// How many neighbours along a dimension share a scale; 0: all of them.
int64_t granuleOf(Type elementType, size_t dimFromLast);

/// Whether a loop counts the columns of weights: it is one of the results, and
/// no other operand has it.
bool isLoopOfColumns(Operation *op, const Workload &workload, unsigned loop);

/// Whether a chip needs all iterations of a loop, because a value is carried
/// along it. It does not where that value is the scale of what is written along
/// it. A chip then finds the scales of its own piece.
bool needsAll(const Workload &workload, unsigned loop);

/// Says why chips cannot share the iterations of a loop, as a sentence without
/// a subject. Empty if they can.
std::string explainUncut(Operation *op, const Workload &workload,
                         unsigned loop);

/// A loop that chips cannot share, and why.
struct UncutLoop {
  unsigned loop;
  std::string why;
};

/// Finds a loop whose iterations differ in what the op has as attributes, such
/// as positions: all chips run one program. Nothing if there is none among
/// those that are cut.
std::optional<UncutLoop> findUnequalPieces(Operation *op,
                                           const Workload &workload,
                                           ArrayRef<Axes> loops, GridAttr grid);

/// Reads `llm.shard` of an op: no cuts where it has none, and none over axes of
/// one chip. Reports loops and axes that are not there, sizes that chips do not
/// divide, and loops that they cannot share.
FailureOr<LoopCuts> readShard(Operation *op, const Workload &workload,
                              GridAttr grid);

/// How the operands and results of an op must be cut, and are, if chips share
/// its loops.
struct OpCuts {
  SmallVector<Cut> operands, results;

  /// Nothing is cut.
  static OpCuts whole(Operation *op);
};

/// Returns nothing, with a reason, where a piece of an operand or a result is
/// no interval of it.
std::optional<OpCuts> cutsOf(Operation *op, const Workload &workload,
                             ArrayRef<Axes> loops, GridAttr grid,
                             std::string &reason);

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_LOOPCUTS_H
