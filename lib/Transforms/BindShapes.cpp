//===- BindShapes.cpp - Sizes of a program get values ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values replace sizes. Then, op by op in program order, what depends on them
// is computed, and every result gets the type that follows from its operands.
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Program/Program.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMBINDSHAPESPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
using Sizes = llvm::StringMap<int64_t>;

/// Binds the sizes of one function.
class ShapeBinder {
public:
  ShapeBinder(func::FuncOp function, const Sizes &sizes)
      : function(function), sizes(sizes), rewriter(function.getContext()) {}

  LogicalResult bind();

private:
  LogicalResult bindBlock(Block &block);
  LogicalResult bindOp(Operation *op);
  LogicalResult bindLoop(LoopLikeOpInterface loop);
  LogicalResult bindFused(FusedOp fused);
  LogicalResult inferResults(Operation *op);
  LogicalResult bindProgram();
  void eraseDeadNumbers();

  func::FuncOp function;
  const Sizes &sizes;
  IRRewriter rewriter;
};
} // namespace

/// Replaces an op that computes numbers from constants by its result.
static bool foldNumbers(RewriterBase &rewriter, Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex() ||
      isa<arith::ConstantOp>(op))
    return false;
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    Attribute constant;
    matchPattern(operand, m_Constant(&constant));
    operands.push_back(constant);
  }
  SmallVector<OpFoldResult, 1> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return false;
  std::optional<int64_t> number = getConstantIntValue(results.front());
  if (!number)
    return false;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(
      op, arith::ConstantIndexOp::create(rewriter, op->getLoc(), *number));
  return true;
}

LogicalResult ShapeBinder::inferResults(Operation *op) {
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      result.setType(style.getTiedOpOperand(result)->get().getType());
  return isa<InferTypeOpInterface>(op) ? llm::inferResults(op) : success();
}

/// One length of a mask stands for all sequences of an open batch. Once their
/// number is known, each has its own.
static void bindLengths(Operation *op) {
  if (op->getNumOperands() == 0)
    return;
  auto first = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!first || first.getRank() == 0 || first.isDynamicDim(0))
    return;
  for (NamedAttribute attribute : op->getAttrDictionary()) {
    auto mask = dyn_cast<MaskAttr>(attribute.getValue());
    if (!mask || mask.getLengths().size() != 1)
      continue;
    SmallVector<int64_t> lengths(first.getDimSize(0),
                                 mask.getLengths().front());
    op->setAttr(attribute.getName(),
                MaskAttr::get(op->getContext(), mask.getKind(),
                              mask.getWindow(), mask.getChunk(),
                              mask.getFirstKeys(), lengths, mask.getStride()));
  }
}

/// Gives the values that a loop carries the types that they begin with.
LogicalResult ShapeBinder::bindLoop(LoopLikeOpInterface loop) {
  if (loop->hasAttr(LlmDialect::tileAttrName))
    return loop.emitOpError() << "is what --llm-materialize-tiles made of an "
                                 "op; bind sizes before it";
  auto arguments = loop.getRegionIterArgs();
  ValueRange inits = loop.getInits(), yields = loop.getYieldedValues();
  ValueRange results = loop->getResults();
  if (loop.getLoopRegions().size() != 1 || inits.size() != arguments.size() ||
      yields.size() != arguments.size() || results.size() != arguments.size())
    return loop.emitOpError()
           << "carries values in a way that sizes cannot be bound in; use "
              "scf.for";
  for (auto [argument, init] : llvm::zip_equal(arguments, inits))
    argument.setType(init.getType());
  for (Block &block : *loop.getLoopRegions().front())
    if (failed(bindBlock(block)))
      return failure();
  for (auto [result, yielded, argument] :
       llvm::zip_equal(results, loop.getYieldedValues(), arguments)) {
    if (yielded.getType() != argument.getType())
      return loop.emitOpError()
             << "carries " << argument.getType() << ", but yields "
             << yielded.getType() << " with these sizes";
    result.setType(yielded.getType());
  }
  return success();
}

LogicalResult ShapeBinder::bindFused(FusedOp fused) {
  if (failed(bindBlock(fused.getBody().front())))
    return failure();
  for (OpResult result : fused->getResults())
    result.setType(fused.getYielded(result).getType());
  return success();
}

LogicalResult ShapeBinder::bindOp(Operation *op) {
  if (auto size = dyn_cast<SizeOp>(op)) {
    auto known = sizes.find(size.getName());
    if (known == sizes.end())
      return success();
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, arith::ConstantIndexOp::create(
                               rewriter, op->getLoc(), known->second));
    return success();
  }
  if (foldNumbers(rewriter, op))
    return success();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return bindLoop(loop);
  if (auto fused = dyn_cast<FusedOp>(op))
    return bindFused(fused);
  if (auto open = dyn_cast<OpenSizesOpInterface>(op)) {
    rewriter.setInsertionPoint(op);
    FailureOr<bool> isReplaced = open.bindOpenSizes(rewriter);
    if (failed(isReplaced) || *isReplaced)
      return isReplaced;
  }
  bindLengths(op);
  return inferResults(op);
}

LogicalResult ShapeBinder::bindBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(bindOp(&op)))
      return failure();
  return success();
}

