//===- Dependences.cpp - What runs of ops wait for ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Program/Dependences.h"

using namespace mlir;
using namespace mlir::llm;

static void visitItems(ArrayRef<ProgramItem> items,
                       SmallVector<unsigned, 2> &enclosing, unsigned &next,
                       LoopsOfOps &loops) {
  for (const ProgramItem &item : items) {
    for (unsigned op : item.ops)
      loops[op] = enclosing;
    if (!item.isLoop())
      continue;
    enclosing.push_back(next++);
    visitItems(item.body, enclosing, next, loops);
    enclosing.pop_back();
  }
}

LoopsOfOps mlir::llm::findLoops(const Program &program) {
  LoopsOfOps loops(program.ops().size());
  SmallVector<unsigned, 2> enclosing;
  unsigned next = 0;
  visitItems(program.items(), enclosing, next, loops);
  return loops;
}

unsigned mlir::llm::countCommonLoops(ArrayRef<unsigned> a,
                                     ArrayRef<unsigned> b) {
  unsigned common = 0;
  while (common < std::min(a.size(), b.size()) && a[common] == b[common])
    ++common;
  return common;
}

static void addDependences(const Program &program, unsigned consumer,
                           const LoopsOfOps &loops,
                           std::vector<Dependence> &all) {
  const ProgramOp &op = program.ops()[consumer];
  size_t first = all.size();
  auto add = [&](unsigned producer, Dependence::Kind kind) {
    // A value from outside a loop may arrive both directly and through the
    // loop. Only another iteration is another run.
    bool isIterationBack =
        kind == Dependence::Kind::Previous &&
        countCommonLoops(loops[producer], loops[consumer]) > 0;
    bool isInLoop = !loops[consumer].empty();
    for (const Dependence &known : ArrayRef(all).drop_front(first))
      if (known.producer == producer && !isIterationBack &&
          !(known.kind == Dependence::Kind::Previous && isInLoop))
        return;
    all.push_back({producer, consumer, kind});
  };
  for (unsigned producer : op.dependences)
    add(producer, Dependence::Kind::Same);
  for (unsigned producer : op.carriedDependences)
    add(producer, Dependence::Kind::Previous);
  for (unsigned producer : op.initialDependences)
    add(producer, Dependence::Kind::First);
}

std::vector<Dependence> mlir::llm::findDependences(const Program &program,
                                                   const LoopsOfOps &loops) {
  std::vector<Dependence> all;
  for (unsigned op = 0; op < program.ops().size(); ++op)
    addDependences(program, op, loops, all);
  return all;
}
