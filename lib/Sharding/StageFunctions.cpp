//===- StageFunctions.cpp - A function of each stage ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are given to stages: as `llm.stage` says, or as early as what they read
// allows. Weights, constants and views of them belong to none, and each stage
// that reads one has a copy. What a stage makes and a later one reads crosses
// the boundaries between them.
//
//===----------------------------------------------------------------------===//

#include "llm/Sharding/Sharding.h"
#include "llm/Support/IndexedNames.h"
#include "llm/Workload/ValuesRead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
class StageSplitter {
public:
  StageSplitter(func::FuncOp whole, int64_t stages, int64_t rounds,
                int64_t microbatches)
      : whole(whole), stages(stages), rounds(rounds),
        microbatches(microbatches), builder(whole.getContext()) {}

  FailureOr<SmallVector<FunctionOpInterface>> run();

private:
  LogicalResult splitLoops();
  LogicalResult splitLoop(scf::ForOp loop, DenseI64ArrayAttr iterations);
  LogicalResult giveStage(Operation *op);
  LogicalResult giveStages();
  /// The stage that makes the value; -1 if it is there in all of them.
  int64_t stageOf(Value value) const;
  /// Notes which values later stages read.
  LogicalResult findCrossings();
  void note(Operation *op, int64_t stage);
  LogicalResult checkCaches();
  func::FuncOp buildStage(int64_t stage);
  void cloneOps(int64_t stage, IRMapping &map);
  Block &body() { return whole.getBody().front(); }

  func::FuncOp whole;
  int64_t stages, rounds, microbatches;
  OpBuilder builder;
  DenseMap<Operation *, int64_t> stageOfOp; ///< none for those of all stages
  /// What a stage hands to the next one, and what it reads of arguments and of
  /// ops that are copied.
  std::vector<llvm::SetVector<Value>> handedOn;
  std::vector<llvm::SetVector<BlockArgument>> inputs;
  std::vector<llvm::SetVector<Operation *>> copies;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Names count through the iterations that a loop has.
static void renameOps(Operation *loop, int64_t first, int64_t count) {
  loop->walk([&](WorkloadOpInterface op) {
    auto name = op->getAttrOfType<StringAttr>("name");
    if (name && !findIndexRanges(name.getValue()).empty())
      op->setAttr("name", StringAttr::get(
                              op->getContext(),
                              restrictIndices(name.getValue(), first, count)));
  });
}

LogicalResult StageSplitter::splitLoop(scf::ForOp loop,
                                       DenseI64ArrayAttr iterations) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         step = getConstantIntValue(loop.getStep());
  int64_t sum = 0;
  for (int64_t count : iterations.asArrayRef())
    sum += count;
  if (!trips || !begin || !step || *trips != static_cast<uint64_t>(sum) ||
      iterations.size() > stages)
    return loop->emitOpError()
           << "cannot be shared by stages as 'llm.stage' says: it needs one "
              "number of iterations for each of at most "
           << stages << " stages, which add up to a constant trip count";
  builder.setInsertionPoint(loop);
  Type type = loop.getInductionVar().getType();
  auto constantOf = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loop.getLoc(),
                                     builder.getIntegerAttr(type, value));
  };
  SmallVector<Value> carried(loop.getInitArgs());
  int64_t first = 0;
  for (auto [stage, count] : llvm::enumerate(iterations.asArrayRef())) {
    if (count == 0)
      continue;
    auto part = cast<scf::ForOp>(builder.clone(*loop));
    builder.setInsertionPoint(part);
    part.setLowerBound(constantOf(*begin + first * *step));
    part.setUpperBound(constantOf(*begin + (first + count) * *step));
    part.getInitArgsMutable().assign(carried);
    part->setAttr(LlmDialect::stageAttrName, builder.getI64IntegerAttr(stage));
    renameOps(part, first, count);
    carried = SmallVector<Value>(part.getResults());
    first += count;
    builder.setInsertionPoint(loop);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
  return success();
}

