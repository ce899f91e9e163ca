//===- SourcesToArguments.cpp - Weights and caches as arguments -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourcesToArguments.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The name with the indices in it; failure where one is not known.
FailureOr<std::string> spellName(StringRef name, ValueRange indices) {
  std::string spelled;
  for (Value index : indices) {
    auto [before, after] = name.split("{}");
    std::optional<int64_t> number = getConstantIntValue(index);
    if (!number)
      return failure();
    spelled += before.str() + std::to_string(*number);
    name = after;
  }
  return spelled + name.str();
}

template <typename Op>
FailureOr<std::string> nameOf(Op op) {
  return spellName(op.getName(), op.getIndices());
}

bool hasOpenName(Operation *op) {
  if (auto weight = dyn_cast<WeightOp>(op))
    return failed(nameOf(weight));
  if (auto cache = dyn_cast<KvCacheOp>(op))
    return failed(nameOf(cache));
  return false;
}

/// The innermost loop around a name that is not known yet.
scf::ForOp findLoopOfName(func::FuncOp function) {
  scf::ForOp loop;
  function.walk([&](Operation *op) {
    if (!hasOpenName(op))
      return WalkResult::advance();
    loop = op->getParentOfType<scf::ForOp>();
    return loop ? WalkResult::interrupt() : WalkResult::advance();
  });
  return loop;
}

LogicalResult unrollLoopsOfNames(func::FuncOp function) {
  while (scf::ForOp loop = findLoopOfName(function)) {
    if (failed(loopUnrollFull(loop)))
      return loop.emitOpError("names weights or caches by its index, and "
                              "cannot be unrolled: expected constant bounds");
    // Folds the indices in names.
    if (failed(applyPatternsGreedily(function, FrozenRewritePatternSet())))
      return failure();
  }
  return success();
}

/// The newest state of each cache at the end of the function, by the cache
/// that it began with.
class LastStates {
public:
  explicit LastStates(func::FuncOp function) : entry(function.front()) {
    visit(entry);
  }

  /// Fails where the newest state stays inside a loop or a kernel.
  FailureOr<Value> get(KvCacheOp cache) const {
    auto it = last.find(cache.getResult());
    if (it == last.end())
      return cache.getResult();
    Operation *writer = it->second.getDefiningOp();
    if (writer->getBlock() != &entry)
      return writer->emitOpError(
          "gives the last state of a cache, which does not leave the loop or "
          "kernel around it; expected a result of that with this state");
    return it->second;
  }

private:
  void visit(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  void visit(Operation *op) {
    if (auto write = dyn_cast<KvWriteOp>(op)) {
      advance(Value(write.getCache()), Value(write.getResult()));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visit(*loop.getBody());
      advance(loop.getInits(), loop.getResults());
    } else if (auto kernel = dyn_cast<FusedOp>(op)) {
      Block &body = kernel.getBody().front();
      visit(body);
      advance(body.getTerminator()->getOperands(), kernel.getResults());
    }
  }

  void advance(ValueRange from, ValueRange to) {
    for (auto [state, next] : llvm::zip(from, to)) {
      if (!isa<KvCacheType>(next.getType()))
        continue;
      auto it = roots.find(state);
      Value root = it == roots.end() ? state : it->second;
      roots[next] = root;
      last[root] = next;
    }
  }

  Block &entry;
  DenseMap<Value, Value> roots, last;
};

class Arguments {
public:
  Arguments(func::FuncOp function, const TypeConverter &converter)
      : function(function), converter(converter), builder(function) {}

  LogicalResult addSizes() {
    llvm::MapVector<StringRef, SmallVector<SizeOp>> sizes;
    function.walk([&](SizeOp op) { sizes[op.getName()].push_back(op); });
    for (auto &[name, ops] : sizes) {
      Value argument = addArgument(builder.getIndexType(), "llm.size", name);
      for (SizeOp op : ops) {
        op.getResult().replaceAllUsesWith(argument);
        op.erase();
      }
    }
    return success();
  }

  /// Of ops outside of loops: in one, each iteration would get the same ones.
  void addRandomNumbers() {
    for (SampleOp op : function.getOps<SampleOp>()) {
      if (op.getSampling() != Sampling::Categorical || op.getRandom())
        continue;
      auto type = RankedTensorType::get(op.getLogits().getType().getDimSize(0),
                                        builder.getF32Type());
      StringRef name = op.getName().value_or("");
      Value argument =
          addArgument(type, "llm.random", name.empty() ? "sample" : name);
      op.getRandomMutable().assign(argument);
    }
  }

