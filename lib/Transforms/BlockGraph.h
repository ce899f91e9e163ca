//===- BlockGraph.h - What the ops of a block wait for ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_BLOCKGRAPH_H
#define LLM_LIB_TRANSFORMS_BLOCKGRAPH_H

#include "llm/Workload/ValuesRead.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace mlir::llm {

/// Whether the op shows values, takes no time, and can stand anywhere between
/// these values and their users.
bool isView(Operation *op);

/// The ops of a block in the order of the program, and which of them must end
/// before others start. The reasons are values, also through views, and effects
/// on memory, which keep their order.
class BlockGraph {
public:
  struct Node {
    Operation *op;
    /// The ops of the block that need a value of this one, and the views
    /// through which they see it.
    llvm::SmallSetVector<Operation *, 4> users, views;
    /// The ops of the block whose values this one needs, without views.
    SmallVector<Operation *, 4> sources;
    /// The next op with an effect, if this one has an effect.
    Operation *nextEffect = nullptr;
  };

  explicit BlockGraph(Block &block);

  /// The ops, in the order of the program.
  ArrayRef<Node> nodes() const { return allNodes; }
  unsigned positionOf(Operation *op) const { return positions.at(op); }
  const Node &at(Operation *op) const { return allNodes[positionOf(op)]; }
  void sort(SmallVectorImpl<Operation *> &ops) const;

  /// Whether an op outside of `ops`, also of another block, needs the value.
  bool isNeededOutside(Value value,
                       const llvm::SetVector<Operation *> &ops) const;
  /// The views through which some of the ops see values of others.
  SmallVector<Operation *>
  findViewsInside(const llvm::SetVector<Operation *> &ops) const;

  /// Puts `with` in the place of `op`, which is about to be erased.
  void replace(Operation *op, Operation *with);
  /// Puts the ops of the block in an order in which each comes behind what it
  /// needs. Only ops that stand before something they need move, to right
  /// behind it. Effects keep the order of the program.
  void restoreOrder();

private:
  void addUsers(Node &node);

  Block &block;
  std::vector<Node> allNodes;
  DenseMap<Operation *, unsigned> positions;
  SmallVector<Operation *> effects; ///< in the order of the program
  DenseMap<Operation *, Operation *> replacements;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_BLOCKGRAPH_H
