//===- TileSearch.cpp - Enumerates legal tiles for the cheapest -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/TileSearch.h"
#include "LoopOrders.h"
#include "llm/Cost/Kernels/Granules.h"
#include "llm/Cost/Movement.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Arithmetic takes equally long with every tile of whole granules, and more
/// bytes take no less time. So the cheapest of these tiles is one that moves
/// the fewest bytes. If several memories have a rate, bytes are converted to
/// those of the slowest that take as long.
class TileSearch {
public:
  /// Which tiles are searched: tiles that fill granules, tiles of any size,
  /// tiles of which only one is held (which are tried before rows are cut), or
  /// also tiles that cut rows, over which stages sweep one after the other.
  enum class Tiles { FillingGranules, OfAnySize, HeldOnce, CuttingRows };

  /// With `handsOverOnce`, only one tile is held of what one engine makes for
  /// another. The two engines then wait for each other.
  TileSearch(const OpOnTarget &context, Tiles tiles, bool handsOverOnce = false)
      : context(context), workload(context.workload), traffic(context),
        capacity(context.tileCapacityBytes()), tiles(tiles),
        handsOverOnce(handsOverOnce), steps(context.workload.loops.size(), 1) {
    if (tiles == Tiles::FillingGranules)
      findSteps();
    classifyLoops();
  }

  bool hasFittingTile() const { return fits(capacity); }

  /// Finds the level of the engine's private memory.
  FailureOr<TileLevelAttr> run();
  /// The bytes of each buffer with the tile that was found.
  FailureOr<SmallVector<int64_t, 4>> movedBytes() const {
    return traffic.bytesOfBuffers(best);
  }
  /// Whether these bytes count each stage that reads rows.
  bool sweepsPerStage() const { return traffic.model().sweepsPerStage(best); }

private:
  using Kept = TileTraffic::Kept;
  void findSteps();
  bool mayCut(const Loop &loop) const;
  void classifyLoops();
  /// The most bytes that are moved again if the loop is cut: those of the
  /// buffers that do not use it, once for each iteration.
  double bytesAtStake(unsigned loop) const;
  /// Tries the sizes of the loops from `position` on that fit with the current
  /// ones of the others. `optimistic` has sizes for them that none exceeds, and
  /// keeps them.
  void enumerateSizes(size_t position, Tiling &optimistic);
  void keepIfBetter();
  /// The fewest bytes over the orders of the loops that are cut. `order` is
  /// left at the best of them. Nothing if none is better than the best so far.
  std::optional<int64_t> chooseOrder(Tiling &tiling);
  /// Whether tiles can be better than the best so far if none of their sizes
  /// exceeds those of `optimistic`, whose order is of no account.
  bool canImprove(Tiling &optimistic);
  /// A tiling with the current sizes of the loops before `position`, which cuts
  /// no other loop.
  Tiling withoutCuts(size_t position) const;
  /// The same tiling with each of the other loops cut so far that it fits with
  /// the smallest sizes of the rest.
  Tiling withLeastCuts(size_t position);
  /// The sizes of a reused loop that fit into `room` with the current ones of
  /// the others. An uncut loop has one tile held, so that it may fit where the
  /// largest of those that cut it does not.
  struct FittingSizes {
    std::optional<int64_t> whole;
    ArrayRef<int64_t> cuts; ///< the largest first
    int64_t largest() const { return whole ? *whole : cuts.front(); }
  };
  FittingSizes fittingSizes(size_t position, int64_t room);
  /// `fitsWhole` and `fits` say it of the whole loop and of a size that cuts
  /// it. Larger sizes take more room.
  FittingSizes fittingSizes(size_t position, bool fitsWhole,
                            function_ref<bool(int64_t)> fits) const;
  /// How many tiles of the buffer there is room for.
  int64_t heldOf(const Tiling &tiling, unsigned buffer) const;
  Count workingSetBytes() const;
  bool fits(int64_t room) const;
  void growStreamedLoops();
  void cutForEngines();
  TileLevelAttr makeLevel() const;

  const OpOnTarget &context;
  const Workload &workload;
  TileTraffic traffic;
  int64_t capacity;
  Tiles tiles;
  bool handsOverOnce;
  /// For each loop, the number of which its tiles are multiples if it is cut.
  SmallVector<int64_t, 6> steps;
  /// Loops that some buffer does not use. Cutting them, and their order, costs
  /// traffic.
  SmallVector<unsigned> reuseLoops;
  /// Loops that every buffer uses. Their tiles cost only room.
  SmallVector<unsigned> streamedLoops;
  /// The sizes of each of the reused loops, the largest first.
  SmallVector<SmallVector<int64_t>> sizesOfReuseLoops;
  LoopOrders orders;
  Tiling current, best;
  std::optional<int64_t> bestBytes;
  /// The most that a better tile moves, and the least that any tile moves.
  int64_t mostBytes = maxCount, leastBytes = 0;
};
} // namespace

