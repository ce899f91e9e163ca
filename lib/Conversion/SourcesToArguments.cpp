//===- SourcesToArguments.cpp - Weights and caches as arguments -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourcesToArguments.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Returns the name with the indices in it. Fails if one is not known.
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

template <typename Op> FailureOr<std::string> nameOf(Op op) {
  return spellName(op.getName(), op.getIndices());
}

bool hasOpenName(Operation *op) {
  if (auto weight = dyn_cast<WeightOp>(op))
    return failed(nameOf(weight));
  if (auto cache = dyn_cast<KvCacheOp>(op))
    return failed(nameOf(cache));
  if (auto state = dyn_cast<StateOp>(op))
    return failed(nameOf(state));
  return false;
}

/// Finds the innermost loop around a name that is not known yet.
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
    // This folds the indices in names.
    if (failed(applyPatternsGreedily(function, FrozenRewritePatternSet())))
      return failure();
  }
  return success();
}

/// Returns which dimensions of a source one of the tensors has that stand for
/// it: its elements, or a layer of their scales.
SmallVector<ScaleDim> dimsOfPart(int64_t rank, Type element, unsigned part) {
  if (unsigned layer = part % countParts(element))
    return getScaleDims(cast<BlockScaledType>(element).getScales()[layer - 1],
                        rank);
  SmallVector<ScaleDim> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back({dim, 1});
  return dims;
}

/// Returns the sizes that a tensor of a weight has without the zeros behind
/// them. Null if there are none.
DenseI64ArrayAttr unpaddedOfPart(WeightOp weight, unsigned part) {
  auto sizes =
      weight->getAttrOfType<DenseI64ArrayAttr>(LlmDialect::unpaddedAttrName);
  if (!sizes)
    return nullptr;
  RankedTensorType type = weight.getType();
  SmallVector<int64_t> own;
  for (auto [dim, block] :
       dimsOfPart(type.getRank(), type.getElementType(), part))
    own.push_back(llvm::divideCeil(sizes[dim], block));
  return DenseI64ArrayAttr::get(weight.getContext(), own);
}

/// Returns which piece of a tensor a chip has, by the dimensions d0, d1, .. of
/// the tensor. It is one of those that stand for a source with `llm.piece`.
ShardAttr pieceOfPart(Operation *source, unsigned part) {
  auto piece = source->getAttrOfType<ShardAttr>(LlmDialect::pieceAttrName);
  if (!piece)
    return nullptr;
  MLIRContext *context = source->getContext();
  Type type = source->getResult(0).getType();
  auto cache = dyn_cast<KvCacheType>(type);
  auto state = dyn_cast<StateType>(type);
  auto tensor = dyn_cast<RankedTensorType>(state ? state.asTensor() : type);
  constexpr int64_t cacheRank = 4;
  int64_t rank = cache ? cacheRank : tensor.getRank();
  Type element = cache ? cache.getElementType() : tensor.getElementType();
  NamedAttrList entries;
  for (auto [n, each] : llvm::enumerate(dimsOfPart(rank, element, part))) {
    auto entry =
        piece.getLoops().getAs<ArrayAttr>(nameOfPieceDim(type, each.dim));
    if (!entry)
      continue;
    SmallVector<Attribute> own;
    for (Attribute attribute : entry) {
      if (auto segments = dyn_cast<DenseI64ArrayAttr>(attribute)) {
        SmallVector<int64_t> sizes(segments.asArrayRef());
        for (int64_t &size : sizes)
          size /= each.block; // cut-C3: whole blocks
        attribute = DenseI64ArrayAttr::get(context, sizes);
      }
      own.push_back(attribute);
    }
    entries.set("d" + std::to_string(n), ArrayAttr::get(context, own));
  }
  if (Attribute summand = piece.getLoops().get("summand"))
    entries.set("summand", summand);
  return ShardAttr::get(context, entries.getDictionary(context));
}

/// The newest state of each cache, or recurrent layer, at the end of the
/// function. The key is the state that it began with.
class LastStates {
public:
  explicit LastStates(func::FuncOp function) : entry(function.front()) {
    visit(entry);
  }

