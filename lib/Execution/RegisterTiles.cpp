//===- RegisterTiles.cpp - Sums that stay in registers --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "ParallelLoops.h"
#include "VectorBody.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// The iterations of each of the two innermost parallel loops that run at once:
/// 16 sums and what they read fit into the registers of most CPUs. Of a loop
/// along which vectors lie, so many vectors run at once.
constexpr int64_t tileSize = 4;
/// The iterations of a panel of the loop along which most is read. All other
/// loops go on over a panel: what the panel reads, such as 32 rows of a weight,
/// is in a cache then.
constexpr int64_t panelSize = 32;
/// A sum of so few terms, such as a score, is short. What other loops read is
/// small then, and rows of keys are read one behind the other, with all heads.
constexpr int64_t shortSum = 256;
/// The vectors of one sum that are added up at once if no other sum reads the
/// same. One row of a weight is then read at a time, in order, which memories
/// do fastest.
constexpr int64_t rowVectors = 4;
/// Several rows that are longer than this are read at a time, with fewer
/// vectors each: what they are multiplied with does not stay in the first cache
/// beside them.
constexpr int64_t longRow = 4096;
/// A body of more ops is repeated less often.
constexpr size_t largestBody = 24;

bool isReduction(linalg::GenericOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

/// Returns the op that adds to the sum, or null if the body does something
/// else.
Operation *findCombiner(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  bool isFound = matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
                 combiners.size() == 1;
  if (!isFound || !linalg::getCombinerOpKind(combiners.front()) ||
      !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

/// Makes loops of one op, the innermost of which is a reduction. Vectors may
/// lie along it, and their lanes are added up behind it. Or they lie along the
/// parallel loop that was innermost, which the reduction changes places with.
class TiledReduction {
public:
  TiledReduction(linalg::GenericOp op, CpuVectors vectors,
                 RewriterBase &rewriter)
      : op(op), rewriter(rewriter), loc(op.getLoc()), body(op, rewriter) {
    chooseLanes(vectors);
  }

  bool canTile() {
    unsigned loops = op.getNumLoops();
    return loops > 1 && !isReduction(op, 0) &&
           (isReduction(op, loops - 1) || lanes);
  }

  static bool canRepeat(linalg::GenericOp op) {
    return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
           op.getNumLoops() > 1 &&
           op.getBody()->getOperations().size() <= largestBody &&
           llvm::none_of(*op.getBody(), [](Operation &inside) {
             return inside.getNumRegions() > 0;
           });
  }

  /// Makes the loops. They have threads if `hasThreads` and the op is worth
  /// them.
  void run(bool hasThreads) {
    order = llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
    if (hasParallelLanes())
      std::swap(order[order.size() - 1], order[order.size() - 2]);
    chooseTiles();
    for (OpFoldResult size : getLoopSizes())
      ranges.push_back(
          {constant(0), getValueOrCreateConstantIndexOp(rewriter, loc, size)});
    for (const Bounds &range : ranges)
      ends.push_back(range.end);
    indices.resize(ranges.size());
    chooseCuts(hasThreads && isWorthThreads(op));
    makeCuts(cuts);
    rewriter.eraseOp(op);
  }

private:
  struct Bounds {
    Value begin, end;
  };
  /// A stretch of iterations of a loop that runs before the next stretch.
  struct Cut {
    unsigned loop;
    int64_t size;
    bool isShared; ///< among threads
  };
  /// The terms of each sum that the innermost loop takes at once.
  struct VectorStep {
    Lanes lanes;
    int64_t vectors;
    int64_t terms() const { return vectors * lanes.terms(); }
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

  bool hasLanesOfSum() { return lanes && isReduction(op, lanes->loop); }
  bool hasParallelLanes() { return lanes && !isReduction(op, lanes->loop); }
  /// The lanes of a vector of elements of the result; nothing if these are
  /// single.
  std::optional<Lanes> lanesOfResult() {
    return hasParallelLanes() ? lanes : std::nullopt;
  }

  void chooseLanes(CpuVectors vectors) {
    unsigned last = op.getNumLoops() - 1;
    Type sum = op.getBody()->getArguments().back().getType();
    if (!sum.isIntOrFloat() || !VectorBody::canVectorize(op, last))
      return;
    int64_t count = vectors.bits / sum.getIntOrFloatBitWidth();
    int64_t size = op.getStaticLoopRanges()[last];
    combiner = findCombiner(op);
    bool isPossible =
        isReduction(op, last)
            ? combiner != nullptr
            : isReduction(op, last - 1) && ShapedType::isStatic(size) &&
                  size % count == 0 &&
                  llvm::count(op.getIteratorTypesArray(),
                              utils::IteratorType::reduction) == 1;
    if (isPossible)
      lanes = Lanes{last, count};
    if (hasLanesOfSum() && vectors.addsPairsOfBf16 &&
        VectorBody::addsProductsOfBf16(op, last))
      termsPerLane = 2;
  }

  void chooseTiles() {
    SmallVector<int64_t> known = op.getStaticLoopRanges();
    tiles.assign(known.size(), 1);
    SmallVector<unsigned> tiled;
    for (unsigned loop : llvm::reverse(order))
      if (!isReduction(op, loop) && known[loop] != 1 && tiled.size() < 2) {
        tiles[loop] = tileSize;
        tiled.push_back(loop);
      }
    if (hasParallelLanes()) {
      int64_t vectors = tileSize;
      while (known[lanes->loop] % (vectors * lanes->count))
        --vectors;
      tiles[lanes->loop] = vectors * lanes->count;
    }
    if (tiled.size() == 2) {
      panelLoop = hasParallelLanes() ? order.back() : tiled.front();
    } else if (hasLanesOfSum()) {
      bool isLong = known[order.back()] > longRow;
      tiles.assign(known.size(), 1);
      if (isLong && !tiled.empty())
        tiles[tiled.front()] = tileSize;
      vectorsOfSum = (isLong ? rowVectors / 2 : rowVectors) / termsPerLane;
    }
  }

  bool isShort() {
    int64_t terms = op.getStaticLoopRanges()[order.back()];
    return ShapedType::isStatic(terms) && terms <= shortSum;
  }

  void chooseCuts(bool hasThreads) {
    bool sharesPanels = panelLoop && !isReduction(op, *panelLoop);
    SmallVector<int64_t> known = op.getStaticLoopRanges();
    if (hasThreads && !sharesPanels) {
      unsigned shared = *llvm::find_if(order, [&](unsigned loop) {
        return known[loop] != 1 || loop == order.back();
      });
      if (!isReduction(op, shared))
        cuts.push_back({shared, tiles[shared], /*isShared=*/true});
    }
    if (!panelLoop)
      return;
    cuts.push_back({*panelLoop, isShort() ? tileSize : panelSize,
                    hasThreads && sharesPanels});
  }

  /// Whether there are only whole tiles along the loop. This also holds in
  /// cuts, which are made of whole tiles.
  bool hasWholeTiles(unsigned loop) {
    return tiles[loop] == 1 ||
           isMultiple(op.getStaticLoopRanges()[loop], tiles[loop]);
  }

  /// Makes the loop at that place of the order, and those inside. It has whole
  /// tiles first, and then single iterations.
  void makeLoops(size_t place) {
    unsigned loop = order[place];
    if (place + 1 == order.size())
      return makeInnermost();
    auto [begin, end] = ranges[loop];
    if (hasWholeTiles(loop))
      return makeLoop(place, begin, end, constant(tiles[loop]));
    Value whole = roundDown(begin, end, tiles[loop]);
    makeLoop(place, begin, whole, constant(tiles[loop]));
    int64_t own = std::exchange(tiles[loop], 1);
    makeLoop(place, whole, end, constant(1));
    tiles[loop] = own;
  }

  void makeLoop(size_t place, Value begin, Value end, Value step) {
    fillLoop<scf::ForOp>(begin, end, step, [&](Value index) {
      indices[order[place]] = index;
      makeLoops(place + 1);
    });
  }

  /// Makes loops over stretches of loops, outside of all loops of tiles.
  void makeCuts(ArrayRef<Cut> left) {
    if (left.empty())
      return makeLoops(0);
    Cut cut = left.front();
    Bounds all = ranges[cut.loop];
    Value size = constant(cut.size);
    auto fill = [&](Value from) {
      Value to = arith::AddIOp::create(rewriter, loc, from, size);
      to = arith::MinUIOp::create(rewriter, loc, to, all.end);
      ranges[cut.loop] = {from, to};
      makeCuts(left.drop_front());
    };
    if (cut.isShared)
      fillLoop<scf::ParallelOp>(all.begin, all.end, size, fill);
    else
      fillLoop<scf::ForOp>(all.begin, all.end, size, fill);
  }

  template <typename Loop>
  void fillLoop(Value begin, Value end, Value step,
                function_ref<void(Value)> fill) {
    Block *inside = Loop::create(rewriter, loc, begin, end, step).getBody();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(inside);
    fill(inside->getArgument(0));
  }

  /// Lists the sums of a tile, each as what is added to the indices of its
  /// loops.
  SmallVector<SmallVector<int64_t>> listPlaces() {
    SmallVector<SmallVector<int64_t>> places = {
        SmallVector<int64_t>(tiles.size(), 0)};
    for (size_t loop = 0; loop < tiles.size(); ++loop) {
      int64_t step =
          hasParallelLanes() && loop == lanes->loop ? lanes->count : 1;
      SmallVector<SmallVector<int64_t>> more;
      for (const SmallVector<int64_t> &place : places)
        for (int64_t i = 0; i < tiles[loop]; i += step) {
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

  using Places = SmallVector<SmallVector<int64_t>>;
  using Sums = SmallVector<Value>;

  void makeInnermost() {
    Places places = listPlaces();
    unsigned loop = order.back();
    auto [begin, end] = ranges[loop];
    indices[loop] = begin; // no element of the result depends on it
    Sums sums;
    for (const SmallVector<int64_t> &place : places)
      sums.push_back(body.loadResult(indicesAt(place), lanesOfResult()));
    if (isShort() && lanes)
      fetchNextRows();
    bool isDone = false;
    for (const VectorStep &step : listVectorSteps()) {
      Value whole = roundDown(begin, end, step.terms());
      sums = addUpVectors(places, begin, whole, step, sums);
      begin = whole;
      isDone = isMultiple(op.getStaticLoopRanges()[loop], step.terms());
      if (isDone)
        break;
    }
    if (!isDone)
      sums = addUp(places, begin, end, /*step=*/1, sums, lanesOfResult());
    indices[loop] = ranges[loop].begin;
    for (auto [place, sum] : llvm::zip_equal(places, sums))
      body.storeResult(sum, indicesAt(place));
  }

  /// Asks memory for rows of the next tile. A tile of short sums is done before
  /// the memory could detect the pattern itself.
  void fetchNextRows() {
    constexpr int64_t lineBytes = 64;
    unsigned terms = order.back();
    if (!panelLoop || *panelLoop == terms)
      return;
    Value last =
        arith::SubIOp::create(rewriter, loc, ends[*panelLoop], constant(1));
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      Type element = getElementTypeOrSelf(input->get());
      if (!map.isFunctionOfDim(*panelLoop) || !map.isFunctionOfDim(terms) ||
          !element.isIntOrFloat())
        continue;
      int64_t lineSize =
          std::max<int64_t>(1, 8 * lineBytes / element.getIntOrFloatBitWidth());
      for (int64_t row = 0; row < tileSize; ++row)
        for (int64_t i = 0; i < op.getStaticLoopRanges()[terms];
             i += lineSize) {
          SmallVector<Value> at(indices);
          Value next = arith::AddIOp::create(rewriter, loc, at[*panelLoop],
                                             constant(tileSize + row));
          at[*panelLoop] = arith::MinUIOp::create(rewriter, loc, next, last);
          at[terms] = constant(i);
          body.prefetch(*input, at);
        }
    }
  }

  /// Lists how many terms of a sum vectors take at once: first several vectors,
  /// then one.
  SmallVector<VectorStep> listVectorSteps() {
    if (!hasLanesOfSum())
      return {};
    Lanes most = {lanes->loop, lanes->count, termsPerLane};
    SmallVector<VectorStep> steps = {{most, vectorsOfSum}};
    if (vectorsOfSum > 1)
      steps.push_back({most, 1});
    if (termsPerLane > 1)
      steps.push_back({*lanes, 1});
    return steps;
  }

  static bool isMultiple(int64_t size, int64_t step) {
    return ShapedType::isStatic(size) && size % step == 0;
  }

  /// Returns the end of the last whole step.
  Value roundDown(Value begin, Value end, int64_t step) {
    Value count = arith::SubIOp::create(rewriter, loc, end, begin);
    Value rest = arith::RemUIOp::create(rewriter, loc, count, constant(step));
    return arith::SubIOp::create(rewriter, loc, end, rest);
  }

  /// Makes the innermost loop.
  Sums addUp(const Places &places, Value begin, Value end, int64_t step,
             const Sums &start, std::optional<Lanes> lanes) {
    auto innermost =
        scf::ForOp::create(rewriter, loc, begin, end, constant(step), start);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(innermost.getBody());
    indices[order.back()] = innermost.getInductionVar();
    Sums next;
    for (auto [place, sum] :
         llvm::zip_equal(places, innermost.getRegionIterArgs()))
      next.push_back(body.compute(indicesAt(place), sum, lanes));
    scf::YieldOp::create(rewriter, loc, next);
    return innermost.getResults();
  }

  /// Adds up vectors of terms first, and then their lanes.
  Sums addUpVectors(const Places &places, Value begin, Value end,
                    const VectorStep &step, const Sums &sums) {
    vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner);
    Places ofVectors;
    for (const SmallVector<int64_t> &place : places)
      for (int64_t first = 0; first < step.terms();
           first += step.lanes.terms()) {
        ofVectors.push_back(place);
        ofVectors.back()[order.back()] = first;
      }
    auto type = VectorType::get(lanes->count, sums.front().getType());
    Value neutral = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(type, *arith::getNeutralElement(combiner)));
    Sums vectors = addUp(ofVectors, begin, end, step.terms(),
                         Sums(ofVectors.size(), neutral), step.lanes);
    Sums added;
    ArrayRef<Value> left = vectors;
    for (Value sum : sums) {
      Value all = left.front();
      for (Value other : left.slice(1, step.vectors - 1))
        all = vector::makeArithReduction(rewriter, loc, kind, all, other);
      added.push_back(
          vector::ReductionOp::create(rewriter, loc, kind, all, sum));
      left = left.drop_front(step.vectors);
    }
    return added;
  }

  linalg::GenericOp op;
  RewriterBase &rewriter;
  Location loc;
  VectorBody body;
  Operation *combiner = nullptr; ///< null if it is not known
  std::optional<Lanes> lanes;    ///< of vectors, if there are any
  int64_t termsPerLane = 1;      ///< more if lanes are of the sum
  SmallVector<unsigned> order;   ///< of the loops, from outside
  SmallVector<int64_t> tiles;    ///< iterations of each loop that run at once
  int64_t vectorsOfSum = 1;      ///< vectors of one sum, along the reduction
  std::optional<unsigned> panelLoop; ///< the loop that is cut into panels
  SmallVector<Cut> cuts;
  SmallVector<Bounds> ranges; ///< of each loop, or what is cut out of it
  SmallVector<Value> ends;    ///< of each loop
  SmallVector<Value> indices;
};

struct RegisterTiles : PassWrapper<RegisterTiles, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegisterTiles)

  RegisterTiles(CpuVectors vectors, bool hasThreads)
      : vectors(vectors), hasThreads(hasThreads) {}

  StringRef getArgument() const override { return "llm-register-tiles"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect, x86vector::X86VectorDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (TiledReduction::canRepeat(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (TiledReduction tiled(op, vectors, rewriter); tiled.canTile())
        tiled.run(hasThreads);
    }
  }

private:
  CpuVectors vectors;
  bool hasThreads;
};

} // namespace

std::unique_ptr<Pass> mlir::llm::createRegisterTilesPass(CpuVectors vectors,
                                                         bool hasThreads) {
  return std::make_unique<RegisterTiles>(vectors, hasThreads);
}
