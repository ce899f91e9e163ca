//===- Program.cpp - A function as ops that take time ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Program/Program.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Support/IndexedNames.h"
#include "llm/Support/Units.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// The origin of a value: ops that take time, and values that a loop carries.
struct Origins {
  llvm::SmallSetVector<unsigned, 4> ops;
  llvm::SmallSetVector<Value, 2> loopArguments;

  void insert(const Origins &other) {
    ops.insert(other.ops.begin(), other.ops.end());
    loopArguments.insert(other.loopArguments.begin(),
                         other.loopArguments.end());
  }
};
} // namespace

namespace mlir::llm {
class ProgramBuilder {
public:
  explicit ProgramBuilder(Program &program) : program(program) {}
  LogicalResult build();

private:
  LogicalResult visitBlock(Block &block, int64_t count,
                           std::vector<ProgramItem> &items);
  LogicalResult visitLoop(LoopLikeOpInterface loop, int64_t count,
                          std::vector<ProgramItem> &items);
  LogicalResult visitOp(Operation *op, int64_t count,
                        std::vector<ProgramItem> &items);
  LogicalResult addOp(WorkloadOpInterface op, int64_t count,
                      std::vector<ProgramItem> &items);
  /// Gives the results of an op that takes no time the origins of `values`.
  void passOn(Operation *op, ValueRange values);
  std::string nameOf(WorkloadOpInterface op);
  LogicalResult checkName(Operation *op, StringRef name);
  Origins originsOf(ValueRange values) const;
  /// Replaces loop-carried values by ops: those before the loop, and those of
  /// the previous iteration.
  void resolveLoopArguments();

  Program &program;
  /// How often the innermost loop around the current op runs; 1 outside.
  int64_t innermostTrips = 1;
  DenseMap<Value, Origins> origins;
  /// For each loop-carried block argument, its initial and its yielded value.
  DenseMap<Value, std::pair<Value, Value>> loopCarried;
  /// The loop-carried values that each op uses.
  std::vector<SmallVector<Value, 2>> pendingArguments;
  llvm::StringMap<Operation *> opOfName;
  llvm::StringMap<unsigned> unnamedOfKind, opsOfLocation;
  llvm::StringSet<> namesOfLocations;
};
} // namespace mlir::llm

LogicalResult ProgramBuilder::build() {
  Region &body = program.func.getFunctionBody();
  if (!body.hasOneBlock())
    return emitFunctionError(program.func)
           << "has branches between blocks; a program is one block with loops "
              "of constant "
              "trip count";
  if (failed(visitBlock(body.front(), 1, program.programItems)))
    return failure();
  resolveLoopArguments();
  return success();
}

LogicalResult ProgramBuilder::visitBlock(Block &block, int64_t count,
                                         std::vector<ProgramItem> &items) {
  for (Operation &op : block)
    if (failed(visitOp(&op, count, items)))
      return failure();
  return success();
}

/// Whether a host computes the op, such as index arithmetic: it has no tensors.
static bool isScalarComputation(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

void ProgramBuilder::passOn(Operation *op, ValueRange values) {
  Origins behind = originsOf(values);
  for (Value result : op->getResults())
    origins[result] = behind;
}

LogicalResult ProgramBuilder::visitOp(Operation *op, int64_t count,
                                      std::vector<ProgramItem> &items) {
  // Models of workloads count the elements of tensors, and say nothing about
  // scalars.
  bool isScalar = isScalarComputation(op);
  auto workload = dyn_cast<WorkloadOpInterface>(op);
  if (workload && !isScalar)
    return addOp(workload, count, items);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return visitLoop(loop, count, items);
  if (auto source = dyn_cast<SourceOpInterface>(op)) {
    program.programSources.push_back({source, count});
    passOn(op, source.getDependences());
    return success();
  }
  if (auto transparent = dyn_cast<TransparentOpInterface>(op)) {
    passOn(op, transparent.getForwardedValues());
    return success();
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (isScalar) {
    passOn(op, op->getOperands());
    return success();
  }
  return op->emitOpError() << "has no workload: the compiler cannot tell how "
                              "long it takes. Give it "
                              "WorkloadOpInterface (or TransparentOpInterface "
                              "if it takes no time), as an "
                              "external model if the op is not yours";
}

LogicalResult ProgramBuilder::addOp(WorkloadOpInterface op, int64_t count,
                                    std::vector<ProgramItem> &items) {
  unsigned index = program.programOps.size();
  ProgramOp entry;
  entry.op = op;
  entry.name = nameOf(op);
  entry.count = count;
  if (failed(checkName(op, entry.name)))
    return failure();
  Origins behind = originsOf(op->getOperands());
  // The body of a structured op may read these values beside the operands.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  behind.insert(originsOf(captured.getArrayRef()));
  entry.dependences.assign(behind.ops.begin(), behind.ops.end());
  llvm::sort(entry.dependences);
  pendingArguments.emplace_back(behind.loopArguments.begin(),
                                behind.loopArguments.end());

  Origins self;
  self.ops.insert(index);
  for (Value result : op->getResults())
    origins[result] = self;
  if (items.empty() || items.back().isLoop())
    items.emplace_back();
  items.back().ops.push_back(index);
  program.programOps.push_back(std::move(entry));
  return success();
}

LogicalResult ProgramBuilder::visitLoop(LoopLikeOpInterface loop, int64_t count,
                                        std::vector<ProgramItem> &items) {
  auto emitLoopError = [&] {
    return emitError(loop.getLoc()) << "loop '" << loop->getName() << "' ";
  };
  if (loop->hasAttr(LlmDialect::tileAttrName))
    return emitLoopError() << "is what --llm-materialize-tiles made of an op; "
                              "run this pass before it";
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->isZero())
    return emitLoopError() << "needs a constant trip count of at least 1, as "
                              "scf.for with constant bounds has";
  std::optional<int64_t> total;
  if (trips->getActiveBits() < 64)
    total = checkedMul(count, static_cast<int64_t>(trips->getZExtValue()));
  if (!total)
    return emitLoopError() << "runs its body more than 2^61 times";
  Region *region = loop.getLoopRegions().front();
  if (loop.getLoopRegions().size() != 1 || !region->hasOneBlock())
    return emitLoopError() << "needs a body of one block";

  std::optional<MutableArrayRef<OpOperand>> yielded =
      loop.getYieldedValuesMutable();
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    origins[argument].loopArguments.insert(argument);
    loopCarried[argument] = {loop.getInits()[position],
                             (*yielded)[position].get()};
  }
  ProgramItem item;
  item.loop = loop;
  item.trips = static_cast<int64_t>(trips->getZExtValue());
  llvm::SaveAndRestore around(innermostTrips, item.trips);
  if (failed(visitBlock(region->front(), *total, item.body)))
    return failure();
  items.push_back(std::move(item));
  if (std::optional<ResultRange> results = loop.getLoopResults())
    for (auto [position, result] : llvm::enumerate(*results))
      origins[result] = originsOf((*yielded)[position].get());
  return success();
}