  LogicalResult addWeights() {
    llvm::MapVector<StringAttr, SmallVector<WeightOp>> weights;
    WalkResult known = function.walk([&](WeightOp op) {
      FailureOr<std::string> name = nameOf(op);
      if (failed(name)) {
        op.emitOpError("has an index that is not known; expected a constant, "
                       "or the index of a loop with constant bounds");
        return WalkResult::interrupt();
      }
      SmallVector<WeightOp> &same = weights[builder.getStringAttr(*name)];
      if (!same.empty() && same.front().getType() != op.getType()) {
        op.emitOpError() << "shows '" << *name << "' as " << op.getType()
                         << "; expected " << same.front().getType()
                         << ", as before";
        return WalkResult::interrupt();
      }
      same.push_back(op);
      return WalkResult::advance();
    });
    if (known.wasInterrupted())
      return failure();
    for (auto &[name, ops] : weights) {
      Value weight = addSource(ops.front().getType(), name, ".scales");
      for (WeightOp op : ops) {
        op.getResult().replaceAllUsesWith(weight);
        op.erase();
      }
    }
    return success();
  }

  LogicalResult addCaches() {
    SmallVector<KvCacheOp> caches;
    function.walk([&](KvCacheOp op) { caches.push_back(op); });
    LastStates states(function);
    auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    llvm::StringSet<> names;
    for (KvCacheOp cache : caches) {
      FailureOr<std::string> name = nameOf(cache);
      if (failed(name))
        return cache.emitOpError(
            "has an index that is not known; expected a constant, or the index "
            "of a loop with constant bounds");
      if (!names.insert(*name).second)
        return cache.emitOpError() << "shows '" << *name
                                   << "' once more; expected one op for each "
                                      "cache (--cse joins equal ones)";
      FailureOr<Value> newest = states.get(cache);
      if (failed(newest))
        return failure();
      Value last = *newest;
      builder.setInsertionPoint(end);
      SmallVector<Type> types;
      if (failed(converter.convertType(last.getType(), types)))
        return failure();
      auto parts = UnrealizedConversionCastOp::create(builder, cache.getLoc(),
                                                      types, last);
      for (auto [i, part] : llvm::enumerate(parts.getResults()))
        addResult(end, part, getPartName(cache.getType(), *name, i));
      builder.setInsertionPointToStart(&function.getBody().front());
      SmallVector<Value> initial;
      for (auto [i, type] : llvm::enumerate(types))
        initial.push_back(addArgument(type, "llm.cache",
                                      getPartName(cache.getType(), *name, i)));
      auto joined = UnrealizedConversionCastOp::create(
          builder, cache.getLoc(), cache.getType(), initial);
      cache.getResult().replaceAllUsesWith(joined.getResult(0));
      cache.erase();
    }
    return success();
  }

private:
  /// Parts are those of the keys (values, scales of each layer), then those of
  /// the values.
  static std::string getPartName(KvCacheType type, StringRef name,
                                 size_t part) {
    size_t count = countParts(type.getElementType());
    std::string all = type.getIsLatent()  ? ".latents"
                      : part / count == 0 ? ".keys"
                                          : ".values";
    if (size_t layer = part % count)
      all += ".scales" + std::to_string(layer - 1);
    return name.str() + all;
  }

  Value addArgument(Type type, StringRef kind, StringRef name) {
    unsigned index = function.getNumArguments();
    auto attribute = builder.getNamedAttr(kind, builder.getStringAttr(name));
    (void)function.insertArgument(
        index, type, builder.getDictionaryAttr(attribute), function.getLoc());
    return function.getArgument(index);
  }

  /// The first part has the name itself, the others a suffix and a number.
  Value addSource(Type type, StringRef name, StringRef suffix) {
    SmallVector<Type> types;
    (void)converter.convertType(type, types);
    SmallVector<Value> parts;
    for (auto [i, part] : llvm::enumerate(types))
      parts.push_back(
          addArgument(part, "llm.source",
                      i ? (name + suffix + Twine(i - 1)).str() : name.str()));
    if (parts.size() == 1 && parts.front().getType() == type)
      return parts.front();
    // Ops at the start are erased as they become arguments.
    builder.setInsertionPointToStart(&function.getBody().front());
    return UnrealizedConversionCastOp::create(builder, function.getLoc(), type,
                                              parts)
        .getResult(0);
  }

  void addResult(func::ReturnOp end, Value value, StringRef name) {
    unsigned index = function.getNumResults();
    auto attribute =
        builder.getNamedAttr("llm.cache", builder.getStringAttr(name));
    (void)function.insertResult(index, value.getType(),
                                builder.getDictionaryAttr(attribute));
    end.getOperandsMutable().append(value);
  }

  func::FuncOp function;
  const TypeConverter &converter;
  OpBuilder builder;
};

} // namespace

LogicalResult llm::makeSourcesArguments(func::FuncOp function,
                                        const TypeConverter &converter) {
  if (function.isExternal())
    return success();
  if (failed(unrollLoopsOfNames(function)))
    return failure();
  Arguments arguments(function, converter);
  arguments.addRandomNumbers();
  return success(succeeded(arguments.addSizes()) &&
                 succeeded(arguments.addWeights()) &&
                 succeeded(arguments.addCaches()));
}