  /// Fails if the newest state stays inside a loop or a kernel.
  FailureOr<Value> get(Value first) const {
    auto it = last.find(first);
    if (it == last.end())
      return first;
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
    if (auto update = dyn_cast<StateUpdateOpInterface>(op)) {
      advance(update.getOldState(), update.getNewState());
    } else if (auto cast = dyn_cast<StateCastOp>(op);
               cast && cast.getBefore()) {
      advance(cast.getBefore(), cast.getResult());
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
      if (!isa<KvCacheType, StateType>(next.getType()))
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

  /// Adds random numbers of ops outside of loops. In a loop, each iteration
  /// would get the same ones.
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
    // A chip may have several pieces of one weight, such as of the table of
    // tokens that gives the logits, too.
    using Source = std::tuple<StringAttr, Attribute, Attribute>;
    llvm::MapVector<Source, SmallVector<WeightOp>> weights;
    WalkResult known = function.walk([&](WeightOp op) {
      FailureOr<std::string> name = nameOf(op);
      if (failed(name)) {
        op.emitOpError("has an index that is not known; expected a constant, "
                       "or the index of a loop with constant bounds");
        return WalkResult::interrupt();
      }
      SmallVector<WeightOp> &same =
          weights[{builder.getStringAttr(*name),
                   op->getDiscardableAttr(LlmDialect::pieceAttrName),
                   op->getDiscardableAttr(LlmDialect::unpaddedAttrName)}];
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
    for (auto &[source, ops] : weights) {
      Value weight = addSource(ops.front(), std::get<0>(source));
      for (WeightOp op : ops) {
        op.getResult().replaceAllUsesWith(weight);
        op.erase();
      }
    }
    return success();
  }

  /// Makes arguments of the caches and states with which the program starts,
  /// and results of those at its end.
  LogicalResult addStates() {
    SmallVector<Operation *> sources;
    function.walk([&](Operation *op) {
      if (isa<KvCacheOp, StateOp>(op))
        sources.push_back(op);
    });
    LastStates states(function);
    llvm::StringSet<> names;
    for (Operation *source : sources) {
      auto cache = dyn_cast<KvCacheOp>(source);
      FailureOr<std::string> name =
          cache ? nameOf(cache) : nameOf(cast<StateOp>(source));
      if (failed(name))
        return source->emitOpError(
            "has an index that is not known; expected a constant, or the index "
            "of a loop with constant bounds");
      if (!names.insert(*name).second)
        return source->emitOpError()
               << "shows '" << *name
               << "' once more; expected one op for each cache or state (--cse "
                  "joins equal ones)";
      FailureOr<Value> last = states.get(source->getResult(0));
      if (failed(last) || failed(addState(source, *name, *last)))
        return failure();
    }
    return success();
  }

private:
  /// Names a part. Parts are those of the keys (values, scales of each layer),
  /// and then those of the values.
  static std::string getPartName(Type state, StringRef name, size_t part) {
    auto type = dyn_cast<KvCacheType>(state);
    if (!type)
      return name.str();
    size_t count = countParts(type.getElementType());
    std::string all = type.getIsLatent()  ? ".latents"
                      : part / count == 0 ? ".keys"
                                          : ".values";
    if (size_t layer = part % count)
      all += ".scales" + std::to_string(layer - 1);
    return name.str() + all;
  }

  LogicalResult addState(Operation *source, StringRef name, Value last) {
    auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    Type type = source->getResult(0).getType();
    builder.setInsertionPoint(end);
    // States of every step have another type than the state that the program
    // begins with.
    SmallVector<Type> types, lastTypes;
    if (failed(converter.convertType(type, types)) ||
        failed(converter.convertType(last.getType(), lastTypes)))
      return failure();
    auto parts = UnrealizedConversionCastOp::create(builder, source->getLoc(),
                                                    lastTypes, last);
    for (auto [i, part] : llvm::enumerate(parts.getResults()))
      addResult(end, part, getPartName(type, name, i));
    builder.setInsertionPointToStart(&function.getBody().front());
    SmallVector<Value> initial;
    for (auto [i, part] : llvm::enumerate(types))
      initial.push_back(addArgument(part, "llm.cache",
                                    getPartName(type, name, i),
                                    pieceOfPart(source, i)));
    auto joined = UnrealizedConversionCastOp::create(builder, source->getLoc(),
                                                     type, initial);
    source->getResult(0).replaceAllUsesWith(joined.getResult(0));
    source->erase();
    return success();
  }

  Value addArgument(Type type, StringRef kind, StringRef name,
                    ShardAttr piece = nullptr,
                    DenseI64ArrayAttr unpadded = nullptr) {
    unsigned index = function.getNumArguments();
    NamedAttrList attributes;
    attributes.set(kind, builder.getStringAttr(name));
    if (piece)
      attributes.set(LlmDialect::pieceAttrName, piece);
    if (unpadded)
      attributes.set(LlmDialect::unpaddedAttrName, unpadded);
    (void)function.insertArgument(
        index, type, attributes.getDictionary(builder.getContext()),
        function.getLoc());
    return function.getArgument(index);
  }

  /// Adds an argument for each part. The first one has the name itself, and the
  /// others have a suffix and a number.
  Value addSource(WeightOp weight, StringRef name) {
    Type type = weight.getType();
    SmallVector<Type> types;
    (void)converter.convertType(type, types);
    SmallVector<Value> parts;
    for (auto [i, part] : llvm::enumerate(types))
      parts.push_back(
          addArgument(part, "llm.source",
                      i ? (name + ".scales" + Twine(i - 1)).str() : name.str(),
                      pieceOfPart(weight, i), unpaddedOfPart(weight, i)));
    if (parts.size() == 1 && parts.front().getType() == type)
      return parts.front();
    // The casts stand at the start, because the ops there are erased as they
    // become arguments.
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

/// Callers do not hand over what a function reads by name.
static LogicalResult checkIsNotCalled(func::FuncOp function) {
  auto uses = SymbolTable::getSymbolUses(function,
                                         function->getParentOfType<ModuleOp>());
  for (SymbolTable::SymbolUse use : uses.value_or(SymbolTable::UseRange({})))
    if (isa<CallOpInterface>(use.getUser())) {
      InFlightDiagnostic error =
          use.getUser()->emitOpError()
          << "calls '" << function.getName()
          << "', which reads weights, caches or sizes by name; expected its "
             "ops here, instead of a call";
      error.attachNote(function.getLoc()) << "the function is here";
      return error;
    }
  return success();
}

LogicalResult llm::makeSourcesArguments(func::FuncOp function,
                                        const TypeConverter &converter) {
  if (function.isExternal())
    return success();
  if (failed(unrollLoopsOfNames(function)))
    return failure();
  FunctionType before = function.getFunctionType();
  Arguments arguments(function, converter);
  arguments.addRandomNumbers();
  if (failed(arguments.addSizes()) || failed(arguments.addWeights()) ||
      failed(arguments.addStates()))
    return failure();
  return function.getFunctionType() == before ? success()
                                              : checkIsNotCalled(function);
}