/// Returns the name of an op in its location, where torch-mlir and others write
/// it: `loc("encoder.fc1")`.
static StringRef findNameIn(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getName();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findNameIn(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location inside : fused.getLocations())
      if (StringRef name = findNameIn(inside); !name.empty())
        return name;
  return "";
}

std::string ProgramBuilder::nameOf(WorkloadOpInterface op) {
  if (StringRef name = op.getWorkloadName(); !name.empty())
    return name.str();
  // One op of a framework often becomes several with one location, so names get
  // numbers. A name that counts through layers is not taken, since it would
  // need a loop of layers around the op.
  StringRef name = findNameIn(op->getLoc());
  if (!name.empty() && !name.contains('{')) {
    std::string unique = name.str();
    while (!namesOfLocations.insert(unique).second)
      unique = (name + "_" + Twine(++opsOfLocation[name])).str();
    return unique;
  }
  StringRef kind = op->getName().getStringRef();
  return (kind + "#" + Twine(unnamedOfKind[kind]++)).str();
}

/// Checks that names are unique, and that names that count through layers occur
/// once in their loop.
LogicalResult ProgramBuilder::checkName(Operation *op, StringRef name) {
  for (IndexRange range : findIndexRanges(name))
    if (range.count != innermostTrips)
      return op->emitOpError()
             << "has the name \"" << name << "\" for " << range.count
             << " iterations, but its loop has " << innermostTrips;
  auto [known, isNew] = opOfName.try_emplace(name, op);
  if (isNew)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError()
      << "has the name \"" << name
      << "\" of another op; names must be unique in a function";
  diagnostic.attachNote(known->second->getLoc()) << "the other op is here";
  return diagnostic;
}

Origins ProgramBuilder::originsOf(ValueRange values) const {
  Origins result;
  for (Value value : values)
    if (auto known = origins.find(value); known != origins.end())
      result.insert(known->second);
  return result;
}

void ProgramBuilder::resolveLoopArguments() {
  for (auto [index, arguments] : llvm::enumerate(pendingArguments)) {
    llvm::SmallSetVector<unsigned, 4> carried, initial;
    llvm::SmallSetVector<Value, 4> worklist(arguments.begin(), arguments.end());
    for (size_t next = 0; next < worklist.size(); ++next) {
      auto [init, yielded] = loopCarried.lookup(worklist[next]);
      Origins before = originsOf(init), previous = originsOf(yielded);
      initial.insert(before.ops.begin(), before.ops.end());
      carried.insert(previous.ops.begin(), previous.ops.end());
      worklist.insert(before.loopArguments.begin(), before.loopArguments.end());
      worklist.insert(previous.loopArguments.begin(),
                      previous.loopArguments.end());
    }
    ProgramOp &op = program.programOps[index];
    op.carriedDependences.assign(carried.begin(), carried.end());
    op.initialDependences.assign(initial.begin(), initial.end());
    llvm::sort(op.carriedDependences);
    llvm::sort(op.initialDependences);
  }
}

