//===- SplitChoices.cpp - Ways to cut an op for several engines -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Analysis/SplitChoices.h"
#include "llm/Analysis/Program.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Iterations of each loop in a part.
using Sizes = SmallVector<int64_t, 6>;

/// Looks for the best way to cut an op into so many parts.
class Cutter {
public:
  Cutter(const OpOnTarget &context, int64_t computeCycles);

  /// Nothing where the op cannot be cut into more than one part.
  std::optional<Sizes> cut(int64_t parts);
  /// The same with a reduction cut, too, where that is clearly faster than all
  /// ways to cut the op without it into so many parts, half as many, ...
  std::optional<Sizes> cutReduction(int64_t parts);
  /// The bytes of all that can be fetched ahead for a part of these sizes.
  double slicesOf(ArrayRef<int64_t> sizes) const;

private:
  /// How long the longest part is, how many there are, and what all of them
  /// touch together.
  struct Estimate {
    double cycles = 0, parts = 0, bytes = 0;
    bool operator<(const Estimate &other) const {
      // What differs by less than a thousandth is equally long.
      if (cycles < other.cycles * 0.999 || other.cycles < cycles * 0.999)
        return cycles < other.cycles;
      return bytes < other.bytes;
    }
  };
  Estimate estimate(const Workload &workload) const;
  /// On all engines, through what of DRAM's bandwidth they can take.
  double cyclesOfAll(const Estimate &estimate) const;
  double cyclesOfCombine(const Workload &combine) const;
  double bytesOfPart(const Workload &workload, unsigned buffer,
                     ArrayRef<int64_t> sizes) const;
  /// Calls `visit` with `current` for each way to cut the loops into as many
  /// parts as are `left`.
  void enumerate(ArrayRef<unsigned> loops, int64_t left,
                 function_ref<void()> visit);

  const OpOnTarget &context;
  double computeCycles, bytesPerCycle, bytesPerCycleOfAll;
  SmallVector<unsigned, 6> loops;      ///< that can be cut
  SmallVector<unsigned, 2> reductions; ///< of which results can be joined
  Sizes current, uncut;
};

} // namespace

Cutter::Cutter(const OpOnTarget &context, int64_t computeCycles)
    : context(context), computeCycles(double(computeCycles)) {
  const Memory &dram = context.target->dram();
  bytesPerCycleOfAll =
      double(dram.usableBytesPerSecond()) / double(context.target->clockHz);
  double port = double(context.target->portLanes(*context.engine, dram));
  bytesPerCycle = bytesPerCycleOfAll * port / double(dram.lanes);
  bytesPerCycleOfAll *=
      std::min(1.0, double(context.engine->count) * port / double(dram.lanes));
  for (auto [index, loop] : llvm::enumerate(context.workload.loops)) {
    uncut.push_back(loop.extent);
    if (loop.extent == 1)
      continue;
    if (Split::canCut(loop))
      loops.push_back(index);
    else if (Split::findReduction(context, index, 2))
      reductions.push_back(index);
  }
  current = uncut;
}

/// Of the first or the last part, whichever touches more: masks and tables are
/// counted as they are there.
double Cutter::bytesOfPart(const Workload &workload, unsigned buffer,
                           ArrayRef<int64_t> sizes) const {
  const Buffer &touched = workload.buffers[buffer];
  if (touched.role == Buffer::Role::Temporary)
    return 0;
  WorkloadOpInterface op = context.op;
  double most = 0;
  for (bool isLast : {false, true}) {
    SmallVector<Interval, 6> box = workload.fullBox();
    for (auto [interval, size] : llvm::zip_equal(box, sizes))
      (isLast ? interval.begin : interval.end) =
          isLast ? interval.end - size : interval.begin + size;
    Count elements = op.countElements(workload, buffer, box);
    Count bytes =
        succeeded(elements) ? storageBytes(touched, *elements) : elements;
    most = std::max(most, succeeded(bytes) ? double(*bytes) : double(maxCount));
  }
  return most;
}

double Cutter::slicesOf(ArrayRef<int64_t> sizes) const {
  double bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(context.workload.buffers))
    if (buffer.role == Buffer::Role::Read && findFetchWaits(context.op, buffer))
      bytes += bytesOfPart(context.workload, index, sizes);
  return bytes;
}

