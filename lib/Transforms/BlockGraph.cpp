//===- BlockGraph.cpp - What the ops of a block wait for ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "llm/Workload/Workload.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;
using namespace mlir::llm;

bool mlir::llm::isView(Operation *op) {
  return isa<TransparentOpInterface>(op) && isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// Who waits for whom
//===----------------------------------------------------------------------===//

BlockGraph::BlockGraph(Block &block) : block(block) {
  for (Operation &op : block) {
    positions[&op] = allNodes.size();
    allNodes.emplace_back().op = &op;
  }
  for (Node &node : allNodes) {
    if (!isView(node.op))
      addUsers(node);
    if (isMemoryEffectFree(node.op))
      continue;
    if (!effects.empty())
      allNodes[positionOf(effects.back())].nextEffect = node.op;
    effects.push_back(node.op);
  }
}

void BlockGraph::addUsers(Node &node) {
  SmallVector<Value> pending(node.op->getResults());
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!inBlock)
        continue;
      if (!isView(inBlock)) {
        if (node.users.insert(inBlock))
          allNodes[positionOf(inBlock)].sources.push_back(node.op);
      } else if (node.views.insert(inBlock)) {
        llvm::append_range(pending, inBlock->getResults());
      }
    }
}

void BlockGraph::sort(SmallVectorImpl<Operation *> &ops) const {
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    return positionOf(a) < positionOf(b);
  });
}

bool BlockGraph::isNeededOutside(
    Value value, const llvm::SetVector<Operation *> &ops) const {
  SmallVector<Value> pending = {value};
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!inBlock || (!isView(inBlock) && !ops.contains(inBlock)))
        return true;
      if (isView(inBlock) && seen.insert(inBlock).second)
        llvm::append_range(pending, inBlock->getResults());
    }
  return false;
}

SmallVector<Operation *>
BlockGraph::findViewsInside(const llvm::SetVector<Operation *> &ops) const {
  llvm::SetVector<Operation *> behind;
  auto addViewsOf = [&](Operation *op) {
    for (Value read : valuesReadBy(op))
      if (Operation *view = read.getDefiningOp();
          view && view->getBlock() == &block && isView(view))
        behind.insert(view);
  };
  for (Operation *op : ops)
    addViewsOf(op);
  for (size_t next = 0; next < behind.size(); ++next)
    addViewsOf(behind[next]);

  SmallVector<Operation *> views(behind.begin(), behind.end()), inside;
  sort(views);
  llvm::SmallPtrSet<Operation *, 8> isInside;
  for (Operation *view : views)
    if (llvm::any_of(view->getOperands(), [&](Value shown) {
          Operation *op = shown.getDefiningOp();
          return op && (ops.contains(op) || isInside.contains(op));
        })) {
      isInside.insert(view);
      inside.push_back(view);
    }
  return inside;
}

//===----------------------------------------------------------------------===//
// The order of the block
//===----------------------------------------------------------------------===//

void BlockGraph::replace(Operation *op, Operation *with) {
  replacements[op] = with;
}

void BlockGraph::restoreOrder() {
  std::vector<Operation *> ops;
  DenseMap<Operation *, unsigned> places;
  for (Operation &op : block) {
    places[&op] = ops.size();
    ops.push_back(&op);
  }
  std::vector<SmallVector<unsigned, 2>> followers(ops.size());
  std::vector<unsigned> missing(ops.size());
  auto addEdge = [&](Operation *first, Operation *second) {
    followers[places.at(first)].push_back(places.at(second));
    ++missing[places.at(second)];
  };
  for (Operation *op : ops)
    for (Value read : valuesReadBy(op))
      if (Operation *source = read.getDefiningOp();
          source && source->getBlock() == &block)
        addEdge(source, op);
  Operation *previous = nullptr;
  for (Operation *effect : effects) {
    Operation *replacement = replacements.lookup(effect);
    Operation *now = replacement ? replacement : effect;
    if (previous && previous != now)
      addEdge(previous, now);
    previous = now;
  }

  // The first op that can follow is taken. An op that has to wait comes as soon
  // as what it waits for is there.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned place = 0; place < ops.size(); ++place)
    if (missing[place] == 0)
      ready.push(place);
  Block::iterator next = block.begin();
  while (!ready.empty()) {
    unsigned place = ready.top();
    ready.pop();
    if (&*next == ops[place])
      ++next;
    else
      ops[place]->moveBefore(&block, next);
    for (unsigned follower : followers[place])
      if (--missing[follower] == 0)
        ready.push(follower);
  }
}