/// At most this many loops are enumerated together: those with most bytes at
/// stake. The others are streamed. Only attention with sinks has more loops,
/// because no loop over sequences uses these few bytes.
static constexpr size_t maxReuseLoops = 3;
/// Tile sizes are multiples of this if the loop is long enough, because no
/// machine likes odd edges.
static constexpr int64_t tileGranule = 16;

/// Sizes that cut `extent` into 1, 2, 3, 4, 6, 8, 12, .. tiles, largest first,
/// down to `step`: multiples of that, and of the granule of all machines where
/// they are long enough.
static SmallVector<int64_t> candidateSizes(int64_t extent, int64_t step) {
  int64_t coarse = llvm::alignTo(tileGranule, step);
  SmallVector<int64_t> sizes;
  for (int64_t power = 1; sizes.empty() || sizes.back() > step; power *= 2)
    for (int64_t trips : {power, power + power / 2}) {
      int64_t size = llvm::divideCeil(extent, trips);
      size = llvm::alignTo(size, size > coarse ? coarse : step);
      size = std::min(extent, size);
      if (sizes.empty() || size < sizes.back())
        sizes.push_back(size);
    }
  return sizes;
}

/// Finds the steps of loops. A size by which several products of an op are cut
/// must serve all of them.
void TileSearch::findSteps() {
  for (unsigned stage = 0; stage < workload.stages.size(); ++stage)
    if (std::optional<Granules> granules = Granules::get(context, stage))
      for (auto [loop, step] : llvm::enumerate(steps))
        step = std::max(step, granules->stepOf(loop));
}

double TileSearch::bytesAtStake(unsigned loop) const {
  double bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers)) {
    if (workload.loopsOf(buffer)[loop])
      continue;
    Count once = traffic.model().compulsoryBytes(index);
    bytes += succeeded(once) ? *once : 0;
  }
  return bytes * workload.loops[loop].extent;
}

bool TileSearch::mayCut(const Loop &loop) const {
  switch (loop.tiles) {
  case Loop::Tiles::AnyOrder:
  case Loop::Tiles::InOrder:
    return true;
  case Loop::Tiles::PerStage:
    return tiles == Tiles::CuttingRows;
  case Loop::Tiles::Whole:
    return false;
  }
  llvm_unreachable("one of the four");
}

void TileSearch::classifyLoops() {
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    current.sizes.push_back(mayCut(loop) ? steps[index] : loop.extent);
    if (!mayCut(loop) || loop.extent == 1)
      continue;
    // Queries of a tile share keys that several of them select.
    auto isReusedBy = [&, at = index](const Buffer &buffer) {
      bool isShared = buffer.isGathered && workload.maskedLoops.any() &&
                      workload.maskedLoops[at];
      return buffer.role != Buffer::Role::Temporary &&
             (isShared || !workload.loopsOf(buffer)[at]);
    };
    bool isReused = llvm::any_of(workload.buffers, isReusedBy);
    (isReused ? reuseLoops : streamedLoops).push_back(index);
  }
  if (reuseLoops.size() > maxReuseLoops) {
    llvm::stable_sort(reuseLoops, [&](unsigned a, unsigned b) {
      return bytesAtStake(a) > bytesAtStake(b);
    });
    streamedLoops.append(reuseLoops.begin() + maxReuseLoops, reuseLoops.end());
    reuseLoops.resize(maxReuseLoops);
  }
  llvm::sort(reuseLoops);
  llvm::sort(streamedLoops);
  for (unsigned loop : reuseLoops)
    sizesOfReuseLoops.push_back(
        candidateSizes(workload.loops[loop].extent, steps[loop]));
}

int64_t TileSearch::heldOf(const Tiling &tiling, unsigned buffer) const {
  if (handsOverOnce && workload.buffers[buffer].isHandedOver)
    return 1;
  return tiles == Tiles::HeldOnce ? 1
                                  : traffic.model().tilesHeld(tiling, buffer);
}

Count TileSearch::workingSetBytes() const {
  if (tiles != Tiles::HeldOnce && !handsOverOnce)
    return traffic.model().workingSetBytes(current);
  SmallVector<int64_t, 4> held;
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    held.push_back(heldOf(current, buffer));
  return traffic.model().workingSetBytes(current, held);
}

