//===- AttentionBlocks.cpp - Attention whose scores stay in a cache -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "llm/Conversion/InlineKernel.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The most queries and heads of a block. With 1024 keys their scores take 256
/// KiB, which fits into the second cache of most CPUs.
constexpr int64_t mostQueries = 16;
constexpr int64_t mostHeads = 4;
/// With fewer queries than this, there are no blocks. Keys and values are then
/// read from memory once: all heads of a key lie beside each other there, and
/// blocks would read them apart.
constexpr int64_t leastQueries = 4;

using Sizes = SmallVector<OpFoldResult>;

/// A piece of a tensor [batch, queries or keys, heads, width].
struct Piece {
  Sizes offsets, sizes;
};

/// Makes loops of one op. `stored` are its keys and values, or its latents.
class BlockBuilder {
public:
  BlockBuilder(Operation *op, OpOperand &query,
               ArrayRef<OpOperand *> storedOperands, OpOperand *sinks,
               MaskAttr mask, RewriterBase &rewriter)
      : op(op), loc(op->getLoc()), queryOperand(query),
        storedOperands(storedOperands), sinks(sinks), mask(mask),
        rewriter(rewriter) {}

  /// Whether the numbers of heads are known and the elements plain, as blocks
  /// need.
  bool canBuild() const {
    auto isPlain = [](OpOperand *operand) {
      auto type = cast<RankedTensorType>(operand->get().getType());
      return type.getElementType().isIntOrFloat() && !type.isDynamicDim(2);
    };
    return isPlain(&queryOperand) && ::llvm::all_of(storedOperands, isPlain);
  }
  void run();

private:
  OpFoldResult number(int64_t value) { return rewriter.getIndexAttr(value); }
  OpFoldResult calculate(AffineExpr expression, ArrayRef<OpFoldResult> of) {
    return affine::makeComposedFoldedAffineApply(
        rewriter, loc, AffineMap::get(of.size(), 0, expression), of);
  }
  Value slice(Value tensor, const Piece &piece) {
    return tensor::ExtractSliceOp::create(
        rewriter, loc, tensor, piece.offsets, piece.sizes,
        Sizes(piece.offsets.size(), number(1)));
  }

  /// Whether blocks may be of single sequences. What the mask says of each
  /// sequence cannot be said of a slice.
  bool cutsSequences() const {
    return mask.getLengths().empty() && mask.getFirstKeys().size() <= 1;
  }
  bool cutsQueries() const { return mask.getLengths().empty(); }

  void countHeads();
  Sizes countBlocks();
  Piece findQueries(ValueRange indices);
  Piece findStored(ValueRange indices, const Piece &queries);
  void fill(scf::ForallOp loops);
  Value build();

  Operation *op;
  Location loc;
  OpOperand &queryOperand;
  ArrayRef<OpOperand *> storedOperands;
  OpOperand *sinks;
  MaskAttr mask;
  RewriterBase &rewriter;
  Sizes query, stored; ///< of the whole tensors
  int64_t heads = 1;   ///< of a block
  int64_t sharing = 1; ///< blocks of heads that read the same KV head
};

} // namespace

/// Takes the most heads of one KV head that all blocks can have.
void BlockBuilder::countHeads() {
  int64_t group =
      *getConstantIntValue(query[2]) / *getConstantIntValue(stored[2]);
  for (heads = std::min(group, mostHeads); group % heads; --heads)
    ;
  sharing = group / heads;
}

Sizes BlockBuilder::countBlocks() {
  AffineExpr all = rewriter.getAffineDimExpr(0);
  OpFoldResult one = number(1);
  return {cutsSequences() ? query[0] : one,
          calculate(all.floorDiv(heads), {query[2]}),
          cutsQueries() ? calculate(all.ceilDiv(mostQueries), {query[1]})
                        : one};
}

Piece BlockBuilder::findQueries(ValueRange indices) {
  AffineExpr all, first;
  bindDims(rewriter.getContext(), all, first);
  Piece piece{Sizes(4, number(0)), query};
  if (cutsSequences()) {
    piece.offsets[0] = indices[0];
    piece.sizes[0] = number(1);
  }
  if (cutsQueries()) {
    piece.offsets[1] = calculate(all * mostQueries, {indices[2]});
    piece.sizes[1] = number(mostQueries);
    // If the size of blocks is known, their loops need less code.
    std::optional<int64_t> known = getConstantIntValue(query[1]);
    AffineExpr most = rewriter.getAffineConstantExpr(mostQueries);
    if (!known || *known % mostQueries)
      piece.sizes[1] = affine::makeComposedFoldedAffineMin(
          rewriter, loc,
          AffineMap::get(2, 0, {most, all - first}, rewriter.getContext()),
          {query[1], piece.offsets[1]});
  }
  piece.offsets[2] = calculate(all * heads, {indices[1]});
  piece.sizes[2] = number(heads);
  return piece;
}