Cutter::Estimate Cutter::estimate(const Workload &workload) const {
  double share = 1, parts = 1, bytes = 0;
  for (auto [size, extent] : llvm::zip_equal(current, uncut)) {
    share *= double(size) / double(extent);
    parts *= double(llvm::divideCeil(extent, size));
  }
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    bytes += bytesOfPart(workload, buffer, current);
  return {std::max(computeCycles * share, bytes / bytesPerCycle), parts,
          bytes * parts};
}

double Cutter::cyclesOfAll(const Estimate &estimate) const {
  double rounds = std::ceil(estimate.parts / double(context.engine->count));
  return std::max(estimate.cycles * rounds,
                  estimate.bytes / bytesPerCycleOfAll);
}

double Cutter::cyclesOfCombine(const Workload &combine) const {
  Sizes whole;
  for (const Loop &loop : combine.loops)
    whole.push_back(loop.extent);
  double bytes = 0, cycles = 0;
  for (unsigned buffer = 0; buffer < combine.buffers.size(); ++buffer)
    bytes += bytesOfPart(combine, buffer, whole);
  FailureOr<int64_t> compute =
      llm::computeCycles({context.op, combine, context.target, context.engine});
  cycles = succeeded(compute) ? double(*compute) : double(maxCount);
  return double(context.engine->overheadCycles) +
         std::max(cycles, bytes / bytesPerCycle);
}

/// Each loop into every number of parts that divides what is left, as far as it
/// has iterations.
void Cutter::enumerate(ArrayRef<unsigned> loops, int64_t left,
                       function_ref<void()> visit) {
  if (loops.empty())
    return visit();
  unsigned loop = loops.front();
  for (int64_t count = 1; count <= std::min(left, uncut[loop]); ++count) {
    if (left % count != 0)
      continue;
    current[loop] = llvm::divideCeil(uncut[loop], count);
    enumerate(loops.drop_front(), left / count, visit);
  }
  current[loop] = uncut[loop];
}

std::optional<Sizes> Cutter::cut(int64_t parts) {
  std::optional<Estimate> least;
  Sizes best = uncut;
  if (loops.empty())
    return std::nullopt;
  enumerate(loops, parts, [&] {
    Estimate found = estimate(context.workload);
    if (!least || found < *least) {
      least = found;
      best = current;
    }
  });
  return best;
}

std::optional<Sizes> Cutter::cutReduction(int64_t parts) {
  constexpr double clearly = 0.9;
  double least = std::numeric_limits<double>::max();
  for (int64_t fewer = parts; fewer > 0 && !reductions.empty(); fewer /= 2)
    enumerate(loops, fewer, [&] {
      least = std::min(least, cyclesOfAll(estimate(context.workload)));
    });
  least *= clearly;
  std::optional<Sizes> best;
  for (unsigned reduction : reductions) {
    for (int64_t count = 2; count <= std::min(parts, uncut[reduction]);
         ++count) {
      if (parts % count != 0)
        continue;
      int64_t size = llvm::divideCeil(uncut[reduction], count);
      PartialReduction partial = *Split::findReduction(
          context, reduction, llvm::divideCeil(uncut[reduction], size));
      double combine = cyclesOfCombine(partial.combine);
      current[reduction] = size;
      enumerate(loops, parts / count, [&] {
        double found = cyclesOfAll(estimate(partial.part)) + combine;
        if (found < least) {
          least = found;
          best = current;
        }
      });
      current[reduction] = uncut[reduction];
    }
  }
  return best;
}

static TileAttr withSplit(TileAttr tile, DictionaryAttr split) {
  return TileAttr::get(tile.getContext(), tile.getStrategy(), tile.getLevels(),
                       split);
}

static bool hasMemoryEngine(const Target &target) {
  return llvm::any_of(target.engines, [](const Engine &engine) {
    return engine.kinds.contains(EngineKind::Memory);
  });
}

static DictionaryAttr splitOf(const OpOnTarget &context, const Sizes &sizes) {
  Split split(context.workload);
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size < context.workload.loops[loop].extent)
      split.cut(loop, size);
  return split.toAttr(context.op->getContext());
}

/// In parts of these sizes, if those are several.
static FailureOr<std::optional<CostedTile>>
cutTile(const OpOnTarget &context, TileAttr tile, const Sizes &sizes) {
  DictionaryAttr split = splitOf(context, sizes);
  if (!split)
    return std::optional<CostedTile>();
  TileAttr cut = withSplit(tile, split);
  FailureOr<CostAttr> cost = computeCost(context, cut);
  if (failed(cost))
    return failure();
  return std::optional<CostedTile>({cut, *cost});
}