bool TileSearch::fits(int64_t room) const {
  Count bytes = workingSetBytes();
  return succeeded(bytes) && *bytes <= room;
}

TileSearch::FittingSizes
TileSearch::fittingSizes(size_t position, bool fitsWhole,
                         function_ref<bool(int64_t)> fits) const {
  ArrayRef<int64_t> sizes = sizesOfReuseLoops[position];
  FittingSizes fitting;
  if (fitsWhole)
    fitting.whole = sizes.front();
  const int64_t *first = llvm::partition_point(
      sizes.drop_front(), [&](int64_t size) { return !fits(size); });
  fitting.cuts = ArrayRef(first, sizes.end());
  return fitting;
}

TileSearch::FittingSizes TileSearch::fittingSizes(size_t position,
                                                  int64_t room) {
  unsigned loop = reuseLoops[position];
  if (traffic.model().growsEvenly() && tiles != Tiles::HeldOnce &&
      !handsOverOnce) {
    TileModel::RoomAlongLoop along = traffic.model().roomAlong(loop, current);
    return fittingSizes(position, along.whole <= room, [&](int64_t size) {
      return along.cutInto(size) <= room;
    });
  }
  auto fitsWith = [&](int64_t size) {
    int64_t before = std::exchange(current.sizes[loop], size);
    bool isFitting = fits(room);
    current.sizes[loop] = before;
    return isFitting;
  };
  return fittingSizes(position, fitsWith(sizesOfReuseLoops[position].front()),
                      fitsWith);
}

std::optional<int64_t> TileSearch::chooseOrder(Tiling &tiling) {
  std::optional<int64_t> least;
  const LoopOrder *best = nullptr;
  for (const LoopOrder &order :
       orders.get(tiling, workload, traffic, reuseLoops)) {
    if (!traffic.followsReturningLoops())
      tiling.order = order.loops;
    std::optional<int64_t> found = traffic.countBytes(
        tiling, order.returning, least ? *least - 1 : mostBytes);
    if (found) {
      least = found;
      best = &order;
    }
  }
  if (best)
    tiling.order = best->loops;
  else
    tiling.order.clear();
  return least;
}

bool TileSearch::canImprove(Tiling &optimistic) {
  auto improves = [&](const LoopOrder &order) {
    if (!traffic.followsReturningLoops())
      optimistic.order = order.loops;
    return traffic.countBytes(optimistic, order.returning, mostBytes, Kept::All)
        .has_value();
  };
  return llvm::any_of(orders.get(optimistic, workload, traffic, reuseLoops),
                      improves);
}

Tiling TileSearch::withoutCuts(size_t position) const {
  Tiling tiling = current;
  for (unsigned loop : ArrayRef<unsigned>(reuseLoops).drop_front(position))
    tiling.sizes[loop] = workload.loops[loop].extent;
  return tiling;
}

Tiling TileSearch::withLeastCuts(size_t position) {
  // Sizes are rounded up to bytes: two tiles of one element may take a byte
  // more for each buffer than one tile of two.
  int64_t rounded = 2 * int64_t(workload.buffers.size());
  int64_t room = capacity + (traffic.model().growsEvenly() ? 0 : rounded);
  Tiling tiling = current;
  for (; position < reuseLoops.size(); ++position)
    tiling.sizes[reuseLoops[position]] = fittingSizes(position, room).largest();
  return tiling;
}

void TileSearch::keepIfBetter() {
  std::optional<int64_t> found = chooseOrder(current);
  if (!found)
    return;
  bestBytes = found;
  mostBytes = *found - 1;
  best = current;
}

void TileSearch::enumerateSizes(size_t position, Tiling &optimistic) {
  if (position == reuseLoops.size())
    return keepIfBetter();
  unsigned loop = reuseLoops[position];
  size_t behind = position + 1, loopsBehind = reuseLoops.size() - behind;
  bool isMasked = workload.maskedLoops.any(),
       // A memory on the way may keep more of smaller tiles.
      isMonotone = !isMasked && traffic.followsReturningLoops();
  if (isMonotone && loopsBehind == 0) {
    current.sizes[loop] = fittingSizes(position, capacity).largest();
    keepIfBetter(); // smaller tiles move more
    current.sizes[loop] = steps[loop];
    return;
  }
  int64_t before = optimistic.sizes[loop];
  // The loops after this one are still at their smallest, so a size that does
  // not fit now fits with no choice for them.
  FittingSizes fitting = fittingSizes(position, capacity);
  SmallVector<int64_t, 32> sizes(fitting.cuts);
  if (fitting.whole)
    sizes.insert(sizes.begin(), *fitting.whole);
  for (int64_t size : sizes) {
    // No tile moves fewer bytes than every element once.
    if (mostBytes < leastBytes)
      break;
    current.sizes[loop] = optimistic.sizes[loop] = size;
    // The only choice for one loop behind tells as much as a limit.
    bool hasLimit = !isMasked && loopsBehind > (isMonotone ? 1 : 0);
    std::optional<Tiling> limit;
    if (hasLimit)
      limit = withLeastCuts(behind);
    Tiling &next = limit ? *limit : optimistic;
    if (canImprove(next))
      enumerateSizes(behind, next);
    else if (!isMasked && !(hasLimit && canImprove(optimistic)))
      break; // smaller tiles move more, unless a mask hides some of them
  }
  current.sizes[loop] = steps[loop];
  optimistic.sizes[loop] = before;
}

