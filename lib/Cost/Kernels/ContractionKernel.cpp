//===- ContractionKernel.cpp - Products on many units ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The edges of the tiles that libraries of products ship. Shorter edges feed
/// too few multiply-accumulates for each operand that they load.
static constexpr int64_t tileEdges[] = {256, 128, 64};
/// Fewer rows, for kernels that keep rows whole or have columns that they
/// cannot cut. They take as many rows as there is room for.
static constexpr int64_t shortEdges[] = {32, 16, 8, 4, 2, 1};
/// The numbers of parts that a reduction may be cut into.
static constexpr int64_t splitCounts[] = {1, 2, 3, 4, 6, 8};
/// The least number of terms in each part of a reduction.
static constexpr int64_t leastSplitTerms = 128;
/// So many tiles of shared rows are looked at one by one. If there are more,
/// several are looked at together.
static constexpr int64_t mostSharedTiles = 16384;
/// Bytes of a sum, which is 32-bit.
static constexpr double sumBytes = 4;
/// Bytes for a partial sum, which is written and read once.
static constexpr double partialSumBytes = 8;

//===----------------------------------------------------------------------===//
// From the workload
//===----------------------------------------------------------------------===//

/// Counts tiles of `size` rows. A tile that several slices of `buffer` share
/// counts once for each slice.
static double countSharedTiles(WorkloadOpInterface op, const Workload &workload,
                               unsigned buffer, unsigned loop, int64_t size) {
  SmallVector<Interval, 6> box = workload.fullBox();
  double elementsOfSlice =
      toReal(countElementsOfProduct(workload, buffer, box));
  int64_t rows = workload.loops[loop].extent;
  int64_t first = workload.loops[loop].begin;
  int64_t step = size * int64_t(llvm::divideCeil(rows, size * mostSharedTiles));
  double tiles = 0;
  for (int64_t begin = 0; begin < rows; begin += step) {
    box[loop] = {first + begin, first + std::min(begin + step, rows)};
    double slices =
        toReal(op.countElements(workload, buffer, box)) / elementsOfSlice;
    tiles += double(llvm::divideCeil(box[loop].size(), size)) + slices - 1;
  }
  return tiles;
}

std::unique_ptr<UnitKernel> ContractionKernel::get(WorkloadOpInterface op,
                                                   const Workload &workload) {
  SmallVector<const Stage *, 2> contractions = findContractions(workload);
  SmallVector<unsigned, 2> operands;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (workload.isContracted(buffer))
      operands.push_back(index);
  if (contractions.size() != 1 || operands.size() != 2)
    return nullptr;
  const Buffer &lhs = workload.buffers[operands[0]],
               &rhs = workload.buffers[operands[1]];
  llvm::SmallBitVector ofLhs = workload.loopsOf(lhs),
                       ofRhs = workload.loopsOf(rhs);
  auto kernel = std::make_unique<ContractionKernel>();
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    kernel->extents.push_back(loop.extent);
    kernel->isTileable.push_back(loop.isTileable());
    if (!contractions.front()->loops[index])
      continue;
    Loops &loops =
        ofLhs[index] && ofRhs[index]
            ? (loop.kind == utils::IteratorType::reduction ? kernel->terms
                                                           : kernel->batch)
        : ofLhs[index] ? kernel->rows
                       : kernel->columns;
    loops.push_back(index);
  }
  kernel->lhsBytes = bytesOfElement(lhs);
  kernel->rhsBytes = bytesOfElement(rhs);
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (buffer.role == Buffer::Role::Write)
      kernel->writtenBytes += bytesOfElement(buffer) *
                              toReal(op.countElements(workload, unsigned(index),
                                                      workload.fullBox()));
  kernel->work = sumWork(op, workload);
  // A norm that prepares rows of the left operand is done anew for each item of
  // these rows, because units share nothing but the cache.
  for (auto [index, stage] : llvm::enumerate(workload.stages)) {
    auto has = [&, loops = &stage.loops](const Loops &some) {
      return llvm::any_of(some, [&](unsigned loop) { return (*loops)[loop]; });
    };
    if (!has(kernel->terms) || has(kernel->columns))
      continue;
    addWork(op, workload, index, kernel->rowWork);
    addWork(op, workload, index, kernel->rowStages.emplace_back());
  }
  // If experts share the rows, each tile is of one expert.
  if (rhs.slices == 0 || kernel->rows.size() != 1)
    return kernel;
  SmallVector<int64_t> sizes(std::begin(tileEdges), std::end(tileEdges));
  if (kernel->hasShortItems())
    llvm::append_range(sizes, shortEdges);
  sizes.push_back(kernel->extentOf(kernel->rows));
  for (int64_t size : sizes)
    kernel->sharedRowTiles[size] =
        countSharedTiles(op, workload, operands[1], kernel->rows.front(), size);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static int64_t sizeOf(ArrayRef<unsigned> loops, ArrayRef<int64_t> sizes) {
  return productOf(loops, [&](unsigned loop) { return sizes[loop]; });
}

