//===- RegisterTiles.cpp - Sums that stay in registers --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

/// Of the two innermost parallel loops, so many iterations at once: 16 sums
/// beside what they read fit into the registers of most CPUs.
constexpr int64_t tileSize = 4;
/// Of the innermost one, so many before the other one goes on: what they read
/// is in a cache then, such as 32 rows of a weight.
constexpr int64_t panelSize = 32;
/// A body of more ops is not repeated so often.
constexpr size_t largestBody = 24;

bool isReduction(linalg::GenericOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// One op as loops.
class TiledReduction {
public:
  TiledReduction(linalg::GenericOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()) {}

  static bool canTile(linalg::GenericOp op) {
    unsigned loops = op.getNumLoops();
    return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
           loops > 1 && isReduction(op, loops - 1) && !isReduction(op, 0) &&
           op.getBody()->getOperations().size() <= largestBody &&
           llvm::none_of(*op.getBody(), [](Operation &inside) {
             return inside.getNumRegions() > 0;
           });
  }

  void run() {
    chooseTiles();
    for (OpFoldResult size : getLoopSizes())
      ranges.push_back(
          {constant(0), getValueOrCreateConstantIndexOp(rewriter, loc, size)});
    indices.resize(ranges.size());
    makeLoops(0);
    rewriter.eraseOp(op);
  }

private:
  struct Bounds {
    Value begin, end;
  };
  /// The loops that are tiled.
  struct Panels {
    unsigned outer, inner;
  };

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  SmallVector<OpFoldResult> getLoopSizes() {
    SmallVector<OpFoldResult> loopSizes;
    for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                           .createLoopRanges(rewriter, loc))
      loopSizes.push_back(range.size);
    return loopSizes;
  }

  void chooseTiles() {
    SmallVector<int64_t> known = op.getStaticLoopRanges();
    tiles.assign(known.size(), 1);
    SmallVector<unsigned> tiled;
    for (unsigned loop = known.size(); loop-- > 0 && tiled.size() < 2;)
      if (!isReduction(op, loop) && known[loop] != 1) {
        tiles[loop] = tileSize;
        tiled.push_back(loop);
      }
    if (tiled.size() == 2)
      panels = {tiled[1], tiled[0]};
  }

  /// Whole tiles along this loop, and behind them iterations one by one.
  void makeLoops(unsigned loop) {
    if (panels && loop == panels->outer)
      return makePanels(*std::exchange(panels, std::nullopt));
    if (loop + 1 == ranges.size())
      return makeInnermost();
    auto [begin, end] = ranges[loop];
    if (tiles[loop] == 1)
      return makeLoop(loop, begin, end, constant(1));
    Value tile = constant(tiles[loop]);
    Value count = arith::SubIOp::create(rewriter, loc, end, begin);
    Value rest = arith::RemUIOp::create(rewriter, loc, count, tile);
    Value whole = arith::SubIOp::create(rewriter, loc, end, rest);
    makeLoop(loop, begin, whole, tile);
    int64_t own = std::exchange(tiles[loop], 1);
    makeLoop(loop, whole, end, constant(1));
    tiles[loop] = own;
  }

  void makeLoop(unsigned loop, Value begin, Value end, Value step) {
    makeFor(begin, end, step, [&](Value index) {
      indices[loop] = index;
      makeLoops(loop + 1);
    });
  }

  void makePanels(Panels panels) {
    auto [begin, end] = ranges[panels.inner];
    makeFor(begin, end, constant(panelSize), [&, end = end](Value from) {
      Value to =
          arith::AddIOp::create(rewriter, loc, from, constant(panelSize));
      to = arith::MinUIOp::create(rewriter, loc, to, end);
      Bounds all = std::exchange(ranges[panels.inner], {from, to});
      makeLoops(panels.outer);
      ranges[panels.inner] = all;
    });
  }

  void makeFor(Value begin, Value end, Value step,
               function_ref<void(Value)> fill) {
    auto made = scf::ForOp::create(rewriter, loc, begin, end, step);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(made.getBody());
    fill(made.getInductionVar());
  }

  /// The places in a tile, each by what is added to the indices of its loops.
  SmallVector<SmallVector<int64_t>> listPlaces() const {
    SmallVector<SmallVector<int64_t>> places = {
        SmallVector<int64_t>(tiles.size(), 0)};
    for (size_t loop = 0; loop < tiles.size(); ++loop) {
      SmallVector<SmallVector<int64_t>> more;
      for (const SmallVector<int64_t> &place : places)
        for (int64_t i = 0; i < tiles[loop]; ++i) {
          more.push_back(place);
          more.back()[loop] = i;
        }
      places = std::move(more);
    }
    return places;
  }

  SmallVector<Value> indicesAt(ArrayRef<int64_t> place) {
    SmallVector<Value> at(indices);
    for (auto [index, more] : llvm::zip_equal(at, place))
      if (more)
        index = arith::AddIOp::create(rewriter, loc, index, constant(more));
    return at;
  }

  SmallVector<Value> mapIndices(AffineMap map, ArrayRef<Value> at) {
    SmallVector<Value> mapped;
    for (AffineExpr expression : map.getResults())
      mapped.push_back(affine::makeComposedAffineApply(
          rewriter, loc, AffineMap::get(map.getNumDims(), 0, expression),
          getAsOpFoldResult(at)));
    return mapped;
  }

  void makeInnermost() {
    OpOperand *out = op.getDpsInitOperand(0);
    AffineMap outMap = op.getMatchingIndexingMap(out);
    SmallVector<SmallVector<int64_t>> places = listPlaces();
    indices.back() = constant(0); // no element of the result depends on it
    SmallVector<SmallVector<Value>> outIndices;
    SmallVector<Value> sums;
    for (const SmallVector<int64_t> &place : places) {
      outIndices.push_back(mapIndices(outMap, indicesAt(place)));
      sums.push_back(
          memref::LoadOp::create(rewriter, loc, out->get(), outIndices.back()));
    }
    auto innermost = scf::ForOp::create(rewriter, loc, constant(0),
                                        ranges.back().end, constant(1), sums);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(innermost.getBody());
      indices.back() = innermost.getInductionVar();
      SmallVector<Value> next;
      for (auto [place, sum] :
           llvm::zip_equal(places, innermost.getRegionIterArgs()))
        next.push_back(computeAt(indicesAt(place), sum));
      scf::YieldOp::create(rewriter, loc, next);
    }
    for (auto [at, sum] : llvm::zip_equal(outIndices, innermost.getResults()))
      memref::StoreOp::create(rewriter, loc, sum, out->get(), at);
  }

  /// What the body makes of the sum at this point of the loops.
  Value computeAt(ArrayRef<Value> at, Value sum) {
    Block *body = op.getBody();
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument argument = body->getArgument(input->getOperandNumber());
      Value value = input->get();
      if (isa<MemRefType>(value.getType()))
        value = memref::LoadOp::create(
            rewriter, loc, value,
            mapIndices(op.getMatchingIndexingMap(input), at));
      mapping.map(argument, value);
    }
    mapping.map(body->getArguments().back(), sum);
    for (Operation &inside : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inside))
        mapping.map(index.getResult(), at[index.getDim()]);
      else
        rewriter.clone(inside, mapping);
    }
    return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
  }

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  SmallVector<int64_t> tiles;   ///< iterations of each loop that run at once
  std::optional<Panels> panels; ///< until their loop is made
  SmallVector<Bounds> ranges;   ///< of each loop
  SmallVector<Value> indices;
};

struct RegisterTiles : PassWrapper<RegisterTiles, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegisterTiles)

  StringRef getArgument() const override { return "llm-register-tiles"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (TiledReduction::canTile(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      rewriter.setInsertionPoint(op);
      TiledReduction(op, rewriter).run();
    }
  }
};

} // namespace

std::unique_ptr<Pass> mlir::llm::createRegisterTilesPass() {
  return std::make_unique<RegisterTiles>();
}