/// Makes tiles of streamed loops as large as there is room, the innermost
/// dimension first. These loops cost no traffic, and fewer tiles are simpler.
void TileSearch::growStreamedLoops() {
  current = best;
  for (unsigned loop : llvm::reverse(streamedLoops))
    for (int64_t size :
         candidateSizes(workload.loops[loop].extent, steps[loop])) {
      int64_t before = current.sizes[loop];
      current.sizes[loop] = size;
      if (fits(capacity) &&
          traffic.countBytes(current, traffic.returningLoops(current),
                             *bestBytes))
        break;
      current.sizes[loop] = before;
    }
  best = current;
}

/// Makes more tiles where several engines work on different ones, as far as
/// that moves no more bytes. Engines then wait little for the first and the
/// last tile. Parts of the op seldom cut reductions, so there must be enough
/// tiles along these alone.
void TileSearch::cutForEngines() {
  constexpr int64_t enoughTiles = 16;
  auto isReduction = [&](unsigned loop) {
    return workload.loops[loop].kind == utils::IteratorType::reduction;
  };
  auto countTiles = [&](bool ofReductions) {
    int64_t tiles = 1;
    for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
      if (isReduction(loop) || !ofReductions)
        tiles = checkedMul(tiles, traffic.model().trips(best, loop))
                    .value_or(maxCount);
    return tiles;
  };
  mostBytes = *bestBytes;
  SmallVector<unsigned> loops(reuseLoops);
  llvm::append_range(loops, streamedLoops);
  std::stable_partition(loops.begin(), loops.end(), isReduction);
  for (unsigned loop : loops)
    for (int64_t size :
         candidateSizes(workload.loops[loop].extent, steps[loop])) {
      if (countTiles(isReduction(loop)) >= enoughTiles)
        break;
      current = best;
      current.sizes[loop] = size;
      if (size < best.sizes[loop] && fits(capacity) && chooseOrder(current))
        best = current;
    }
}

TileLevelAttr TileSearch::makeLevel() const {
  MLIRContext *mlirContext = context.op->getContext();
  SmallVector<std::pair<StringRef, int64_t>> sizes, held;
  for (auto [size, loop] : llvm::zip(best.sizes, workload.loops))
    sizes.push_back({loop.name, size});
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    held.push_back({buffer.name, heldOf(best, index)});
  SmallVector<StringAttr> order;
  for (unsigned loop : best.order)
    order.push_back(StringAttr::get(mlirContext, workload.loops[loop].name));
  return TileLevelAttr::get(
      mlirContext, StringAttr::get(mlirContext, context.tileMemory()->name),
      getAmounts(mlirContext, sizes), order, getAmounts(mlirContext, held), {});
}