FailureOr<Program> Program::analyze(FunctionOpInterface function) {
  Program program;
  program.func = function;
  if (failed(ProgramBuilder(program).build()))
    return failure();
  return program;
}

ShownSources mlir::llm::findSources(Value value) {
  ShownSources shown;
  llvm::SmallSetVector<Value, 8> worklist;
  worklist.insert(value);
  for (size_t next = 0; next < worklist.size(); ++next) {
    Operation *op = worklist[next].getDefiningOp();
    if (auto source = dyn_cast_if_present<SourceOpInterface>(op)) {
      shown.sources.push_back(source);
      continue;
    }
    auto view = dyn_cast_if_present<TransparentOpInterface>(op);
    SmallVector<Value> behind;
    if (view)
      behind = view.getForwardedValues();
    shown.isAll &= !behind.empty();
    worklist.insert(behind.begin(), behind.end());
  }
  return shown;
}

/// Returns the ops that take time and compute the values, seen through ops that
/// take none. Values from around a function or a loop are there from the start.
static SmallVector<Operation *, 2> findProducers(ArrayRef<Value> values) {
  llvm::SmallSetVector<Value, 8> worklist(values.begin(), values.end());
  llvm::SmallSetVector<Operation *, 2> producers;
  for (size_t next = 0; next < worklist.size(); ++next) {
    Operation *op = worklist[next].getDefiningOp();
    if (!op)
      continue;
    bool isScalar = isScalarComputation(op);
    if (isa<WorkloadOpInterface>(op) && !isScalar)
      producers.insert(op);
    else if (auto source = dyn_cast<SourceOpInterface>(op))
      worklist.insert_range(source.getDependences());
    else if (auto view = dyn_cast<TransparentOpInterface>(op))
      worklist.insert_range(view.getForwardedValues());
    else if (isScalar)
      worklist.insert_range(op->getOperands());
  }
  return SmallVector<Operation *, 2>(producers.getArrayRef());
}

std::optional<FetchWaits> mlir::llm::findFetchWaits(Operation *op,
                                                    const Buffer &buffer) {
  ShownSources shown = findSources(buffer.value);
  if (!shown.isAll)
    return std::nullopt;
  // A weight has indices, which select it.
  SmallVector<Value> written, selecting(llvm::to_vector(buffer.selectedBy));
  for (SourceOpInterface source : shown.sources)
    llvm::append_range(source.getSourceKind() == SourceKind::Weight ? selecting
                                                                    : written,
                       source.getDependences());
  FetchWaits waits{findProducers(written), findProducers(selecting)};
  for (Operation *before :
       llvm::concat<Operation *>(waits.writers, waits.selectors))
    if (op->isProperAncestor(before))
      return std::nullopt;
  return waits;
}

InFlightDiagnostic mlir::llm::emitFunctionError(FunctionOpInterface function) {
  return emitError(function.getLoc())
         << "function '" << symbolOf(function) << "' ";
}

Refusal mlir::llm::refuseFunction(FunctionOpInterface function,
                                  Reasons reasons) {
  return reasons.refuse(function.getLoc())
         << "function '" << symbolOf(function) << "' ";
}

StringRef mlir::llm::symbolOf(FunctionOpInterface function) {
  return SymbolTable::getSymbolName(function).getValue();
}

/// Whether a function is a program. Functions of other dialects may be code of
/// the host.
static bool isProgram(FunctionOpInterface function) {
  if (function.isExternal())
    return false;
  if (isa<func::FuncOp>(function))
    return true;
  return function
      ->walk([](WorkloadOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

SmallVector<FunctionOpInterface> mlir::llm::functionsWithBody(Operation *root) {
  SmallVector<FunctionOpInterface> functions;
  if (auto function = dyn_cast<FunctionOpInterface>(root)) {
    if (isProgram(function))
      functions.push_back(function);
    return functions;
  }
  root->walk([&](FunctionOpInterface function) {
    if (isProgram(function))
      functions.push_back(function);
  });
  return functions;
}

/// Checks that all ops that take time are in functions. Others would be left
/// out silently.
static LogicalResult checkAllInFunctions(Operation *root) {
  WalkResult result =
      root->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        if (isa<FunctionOpInterface>(op))
          return WalkResult::skip();
        if (!isa<WorkloadOpInterface>(op))
          return WalkResult::advance();
        return op->emitOpError()
               << "takes time and is in no function: only those are tiled and "
                  "scheduled; put it into one";
      });
  return failure(result.wasInterrupted());
}

LogicalResult
mlir::llm::forEachProgram(Operation *root,
                          function_ref<LogicalResult(const Program &)> visit) {
  if (failed(checkAllInFunctions(root)))
    return failure();
  bool isSound = true;
  for (FunctionOpInterface function : functionsWithBody(root)) {
    FailureOr<Program> program = Program::analyze(function);
    isSound &= succeeded(program) && succeeded(visit(*program));
  }
  return success(isSound);
}