/// Partial results are wider than results: the tile of the op may be too large
/// for them.
static bool fitsPartial(const OpOnTarget &context, TileAttr tile,
                        const Sizes &sizes) {
  FailureOr<Split> split = Split::get(context, splitOf(context, sizes));
  return succeeded(split) && fits(split->partOf(context, 0), tile);
}

/// Those that all parts move; at most `maxCount`.
static int64_t bytesOf(CostAttr cost) {
  int64_t sum = 0;
  for (PartCostAttr part : cost.getParts())
    for (NamedAttribute entry : part.getTraffic()) {
      std::optional<int64_t> bytes =
          checkedMul(part.getBytes(entry.getName()), part.getCount());
      sum = checkedAdd(sum, bytes.value_or(maxCount)).value_or(maxCount);
    }
  return sum;
}

/// With a reduction cut, too, where that may be and is faster.
static std::optional<Sizes> findSizes(const OpOnTarget &context, TileAttr tile,
                                      Cutter &cutter, int64_t parts,
                                      bool cutsReductions) {
  if (cutsReductions)
    if (std::optional<Sizes> sizes = cutter.cutReduction(parts);
        sizes && fitsPartial(context, tile, *sizes))
      return sizes;
  return cutter.cut(parts);
}

/// Adds those with E / 2, E / 4, ... parts behind the whole op, in which all
/// parts together move fewer bytes than in the first of `choices` behind it.
static LogicalResult addFewerParts(const OpOnTarget &context, TileAttr tile,
                                   Cutter &cutter,
                                   SmallVectorImpl<CostedTile> &choices) {
  SmallVector<CostedTile> fewer;
  int64_t leastBytes = bytesOf(choices[1].cost);
  for (int64_t parts = context.engine->count / 2; parts > 1; parts /= 2) {
    std::optional<Sizes> sizes = cutter.cut(parts);
    if (!sizes)
      break;
    FailureOr<std::optional<CostedTile>> choice =
        cutTile(context, tile, *sizes);
    if (failed(choice))
      return failure();
    if (!*choice || bytesOf((*choice)->cost) >= leastBytes / 100 * 99)
      break;
    leastBytes = bytesOf((*choice)->cost);
    fewer.push_back(**choice);
  }
  choices.insert(choices.begin() + 1, fewer.rbegin(), fewer.rend());
  return success();
}

FailureOr<SmallVector<CostedTile>>
mlir::llm::splitChoices(const OpOnTarget &context, CostedTile given,
                        bool cutsReductions) {
  FailureOr<CostAttr> derived = computeCost(context, given.tile);
  if (failed(derived))
    return failure();
  if (given.tile.getStrategy() == TileStrategy::Manual ||
      given.cost != *derived)
    return SmallVector<CostedTile>{given};
  TileAttr tile = withSplit(given.tile, {});
  FailureOr<CostAttr> whole = computeCost(context, tile);
  if (failed(whole))
    return failure();
  SmallVector<CostedTile> choices = {{tile, *whole}};
  int64_t engines = context.engine->count;
  bool fetches = hasMemoryEngine(*context.target);
  if (engines == 1 && !fetches)
    return choices;

  Cutter cutter(context, whole->getParts().front().getComputeCycles());
  constexpr int64_t mostParts = 1 << 16, slicesInMemory = 8;
  double smallEnough =
      double(context.tileCapacityBytes()) / double(slicesInMemory);
  // Of a small op it wins little.
  cutsReductions &= double(bytesOf(*whole)) >= smallEnough;
  Sizes last;
  // E, 2 E, 3 E, 4 E, 6 E, 8 E, ...
  for (int64_t parts = std::max<int64_t>(engines, 2), next = 2 * parts;
       parts <= mostParts;
       parts =
           std::exchange(next, next % 3 == 0 ? next / 3 * 4 : next / 2 * 3)) {
    std::optional<Sizes> sizes =
        findSizes(context, tile, cutter, parts, cutsReductions);
    if (!sizes || *sizes == last)
      break;
    last = *sizes;
    FailureOr<std::optional<CostedTile>> choice = cutTile(context, tile, last);
    if (failed(choice))
      return failure();
    if (!*choice)
      break;
    choices.push_back(**choice);
    if (parts >= 4 * engines &&
        (!fetches || cutter.slicesOf(last) <= smallEnough))
      break;
  }
  if (choices.size() > 1 &&
      failed(addFewerParts(context, tile, cutter, choices)))
    return failure();
  return choices;
}