FailureOr<TileLevelAttr> TileSearch::run() {
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    if (Count bytes = traffic.model().compulsoryBytes(buffer); succeeded(bytes))
      leastBytes += *bytes;
  if (!fits(capacity)) {
    Count least = workingSetBytes();
    if (failed(least))
      return context.refuse() << "has a smallest tile above 2^61 - 1 bytes";
    return context.refuse()
           << "has a smallest tile that takes " << *least << " bytes of '"
           << context.tileMemory()->name << "', which has " << capacity << ": "
           << *least - capacity << " too many; the target needs a larger one";
  }
  Tiling optimistic =
      workload.maskedLoops.any() ? withoutCuts(0) : withLeastCuts(0);
  enumerateSizes(0, optimistic);
  if (!bestBytes || !traffic.areCyclesCountable(*bestBytes))
    return context.refuse()
           << "has more than 2^61 - 1 bytes, or a value inside is computed "
              "again, with every tile that fits";
  growStreamedLoops();
  if (!context.with.empty() && !handsOverOnce)
    cutForEngines();
  return makeLevel();
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Chooses what one unit works on at a time.
static FailureOr<TileLevelAttr> chooseUnitLevel(const OpOnTarget &context,
                                                const UnitKernel &kernel,
                                                SmallVector<int64_t, 4> bytes,
                                                bool arePerStage) {
  UnitMachine machine = unitMachineOf(context, kernel);
  if (!arePerStage && failed(addRereads(context, kernel, machine, bytes)))
    return failure();
  double total = 0;
  for (int64_t moved : bytes)
    total += double(moved);
  UnitTile tile = kernel.chooseTile({/*memory=*/total, /*cached=*/0}, machine);
  MLIRContext *mlirContext = context.op->getContext();
  SmallVector<std::pair<StringRef, int64_t>> sizes;
  for (auto [size, loop] : llvm::zip(tile, context.workload.loops))
    sizes.push_back({loop.name, size});
  return TileLevelAttr::get(
      mlirContext, StringAttr::get(mlirContext, unitLevelName),
      getAmounts(mlirContext, sizes), {}, getAmounts(mlirContext, {}), {});
}

static bool hasRows(const Workload &workload) {
  return llvm::any_of(workload.loops, [](const Loop &loop) {
    return loop.tiles == Loop::Tiles::PerStage;
  });
}

bool mlir::llm::mustSweepRows(const OpOnTarget &context) {
  return context.tileMemory() && hasRows(context.workload) &&
         !TileSearch(context, TileSearch::Tiles::HeldOnce).hasFittingTile();
}

/// Searches tiles that fill granules if there is room for one, else any tiles.
/// Rows are cut if not a single one fits, because sweeping again costs more
/// than fetching the next one late.
static TileSearch startSearch(const OpOnTarget &context,
                              bool handsOverOnce = false) {
  using Tiles = TileSearch::Tiles;
  for (Tiles tiles : {Tiles::FillingGranules, Tiles::OfAnySize}) {
    TileSearch search(context, tiles, handsOverOnce);
    if (search.hasFittingTile())
      return search;
  }
  bool fitsOnce = hasRows(context.workload) && !mustSweepRows(context);
  return TileSearch(context, fitsOnce ? Tiles::HeldOnce : Tiles::CuttingRows,
                    handsOverOnce);
}

static int64_t cyclesWith(const OpOnTarget &context, TileLevelAttr level) {
  auto tile =
      TileAttr::get(context.op->getContext(), TileStrategy::Search, level, {});
  FailureOr<PartFigures> cost = computePartFigures(context, tile);
  return succeeded(cost) ? cost->cycles.total() : maxCount;
}

/// Chooses the faster of two ways: engines that wait for each other leave room
/// for larger tiles.
static FailureOr<TileLevelAttr> chooseLevelTogether(const OpOnTarget &context) {
  TileSearch once = startSearch(context, /*handsOverOnce=*/true);
  FailureOr<TileLevelAttr> waiting = once.run();
  TileSearch twice = startSearch(context);
  if (failed(waiting) || !twice.hasFittingTile())
    return waiting;
  FailureOr<TileLevelAttr> flowing = twice.run();
  if (failed(flowing))
    return failure();
  return cyclesWith(context, *waiting) < cyclesWith(context, *flowing)
             ? waiting
             : flowing;
}

FailureOr<TileAttr> mlir::llm::searchTile(const OpOnTarget &context) {
  // If an engine lacks a rate, no tile has a cost.
  if (failed(computeCycles(context)))
    return failure();
  SmallVector<TileLevelAttr, 2> levels;
  SmallVector<int64_t, 4> bytes;
  bool arePerStage = false;
  if (context.tileMemory()) {
    if (!context.with.empty()) {
      FailureOr<TileLevelAttr> level = chooseLevelTogether(context);
      if (failed(level))
        return failure();
      return TileAttr::get(context.op->getContext(), TileStrategy::Search,
                           *level, {});
    }
    TileSearch search = startSearch(context);
    FailureOr<TileLevelAttr> level = search.run();
    if (failed(level))
      return failure();
    levels.push_back(*level);
    bytes = *search.movedBytes();
    arePerStage = search.sweepsPerStage();
  } else {
    FailureOr<Movement> once = moveCompulsory(context);
    if (failed(once))
      return failure();
    bytes = once->bytes.back();
  }
  if (std::unique_ptr<UnitKernel> kernel = unitKernelOf(context)) {
    FailureOr<TileLevelAttr> level =
        chooseUnitLevel(context, *kernel, std::move(bytes), arePerStage);
    if (failed(level))
      return failure();
    levels.push_back(*level);
  }
  return TileAttr::get(context.op->getContext(), TileStrategy::Search, levels,
                       {});
}