int64_t ContractionKernel::extentOf(const Loops &loops) const {
  return sizeOf(loops, extents);
}

void ContractionKernel::cutLoops(const Loops &loops, int64_t size,
                                 UnitTile &tile) const {
  auto cut = [&](bool isTileable) {
    for (unsigned loop : llvm::reverse(loops)) {
      if (this->isTileable[loop] != isTileable)
        continue;
      tile[loop] = isTileable ? std::min(size, extents[loop]) : extents[loop];
      size = std::max<int64_t>(1, size / tile[loop]);
    }
  };
  // Loops that stay whole (heads that are rotated) take their share of the edge
  // first.
  cut(/*isTileable=*/false);
  cut(/*isTileable=*/true);
}

UnitTile ContractionKernel::tileOf(Cut cut) const {
  UnitTile tile(extents.begin(), extents.end());
  cutLoops(batch, 1, tile);
  cutLoops(rows, cut.m, tile);
  cutLoops(columns, cut.n, tile);
  cutLoops(terms, llvm::divideCeil(extentOf(terms), cut.splits), tile);
  return tile;
}

ContractionKernel::Cut ContractionKernel::cutOf(const UnitTile &tile) const {
  // If a tile has all of its loops, the edge is the smallest one that holds it.
  // The same goes for several loops that do not quite fill an edge.
  auto edgeOf = [&](const Loops &loops) {
    int64_t size = sizeOf(loops, tile);
    if (size <= shortEdges[0] && size < extentOf(loops))
      return size;
    for (int64_t edge : llvm::reverse(tileEdges))
      if (size <= edge)
        return edge;
    return size;
  };
  return {edgeOf(rows), edgeOf(columns),
          int64_t(llvm::divideCeil(extentOf(terms), sizeOf(terms, tile)))};
}

double ContractionKernel::rowTiles(int64_t size) const {
  double even = double(llvm::divideCeil(extentOf(rows), size));
  // A tile made by hand may have a size that is not tried. There are no fewer
  // tiles of that size than of the next larger one.
  auto shared = sharedRowTiles.lower_bound(size);
  return shared != sharedRowTiles.end() ? std::max(even, shared->second) : even;
}

double ContractionKernel::countTiles(int64_t m, int64_t n) const {
  return double(extentOf(batch)) * rowTiles(m) *
         double(llvm::divideCeil(extentOf(columns), n));
}

double ContractionKernel::countItems(Cut cut, int64_t rows) const {
  if (cut.clusterRows == 0)
    return countTiles(cut.m, cut.n) * double(cut.splits);
  return double(extentOf(batch)) *
         double(llvm::alignTo(llvm::divideCeil(rows, cut.m), cut.clusterRows)) *
         double(llvm::divideCeil(extentOf(columns), cut.n));
}

bool ContractionKernel::takesOwnTiles(const UnitMachine &machine) const {
  return !machine.tiles.empty() && sharedRowTiles.empty() && !hasShortItems();
}

/// Takes the tiles for the fewest rows off a library's list.
static ArrayRef<ProductTile> takeFewestRows(ArrayRef<ProductTile> &tiles) {
  ArrayRef<ProductTile> taken = tiles.take_while([&](const ProductTile &tile) {
    return tile.mostRows == tiles.front().mostRows;
  });
  tiles = tiles.drop_front(taken.size());
  return taken;
}