LogicalResult StageSplitter::splitLoops() {
  for (Operation &op : llvm::make_early_inc_range(body())) {
    auto iterations =
        op.getAttrOfType<DenseI64ArrayAttr>(LlmDialect::stageAttrName);
    if (!iterations)
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return op.emitOpError() << "is no scf.for, and its iterations cannot be "
                                 "shared by stages: give it one stage, such as "
                                 "llm.stage = 0 : i64";
    if (failed(splitLoop(loop, iterations)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Which stage has what
//===----------------------------------------------------------------------===//

int64_t StageSplitter::stageOf(Value value) const {
  Operation *op = value.getDefiningOp();
  auto known = stageOfOp.find(op);
  return known == stageOfOp.end() ? -1 : known->second;
}

LogicalResult StageSplitter::giveStage(Operation *op) {
  int64_t earliest = -1;
  for (Value value : valuesReadBy(op))
    earliest = std::max(earliest, stageOf(value));
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  auto own = op->getAttrOfType<IntegerAttr>(LlmDialect::stageAttrName);
  op->removeAttr(LlmDialect::stageAttrName);
  bool takesTime = isa<WorkloadOpInterface, LoopLikeOpInterface>(op);
  if (!own && earliest < 0 && !takesTime)
    return success(); // of all stages
  int64_t stage = own ? own.getInt() : std::max<int64_t>(earliest, 0);
  if (stage >= stages)
    return op->emitOpError() << "is in stage " << stage << ", and the grid has "
                             << stages << " (0 to " << stages - 1 << ")";
  if (stage < earliest) // stage-C3
    return op->emitOpError()
           << "is in stage " << stage << ", but reads what stage " << earliest
           << " makes: values go from a stage to later ones";
  stageOfOp[op] = stage;
  return success();
}

LogicalResult StageSplitter::giveStages() {
  for (Operation &op : body())
    if (failed(giveStage(&op)))
      return failure();
  return success();
}

/// Notes what the op needs in its stage.
void StageSplitter::note(Operation *op, int64_t stage) {
  for (Value value : valuesReadBy(op)) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      inputs[stage].insert(argument);
      continue;
    }
    int64_t from = stageOf(value);
    for (int64_t at = from; from >= 0 && at < stage; ++at)
      handedOn[at].insert(value);
    if (from < 0 && copies[stage].insert(value.getDefiningOp()))
      note(value.getDefiningOp(), stage);
  }
}

/// A cache is in the memory of the stage that writes it.
LogicalResult StageSplitter::checkCaches() {
  DenseMap<Operation *, int64_t> owner;
  for (auto [stage, own] : llvm::enumerate(copies))
    for (Operation *op : own) {
      auto source = dyn_cast<SourceOpInterface>(op);
      if (!source || source.getSourceKind() == SourceKind::Weight)
        continue;
      auto [known, isNew] = owner.try_emplace(op, stage);
      if (!isNew) // stage-C3
        return op->emitOpError()
               << "is used in stages " << known->second << " and " << stage
               << ": give these ops one stage (llm.stage)";
    }
  for (const llvm::SetVector<Value> &values : handedOn)
    for (Value value : values)
      if (!isa<RankedTensorType>(value.getType())) // stage-C3
        return value.getDefiningOp()->emitOpError()
               << "makes " << value.getType()
               << " in one stage, which another one reads: only tensors go "
                  "from "
                  "stage to stage; give these ops one stage (llm.stage)";
  return success();
}

LogicalResult StageSplitter::findCrossings() {
  handedOn.resize(stages);
  inputs.resize(stages);
  copies.resize(stages);
  for (Operation &op : body())
    if (auto own = stageOfOp.find(&op); own != stageOfOp.end())
      note(&op, own->second);
  note(body().getTerminator(), stages - 1);
  return checkCaches();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void StageSplitter::cloneOps(int64_t stage, IRMapping &map) {
  for (Operation &op : body().without_terminator()) {
    auto own = stageOfOp.find(&op);
    bool isOwn = own != stageOfOp.end() && own->second == stage;
    if (isOwn || copies[stage].contains(&op))
      builder.clone(op, map);
  }
}

func::FuncOp StageSplitter::buildStage(int64_t stage) {
  ValueRange received, returned = body().getTerminator()->getOperands();
  if (stage > 0)
    received = handedOn[stage - 1].getArrayRef();
  if (stage + 1 < stages)
    returned = handedOn[stage].getArrayRef();
  // In the order of the whole function.
  SmallVector<BlockArgument> given = llvm::filter_to_vector(
      body().getArguments(),
      [&](BlockArgument argument) { return inputs[stage].contains(argument); });
  SmallVector<Type> types(received.getTypes());
  for (BlockArgument argument : given)
    types.push_back(argument.getType());
  builder.setInsertionPoint(whole);
  auto function =
      func::FuncOp::create(builder, whole.getLoc(),
                           (whole.getName() + "_stage" + Twine(stage)).str(),
                           builder.getFunctionType(types, returned.getTypes()));
  for (NamedAttribute attribute : whole->getDiscardableAttrs())
    function->setAttr(attribute.getName(), attribute.getValue());
  function->setAttr(LlmDialect::stageAttrName,
                    StageAttr::get(builder.getContext(), stage, stages, rounds,
                                   microbatches, /*isBackward=*/false));
  Block *entry = function.addEntryBlock();
  IRMapping map;
  map.map(received, entry->getArguments().take_front(received.size()));
  for (auto [index, argument] : llvm::enumerate(given)) {
    unsigned position = received.size() + index;
    map.map(argument, entry->getArgument(position));
    NamedAttrList attributes(whole.getArgAttrDict(argument.getArgNumber()));
    attributes.set(LlmDialect::inputAttrName,
                   builder.getI64IntegerAttr(argument.getArgNumber()));
    function.setArgAttrs(position, attributes);
  }
  builder.setInsertionPointToStart(entry);
  cloneOps(stage, map);
  SmallVector<Value> results = llvm::map_to_vector(
      returned, [&](Value value) { return map.lookup(value); });
  func::ReturnOp::create(builder, whole.getLoc(), results);
  return function;
}

FailureOr<SmallVector<FunctionOpInterface>> StageSplitter::run() {
  if (failed(splitLoops()) || failed(giveStages()) || failed(findCrossings()))
    return failure();
  SmallVector<FunctionOpInterface> functions;
  for (int64_t stage = 0; stage < stages; ++stage)
    functions.push_back(buildStage(stage));
  whole.erase();
  return functions;
}

FailureOr<SmallVector<FunctionOpInterface>>
mlir::llm::splitIntoStages(FunctionOpInterface function, int64_t stages,
                           int64_t rounds, int64_t microbatches) {
  auto whole = dyn_cast<func::FuncOp>(function.getOperation());
  if (!whole || !whole.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "function '" << function.getName()
           << "' cannot be split into stages: it must be a func.func of one "
              "block";
  return StageSplitter(whole, stages, rounds, microbatches).run();
}
