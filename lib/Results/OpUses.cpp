//===- OpUses.cpp - Which results arrive at which inputs ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpUses.h"
#include "llm/Results/OpShapes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

/// Results of ops that take time, and values that loops carry.
using Origins = ::llvm::SmallSetVector<Value, 2>;

namespace {
class UseFinder {
public:
  explicit UseFinder(const Program &program);
  /// Adds the uses at the inputs of one op.
  void addUses(unsigned consumer, ArrayRef<Dependence> dependences,
               std::vector<OpUse> &uses) const;

private:
  void visit(Block &block);
  void visitLoop(LoopLikeOpInterface loop);
  /// The origins of the results of an op that takes no time.
  Origins originsBehind(Operation *op) const;
  Origins originsOf(ValueRange values) const;

  const Program &program;
  DenseMap<Operation *, unsigned> indexOf;
  DenseMap<Value, Origins> origins;
  /// For each value that a loop carries, the value before the loop, and the one
  /// that its body yields.
  DenseMap<Value, std::pair<Value, Value>> carried;
};
} // namespace

UseFinder::UseFinder(const Program &program) : program(program) {
  for (auto [index, entry] : ::llvm::enumerate(program.ops()))
    indexOf[entry.op] = index;
  FunctionOpInterface function = program.function();
  visit(function.getFunctionBody().front());
}

Origins UseFinder::originsOf(ValueRange values) const {
  Origins all;
  for (Value value : values)
    if (auto known = origins.find(value); known != origins.end())
      all.insert_range(known->second);
  return all;
}

void UseFinder::visit(Block &block) {
  for (Operation &op : block) {
    bool takesTime = indexOf.contains(&op);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op); loop && !takesTime) {
      visitLoop(loop);
      continue;
    }
    Origins behind = takesTime ? Origins() : originsBehind(&op);
    for (Value result : op.getResults())
      if (takesTime)
        origins[result].insert(result);
      else
        origins[result] = behind;
  }
}

/// Visits a loop as `Program::analyze` accepts it: its body is one block, which
/// yields a value for each value that it carries.
void UseFinder::visitLoop(LoopLikeOpInterface loop) {
  MutableArrayRef<OpOperand> yielded;
  if (auto values = loop.getYieldedValuesMutable())
    yielded = *values;
  for (auto [at, argument] : ::llvm::enumerate(loop.getRegionIterArgs())) {
    origins[argument].insert(argument);
    carried[argument] = {loop.getInits()[at], yielded[at].get()};
  }
  visit(loop.getLoopRegions().front()->front());
  if (std::optional<ResultRange> results = loop.getLoopResults())
    for (auto [result, value] : ::llvm::zip_equal(*results, yielded))
      origins[result] = originsOf(value.get());
}

Origins UseFinder::originsBehind(Operation *op) const {
  if (auto source = dyn_cast<SourceOpInterface>(op))
    return originsOf(source.getDependences());
  if (auto view = dyn_cast<TransparentOpInterface>(op))
    return originsOf(view.getForwardedValues());
  return originsOf(op->getOperands());
}

/// Returns the kind of the dependence on a run. If there are two ways to wait
/// for it, the first kind counts.
static Dependence::Kind kindOf(unsigned producer, Dependence::Kind kind,
                               ArrayRef<Dependence> dependences) {
  std::optional<Dependence::Kind> first;
  for (const Dependence &each : dependences) {
    if (each.producer != producer)
      continue;
    if (each.kind == kind)
      return kind;
    first = first.value_or(each.kind);
  }
  return first.value_or(kind);
}

void UseFinder::addUses(unsigned consumer, ArrayRef<Dependence> dependences,
                        std::vector<OpUse> &uses) const {
  using Kind = Dependence::Kind;
  Operation *op = program.ops()[consumer].op;
  for (auto [input, value] : ::llvm::enumerate(inputsOf(op))) {
    ::llvm::SmallSetVector<std::pair<Value, Kind>, 4> left;
    ::llvm::SmallSetVector<std::pair<Value, Kind>, 4> found;
    auto add = [&](Value from, Kind kind) {
      for (Value origin : originsOf(from))
        left.insert({origin, kind});
    };
    add(value, Kind::Same);
    for (size_t next = 0; next < left.size(); ++next) {
      auto [origin, kind] = left[next];
      if (auto loop = carried.find(origin); loop != carried.end()) {
        add(loop->second.first, Kind::First);
        add(loop->second.second, Kind::Previous);
        continue;
      }
      unsigned producer = indexOf.at(origin.getDefiningOp());
      found.insert({origin, kindOf(producer, kind, dependences)});
    }
    for (auto [origin, kind] : found)
      uses.push_back({indexOf.at(origin.getDefiningOp()), consumer,
                      cast<OpResult>(origin).getResultNumber(),
                      static_cast<unsigned>(input), kind});
  }
}

std::vector<OpUse> mlir::llm::findUses(const Program &program,
                                       ArrayRef<Dependence> dependences) {
  UseFinder finder(program);
  std::vector<OpUse> uses;
  for (unsigned op = 0; op < program.ops().size(); ++op) {
    ArrayRef<Dependence> own = dependences.take_while(
        [&](const Dependence &each) { return each.consumer == op; });
    dependences = dependences.drop_front(own.size());
    finder.addUses(op, own, uses);
  }
  return uses;
}