/// Erases numbers that nothing needs any more.
void ShapeBinder::eraseDeadNumbers() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex())
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op) && !isa<SizeOp>(op))
      rewriter.eraseOp(op);
}

/// Binds sizes of the program's attribute, which have the names of its fields.
LogicalResult ShapeBinder::bindProgram() {
  auto program =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  if (!program)
    return success();
  auto bind = [&](int64_t size, StringRef name) {
    auto known = sizes.find(name);
    return ShapedType::isDynamic(size) && known != sizes.end() ? known->second
                                                               : size;
  };
  SmallVector<SequencesAttr> groups;
  for (SequencesAttr group : program.getGroups()) {
    SmallVector<int64_t> kvLens(group.getKvLens());
    for (int64_t &kvLen : kvLens)
      kvLen = bind(kvLen, "kv_len");
    groups.push_back(SequencesAttr::getChecked(
        [&] { return emitFunctionError(function) << "llm.program: "; },
        function.getContext(), bind(group.getBatch(), "batch"),
        bind(group.getSeq(), "seq"), ArrayRef<int64_t>(kvLens)));
    if (!groups.back())
      return failure();
  }
  function->setAttr(
      LlmDialect::programAttrName,
      ProgramAttr::get(function.getContext(), program.getModel(),
                       program.getPhase(), groups, program.getLayers(),
                       program.getModelLayers(), program.getIsWhole(),
                       program.getFurtherTokens()));
  return success();
}

LogicalResult ShapeBinder::bind() {
  if (!function.getBody().hasOneBlock())
    return emitFunctionError(function)
           << "has branches between blocks; a program is one block with loops";
  Block &block = function.getBody().front();
  if (failed(bindProgram()) || failed(bindBlock(block)))
    return failure();
  eraseDeadNumbers();
  function.setType(FunctionType::get(function.getContext(),
                                     block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Reads "batch=8": a name and a number of 1 or more.
static LogicalResult readSize(Operation *module, StringRef text, Sizes &sizes) {
  // A product of two such sizes fits into 64 bits.
  constexpr int64_t largestSize = int64_t(1) << 31;
  auto [name, number] = text.split('=');
  int64_t size;
  if (name.empty() || number.getAsInteger(10, size) || size < 1 ||
      size > largestSize)
    return module->emitError()
           << "--llm-bind-shapes: '" << text
           << "' must be a name and a whole number in [1, 2^31], as in "
              "'batch=8'";
  if (!sizes.try_emplace(name, size).second)
    return module->emitError()
           << "--llm-bind-shapes: '" << name << "' has two values";
  return success();
}

/// Lists open fields of the program's attribute. Canonicalization may have
/// removed all that depended on their sizes.
static void listOpenFields(ProgramAttr program,
                           llvm::SetVector<StringRef> &names) {
  for (SequencesAttr group : program.getGroups()) {
    if (ShapedType::isDynamic(group.getBatch()))
      names.insert("batch");
    if (ShapedType::isDynamic(group.getSeq()))
      names.insert("seq");
    if (llvm::any_of(group.getKvLens(), ShapedType::isDynamic))
      names.insert("kv_len");
  }
}

/// Checks that every size that gets a value is one of the program. A size that
/// nothing depended on may have been removed. So a name is accepted if no size
/// is left open, since it cannot be another one misspelt.
static LogicalResult checkNames(ModuleOp module, const Sizes &sizes) {
  llvm::SetVector<StringRef> known;
  module.walk([&](SizeOp size) { known.insert(size.getName()); });
  module.walk([&](func::FuncOp function) {
    if (auto program =
            function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName))
      listOpenFields(program, known);
  });
  bool areAllBound =
      llvm::all_of(known, [&](StringRef name) { return sizes.contains(name); });
  for (const auto &entry : sizes) {
    if (known.contains(entry.getKey()))
      continue;
    InFlightDiagnostic diagnostic =
        areAllBound ? module.emitWarning() : module.emitError();
    diagnostic << "--llm-bind-shapes: no size is called '" << entry.getKey()
               << "'" << didYouMean(entry.getKey(), known.getArrayRef())
               << " (open sizes: "
               << (known.empty() ? "none" : llvm::join(known, ", ")) << ")";
    if (known.empty())
      diagnostic << "; the sizes of this program are fixed, and stay as they "
                    "are (llm-translate leaves one open with \"--batch=?\")";
    if (!areAllBound)
      return diagnostic;
  }
  return success();
}

namespace {
struct LlmBindShapesPass
    : PassWithOptions<llm::impl::LlmBindShapesPassBase<LlmBindShapesPass>> {
  using PassWithOptions::PassWithOptions;

  ::llvm::cl::Option *getAnyOption() override { return std::addressof(sizes); }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Sizes bound;
    for (const std::string &text : sizes)
      if (failed(readSize(module, text, bound)))
        return signalPassFailure();
    if (failed(checkNames(module, bound)))
      return signalPassFailure();
    bool isSound = true;
    module.walk([&](func::FuncOp function) {
      if (!function.isDeclaration())
        isSound &= succeeded(ShapeBinder(function, bound).bind());
    });
    if (!isSound)
      signalPassFailure();
  }
};
} // namespace