/// Finds the keys that a block of queries reads. With a causal mask they end at
/// the key at which the last query of the block stands: on slices, too, the
/// last query stands at the last key.
Piece BlockBuilder::findStored(ValueRange indices, const Piece &queries) {
  Piece piece{Sizes(4, number(0)), stored};
  piece.offsets[0] = queries.offsets[0];
  piece.sizes[0] = queries.sizes[0];
  if (cutsQueries() && mask.getKind() == MaskKind::Causal) {
    AffineExpr allKeys, allQueries, first, own;
    bindDims(rewriter.getContext(), allKeys, allQueries, first, own);
    piece.sizes[1] =
        calculate(allKeys - allQueries + first + own,
                  {stored[1], query[1], queries.offsets[1], queries.sizes[1]});
  }
  piece.offsets[2] =
      calculate(rewriter.getAffineDimExpr(0).floorDiv(sharing), {indices[1]});
  piece.sizes[2] = number(1);
  return piece;
}

void BlockBuilder::fill(scf::ForallOp loops) {
  SmallVector<Value> indices(loops.getInductionVars());
  Piece queries = findQueries(indices), keys = findStored(indices, queries);
  IRMapping mapping;
  mapping.map(queryOperand.get(), slice(queryOperand.get(), queries));
  for (OpOperand *operand : storedOperands) {
    keys.sizes[3] = tensor::getMixedSize(rewriter, loc, operand->get(), 3);
    if (!mapping.contains(operand->get()))
      mapping.map(operand->get(), slice(operand->get(), keys));
  }
  if (sinks)
    mapping.map(sinks->get(), slice(sinks->get(), {{queries.offsets[2]},
                                                   {queries.sizes[2]}}));
  Operation *block = rewriter.clone(*op, mapping);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Piece out = queries;
  out.sizes[3] =
      tensor::getMixedSize(rewriter, loc, loops.getRegionIterArgs().front(), 3);
  SmallVector<int64_t> shape;
  std::tie(shape, std::ignore) = decomposeMixedValues(out.sizes);
  block->getResult(0).setType(type.clone(shape));
  rewriter.setInsertionPointToEnd(loops.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(
      rewriter, loc, block->getResult(0), loops.getRegionIterArgs().front(),
      out.offsets, out.sizes, Sizes(4, number(1)));
}

/// Builds the blocks and returns their result.
Value BlockBuilder::build() {
  countHeads();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Sizes out = query;
  out[3] =
      type.isDynamicDim(3)
          ? tensor::getMixedSize(rewriter, loc, storedOperands.back()->get(), 3)
          : number(type.getDimSize(3));
  Value whole =
      tensor::EmptyOp::create(rewriter, loc, out, type.getElementType());
  auto loops = scf::ForallOp::create(rewriter, loc, countBlocks(), whole,
                                     /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loops.getTerminator());
  fill(loops);
  return loops.getResult(0);
}

void BlockBuilder::run() {
  rewriter.setInsertionPoint(op);
  query = tensor::getMixedSizes(rewriter, loc, queryOperand.get());
  stored = tensor::getMixedSizes(rewriter, loc, storedOperands.front()->get());
  if (std::optional<int64_t> queries = getConstantIntValue(query[1])) {
    if (*queries >= leastQueries)
      rewriter.replaceOp(op, build());
    return;
  }
  Value queries = getValueOrCreateConstantIndexOp(rewriter, loc, query[1]);
  Value least = arith::ConstantIndexOp::create(rewriter, loc, leastQueries);
  Value hasFew = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       queries, least);
  auto choice = scf::IfOp::create(
      rewriter, loc, hasFew,
      [&](OpBuilder &, Location) {
        Operation *whole = rewriter.clone(*op);
        scf::YieldOp::create(rewriter, loc, whole->getResults());
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(rewriter, loc, build());
      });
  rewriter.replaceOp(op, choice.getResults());
}

namespace {
struct AttentionBlocks
    : PassWrapper<AttentionBlocks, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttentionBlocks)

  StringRef getArgument() const override { return "llm-attention-blocks"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    llvm::SetVector<Operation *> kernels; // ops may become no loops in there
    getOperation().walk([&](Operation *op) {
      if (!isa<GqaAttnOp, MlaAttnOp>(op))
        return;
      ops.push_back(op);
      if (auto kernel = op->getParentOfType<FusedOp>())
        kernels.insert(kernel);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *kernel : kernels)
      inlineKernel(cast<FusedOp>(kernel), rewriter);
    for (Operation *op : ops)
      replace(op, rewriter);
  }

private:
  static void replace(Operation *op, RewriterBase &rewriter) {
    auto build = [&](OpOperand &query, ArrayRef<OpOperand *> stored,
                     OpOperand *sinks, MaskAttr mask) {
      BlockBuilder builder(op, query, stored, sinks, mask, rewriter);
      if (builder.canBuild())
        builder.run();
    };
    auto attention = dyn_cast<GqaAttnOp>(op);
    auto latent = dyn_cast<MlaAttnOp>(op);
    // These queries read keys of their own, so a block would not share keys.
    if (attention ? attention.getSelected() : latent.getSelected())
      return;
    if (op->getNumResults() > 1) // with log-sum-exps
      return;
    if (attention) {
      MutableOperandRange sinks = attention.getSinksMutable();
      build(attention.getQueryMutable(),
            {&attention.getKeysMutable(), &attention.getValuesMutable()},
            sinks.empty() ? nullptr : &sinks[0], attention.getMask());
    } else {
      build(latent.getQueryMutable(), {&latent.getLatentsMutable()}, nullptr,
            latent.getMask());
    }
  }
};
} // namespace

std::unique_ptr<Pass> mlir::llm::createAttentionBlocksPass() {
  return std::make_unique<AttentionBlocks>();
}
