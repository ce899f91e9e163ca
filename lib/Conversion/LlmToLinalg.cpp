//===- LlmToLinalg.cpp - Programs as linalg ops ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "SourcesToArguments.h"
#include "ViewsOfBlocks.h"
#include "llm/Conversion/InlineKernel.h"
#include "llm/Conversion/Passes.h"
#include "llm/Diagnostics/PassOptions.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {
#define GEN_PASS_DEF_CONVERTLLMTOLINALGPASS
#include "llm/Conversion/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

void llm::inlineKernel(FusedOp kernel, RewriterBase &rewriter) {
  Block *body = &kernel.getBody().front();
  auto yield = cast<YieldOp>(body->getTerminator());
  SmallVector<Value> results(yield.getValues());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(body, kernel);
  rewriter.replaceOp(kernel, results);
}

namespace {

Location addFacts(Location loc, ArrayRef<NamedAttribute> facts) {
  return FusedLoc::get(loc.getContext(), loc,
                       DictionaryAttr::get(loc.getContext(), facts));
}

/// Puts the name, tile, cost and slots of an op into the location of the ops
/// that it becomes.
Location getLocationOf(Operation *op) {
  SmallVector<NamedAttribute> facts;
  if (auto name = op->getAttrOfType<StringAttr>("name"))
    facts.emplace_back("name", name);
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getNameDialect() == op->getDialect())
      facts.push_back(attribute);
  return facts.empty() ? op->getLoc() : addFacts(op->getLoc(), facts);
}

struct LowerOp : OpInterfaceConversionPattern<LinalgLoweringOpInterface> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(LinalgLoweringOpInterface op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    op->setLoc(getLocationOf(op));
    LinalgLowering lowering(rewriter, op, operands);
    if (failed(op.lowerToLinalg(lowering)))
      return failure();
    SmallVector<SmallVector<Value>> results(lowering.getResults());
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// Replaces a kernel by the ops inside, which give results as any others do
/// (fused-R1).
struct InlineKernel : OpConversionPattern<FusedOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(FusedOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    inlineKernel(op, rewriter);
    return success();
  }
};

/// Drops an op that only tells sizes of a value, since the lowered value has
/// them.
struct DropSized : OpConversionPattern<SizedOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SizedOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getX()});
    return success();
  }
};

/// A state is lowered to the tensor that it shows.
struct DropStateCast : OpConversionPattern<StateCastOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(StateCastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value tensor = llvm::getSingleElement(adaptor.getX());
    Type type = getTypeConverter()->convertType(op.getType());
    if (tensor.getType() != type) // one of them knows more sizes
      tensor = tensor::CastOp::create(rewriter, op.getLoc(), type, tensor);
    rewriter.replaceOp(op, tensor);
    return success();
  }
};

/// Attributes of arguments and results of a function. If one argument becomes
/// several, upstream's conversion of signatures leaves the attributes at their
/// old numbers. Here the first of these arguments gets them.
class FunctionAttributes {
public:
  FunctionAttributes(func::FuncOp function, const TypeConverter &converter)
      : function(function) {
    function.getAllArgAttrs(arguments);
    function.getAllResultAttrs(results);
    spread(function.getArgumentTypes(), converter, arguments);
    spread(function.getResultTypes(), converter, results);
  }

  /// Sets the attributes again. Must be called when the function is converted.
  void restore() {
    function.setAllArgAttrs(arguments);
    function.setAllResultAttrs(results);
  }

private:
  using Attributes = SmallVector<DictionaryAttr>;

  static void spread(TypeRange types, const TypeConverter &converter,
                     Attributes &attributes) {
    Attributes all;
    for (auto [type, own] : llvm::zip_equal(types, attributes)) {
      SmallVector<Type> parts;
      // If the type cannot be converted, the conversion itself reports that.
      (void)converter.convertType(type, parts);
      all.push_back(own);
      all.resize(all.size() - 1 + std::max<size_t>(parts.size(), 1),
                 DictionaryAttr::get(type.getContext()));
    }
    attributes = all;
  }

  func::FuncOp function;
  Attributes arguments, results;
};

struct ConvertLlmToLinalg
    : PassWithOptions<
          llm::impl::ConvertLlmToLinalgPassBase<ConvertLlmToLinalg>> {
  void runOnOperation() override {
    if (failed(checkLowerings()))
      return signalPassFailure();
    LinalgTypeConverter converter;
    SmallVector<FunctionAttributes> attributes;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(makeSourcesArguments(function, converter)) ||
          failed(showNumbersOfBlocks(function)))
        return signalPassFailure();
      attributes.emplace_back(function, converter);
    }
    if (failed(convert(converter)) || failed(reconcileCasts()))
      return signalPassFailure();
    for (FunctionAttributes &each : attributes)
      each.restore();
    moveFactsOfLoops();
  }

private:
  LogicalResult checkLowerings() {
    bool isWhole = true;
    getOperation().walk([&](Operation *op) {
      if (!isa<LlmDialect>(op->getDialect()) ||
          isa<LinalgLoweringOpInterface, SourceOpInterface, SizeOp, SizedOp,
              StateCastOp, FusedOp, YieldOp>(op))
        return;
      op->emitOpError("has no lowering to linalg; expected an op with "
                      "LinalgLoweringOpInterface");
      isWhole = false;
    });
    return success(isWhole);
  }

  /// Moves the facts of tiled ops from attributes of their loops to locations.
  void moveFactsOfLoops() {
    getOperation().walk([](LoopLikeOpInterface op) {
      SmallVector<NamedAttribute> facts;
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (isa_and_nonnull<LlmDialect>(attribute.getNameDialect()))
          facts.push_back(attribute);
      if (facts.empty())
        return;
      op->setLoc(addFacts(op->getLoc(), facts));
      for (NamedAttribute fact : facts)
        op->removeDiscardableAttr(fact.getName());
    });
  }

  LogicalResult convert(const TypeConverter &converter) {
    MLIRContext &context = getContext();
    RewritePatternSet patterns(&context);
    ConversionTarget target(context);
    patterns.add<LowerOp, InlineKernel, DropSized, DropStateCast>(converter,
                                                                  &context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addIllegalDialect<LlmDialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      // Such an op may be of another dialect, too: its interface lowers it.
      if (isa<LinalgLoweringOpInterface>(op))
        return false;
      return op->hasTrait<OpTrait::IsIsolatedFromAbove>() ||
             converter.isLegal(op);
    });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  /// Removes casts of former sources together with casts where they are used.
  LogicalResult reconcileCasts() {
    SmallVector<UnrealizedConversionCastOp> casts, left;
    getOperation().walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts, &left);
    for (UnrealizedConversionCastOp cast : left) {
      if (!cast.use_empty())
        return cast.emitOpError(
            "is left over: something that is no op of the dialect reads a "
            "cache or a block-scaled tensor");
      cast.erase();
    }
    return success();
  }
};

} // namespace

void llm::registerLinalgLowerings(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    attachElementwiseLowerings(context);
    attachQuantizeLowerings(context);
    attachProductLowerings(context);
    attachPositionLowerings(context);
    attachRecurrentLowerings(context);
    attachCompressedLowerings(context);
    attachStreamLowerings(context);
    attachAttentionLowerings(context);
    attachJoinedAttentionLowerings(context);
    attachRouterLowerings(context);
    attachSelectionLowerings(context);
    attachExpertLowerings(context);
    attachCacheLowerings(context);
    attachCollectiveLowerings(context);
    attachExpertExchangeLowerings(context);
    attachModelEndLowerings(context);
  });
}