ArrayRef<ProductTile>
ContractionKernel::ownTiles(const UnitMachine &machine) const {
  ArrayRef<ProductTile> rest = machine.tiles, own;
  if (!takesOwnTiles(machine))
    return own;
  int64_t rows = extentOf(this->rows);
  do
    own = takeFewestRows(rest);
  while (!rest.empty() && own.front().mostRows && *own.front().mostRows < rows);
  return own;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

static double roundUp(double value, double granule) {
  return std::ceil(value / granule) * granule;
}

/// Returns the seconds of work at a rate per cycle of one unit, spread over all
/// units.
static double spread(double work, double perCycle, const UnitMachine &machine) {
  return perCycle > 0 ? work / (perCycle * machine.units * machine.clockHz) : 0;
}

bool ContractionKernel::keepsRows() const {
  return !rowStages.empty() &&
         llvm::any_of(terms, [&](unsigned loop) { return !isTileable[loop]; });
}

bool ContractionKernel::hasShortItems() const {
  return keepsRows() || llvm::any_of(columns, [&](unsigned loop) {
           return !isTileable[loop];
         });
}

double ContractionKernel::prepareCycles(Cut cut,
                                        const UnitMachine &machine) const {
  if (!keepsRows())
    return 0;
  double all = double(extentOf(rows)),
         share = std::min(double(cut.m), all) / (all * double(extentOf(batch)));
  double cycles = 0;
  for (const WorkSums &stage : rowStages) {
    double longest = 0;
    for (auto [work, perCycle] : {std::pair{stage.alu, machine.aluPerCycle},
                                  {stage.special, machine.specialPerCycle},
                                  {stage.compare, machine.comparePerCycle}})
      if (perCycle > 0)
        longest = std::max(longest, share * work / perCycle);
    cycles += longest;
  }
  return cycles;
}

double ContractionKernel::streamSeconds(const KernelBytes &bytes,
                                        const UnitMachine &machine) const {
  double all = bytes.all();
  if (all <= 0)
    return 0;
  double fromMemory =
      std::max(bytes.memory / machine.streamBytesPerSecond(),
               spread(bytes.memory, machine.itemBytesPerCycle, machine));
  double seconds = fromMemory + machine.cachedSeconds(bytes.cached);
  // A kernel of several ops may write less than its product has results. Bytes
  // that are written are taken to lie where the others lie, in equal shares.
  double written = std::min(writtenBytes, all);
  return machine.firstByteSeconds +
         seconds * (1 + (machine.writtenByteShare - 1) * written / all);
}

ContractionKernel::Run
ContractionKernel::runOf(Cut cut, int64_t rows, double streamSeconds,
                         const UnitMachine &machine) const {
  double k = double(extentOf(terms));
  double items = countItems(cut, rows);
  // An item of fewer rows than the shortest edge takes as long as one with that
  // edge, unless the library has such tiles.
  double itemRows = double(cut.m);
  if (cut.clusterRows == 0)
    itemRows = std::max(itemRows, double(tileEdges[2]));
  double itemTerms = roundUp(k / double(cut.splits), machine.granuleK);
  double itemMacs = roundUp(itemRows, machine.granuleM) *
                    roundUp(double(cut.n), machine.granuleN) * itemTerms;
  double itemOperands =
      itemTerms * (itemRows * lhsBytes + double(cut.n) * rhsBytes);
  double itemCycles = machine.itemCycles + prepareCycles(cut, machine);
  if (machine.macsPerCycle > 0)
    itemCycles += itemMacs / machine.macsPerCycle;
  if (machine.operandBytesPerCycle > 0)
    itemCycles += itemOperands / machine.operandBytesPerCycle;

  Run run;
  run.unitSeconds =
      std::ceil(items / machine.units) * itemCycles / machine.clockHz;
  run.totalSeconds = overlap(run.unitSeconds, streamSeconds);
  // This is the time in which all units read operands from the cache.
  if (double cacheRate = machine.cacheBytesPerSecond(); cacheRate > 0)
    run.unitSeconds =
        std::max(run.unitSeconds, items * itemOperands / cacheRate);
  run.totalSeconds = std::max(run.totalSeconds, run.unitSeconds);
  return run;
}

double ContractionKernel::fewerRowsSeconds(double streamSeconds,
                                           const UnitMachine &machine) const {
  double seconds = 0;
  if (!takesOwnTiles(machine))
    return seconds;
  ArrayRef<ProductTile> rest = machine.tiles;
  while (!rest.empty() && rest.front().mostRows &&
         *rest.front().mostRows < extentOf(rows)) {
    int64_t most = *rest.front().mostRows;
    double least = 0;
    for (const ProductTile &tile : takeFewestRows(rest)) {
      double run =
          runOf(cutOf(tile), most, streamSeconds, machine).totalSeconds;
      least = least == 0 ? run : std::min(least, run);
    }
    seconds = std::max(seconds, least);
  }
  return seconds;
}

KernelTime ContractionKernel::timeOf(Cut cut, const KernelBytes &bytes,
                                     const UnitMachine &machine) const {
  KernelTime time;
  time.launchSeconds = machine.launchSeconds;
  time.streamSeconds = streamSeconds(bytes, machine);
  Run run = runOf(cut, extentOf(rows), time.streamSeconds, machine);
  double again = double(llvm::divideCeil(extentOf(columns), cut.n) - 1);
  time.unitSeconds = std::max(
      {run.unitSeconds,
       spread(work.alu + again * rowWork.alu, machine.aluPerCycle, machine),
       spread(work.special + again * rowWork.special, machine.specialPerCycle,
              machine),
       spread(work.compare + again * rowWork.compare, machine.comparePerCycle,
              machine)});
  time.totalSeconds = std::max({run.totalSeconds, time.unitSeconds,
                                fewerRowsSeconds(time.streamSeconds, machine)});
  if (cut.splits > 1) {
    time.totalSeconds += machine.splitSeconds;
    if (double cacheRate = machine.cacheBytesPerSecond(); cacheRate > 0)
      time.totalSeconds += partialSumBytes * double(extentOf(batch)) *
                           double(extentOf(rows)) * double(extentOf(columns)) *
                           double(cut.splits) / cacheRate;
  }
  time.totalSeconds += time.launchSeconds;
  return time;
}

KernelTime ContractionKernel::unlimitedTime(const UnitTile &tile,
                                            const KernelBytes &bytes,
                                            const UnitMachine &machine) const {
  // Several of a library's tiles may have all rows, or all columns.
  std::optional<KernelTime> least;
  for (const ProductTile &own : ownTiles(machine)) {
    if (tileOf(cutOf(own)) != tile)
      continue;
    KernelTime time = timeOf(cutOf(own), bytes, machine);
    if (!least || time.totalSeconds < least->totalSeconds)
      least = time;
  }
  return least ? *least : timeOf(cutOf(tile), bytes, machine);
}

std::string ContractionKernel::excessOf(const UnitTile &tile,
                                        const UnitMachine &machine) const {
  auto describe = [](const char *what, double bytes, double room) {
    return llvm::formatv("takes {0:f0} bytes of {1}, a unit has {2:f0}", bytes,
                         what, room)
        .str();
  };
  double tileRows = double(sizeOf(batch, tile)) * double(sizeOf(rows, tile)),
         sums = sumBytes * tileRows * double(sizeOf(columns, tile));
  if (machine.accumulatorBytes > 0 && sums > machine.accumulatorBytes)
    return describe("sums", sums, machine.accumulatorBytes);
  double kept =
      keepsRows() ? lhsBytes * tileRows * double(sizeOf(terms, tile)) : 0;
  if (machine.unitMemoryBytes > 0 && kept > machine.unitMemoryBytes)
    return describe("memory for the rows that it keeps", kept,
                    machine.unitMemoryBytes);
  return "";
}

UnitTile ContractionKernel::chooseTile(const KernelBytes &bytes,
                                       const UnitMachine &machine) const {
  int64_t terms = extentOf(this->terms);
  // Rows that a norm needs whole are reduced in one part.
  bool canSplit = llvm::all_of(this->terms,
                               [&](unsigned loop) { return isTileable[loop]; });
  UnitTile best;
  double leastSeconds = 0;
  auto consider = [&](Cut cut) {
    // If loops stay whole, or several loops share an edge, the tile may have
    // another edge than the cut.
    UnitTile tile = tileOf(cut);
    if (!excessOf(tile, machine).empty())
      return;
    double seconds = unlimitedTime(tile, bytes, machine).totalSeconds;
    if (best.empty() || seconds < leastSeconds)
      leastSeconds = seconds, best = tile;
  };
  if (takesOwnTiles(machine)) {
    for (const ProductTile &own : ownTiles(machine))
      consider(cutOf(own));
    if (!best.empty())
      return best;
  }
  consider({tileEdges[2], tileEdges[2], 1});
  for (int64_t m : tileEdges)
    for (int64_t n : tileEdges) {
      if (machine.accumulatorBytes > 0 &&
          sumBytes * double(m * n) > machine.accumulatorBytes)
        continue;
      // A reduction is cut only if units would idle, and not for a fuller last
      // wave.
      bool isCut = canSplit && countTiles(m, n) < machine.units;
      for (int64_t splits : splitCounts) {
        if (splits > 1 && (!isCut || terms / splits < leastSplitTerms))
          break;
        consider({m, n, splits});
      }
    }
  if (hasShortItems())
    for (int64_t m : shortEdges)
      for (int64_t n : tileEdges)
        consider({m, n, 1});
  // If the smallest tile does not fit either, computing its cost refuses it.
  return best.empty() ? tileOf({1, tileEdges[2], 1}) : best;
}
