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

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Looks for the best way to cut an op into so many parts.
class Cutter {
public:
  Cutter(const OpOnTarget &context, int64_t computeCycles);

  /// Iterations of each loop in a part; nothing where the op cannot be cut into
  /// more than one part.
  std::optional<SmallVector<int64_t, 6>> cut(int64_t parts);
  /// The bytes of all that can be fetched ahead for a part of these sizes.
  double slicesOf(ArrayRef<int64_t> sizes) const;

private:
  /// How long the longest part is, and what all of them touch together.
  struct Estimate {
    double cycles = 0, bytes = 0;
    bool operator<(const Estimate &other) const {
      // What differs by less than a thousandth is equally long.
      if (cycles < other.cycles * 0.999 || other.cycles < cycles * 0.999)
        return cycles < other.cycles;
      return bytes < other.bytes;
    }
  };
  Estimate estimate() const;
  double bytesOfPart(unsigned buffer, ArrayRef<int64_t> sizes) const;
  void enumerate(unsigned position, int64_t left);

  const OpOnTarget &context;
  double computeCycles, bytesPerCycle;
  SmallVector<unsigned, 6> loops; ///< that can be cut
  SmallVector<int64_t, 6> current, best;
  std::optional<Estimate> bestEstimate;
};

} // namespace

Cutter::Cutter(const OpOnTarget &context, int64_t computeCycles)
    : context(context), computeCycles(double(computeCycles)) {
  const Memory &dram = context.target->dram();
  bytesPerCycle = double(dram.usableBytesPerSecond()) /
                  double(context.target->clockHz) *
                  double(context.target->portLanes(*context.engine, dram)) /
                  double(dram.lanes);
  for (auto [index, loop] : llvm::enumerate(context.workload.loops)) {
    current.push_back(loop.extent);
    if (Split::canCut(loop) && loop.extent > 1)
      loops.push_back(index);
  }
}

/// Of the first or the last part, whichever touches more: masks and tables are
/// counted as they are there.
double Cutter::bytesOfPart(unsigned buffer, ArrayRef<int64_t> sizes) const {
  const Buffer &touched = context.workload.buffers[buffer];
  if (touched.role == Buffer::Role::Temporary)
    return 0;
  WorkloadOpInterface op = context.op;
  double most = 0;
  for (bool isLast : {false, true}) {
    SmallVector<Interval, 6> box = context.workload.fullBox();
    for (auto [interval, size] : llvm::zip_equal(box, sizes))
      (isLast ? interval.begin : interval.end) =
          isLast ? interval.end - size : interval.begin + size;
    Count elements = op.countElements(context.workload, buffer, box);
    Count bytes =
        succeeded(elements) ? storageBytes(touched, *elements) : elements;
    most = std::max(most, succeeded(bytes) ? double(*bytes) : double(maxCount));
  }
  return most;
}

double Cutter::slicesOf(ArrayRef<int64_t> sizes) const {
  double bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(context.workload.buffers))
    if (buffer.role == Buffer::Role::Read && findWriters(buffer.value))
      bytes += bytesOfPart(index, sizes);
  return bytes;
}

Cutter::Estimate Cutter::estimate() const {
  double share = 1, parts = 1, bytes = 0;
  for (unsigned loop : loops) {
    int64_t extent = context.workload.loops[loop].extent;
    share *= double(current[loop]) / double(extent);
    parts *= double(llvm::divideCeil(extent, current[loop]));
  }
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    bytes += bytesOfPart(buffer, current);
  return {std::max(computeCycles * share, bytes / bytesPerCycle),
          bytes * parts};
}

/// Each cuttable loop from `position` on into every number of parts that
/// divides what is left, as far as it has iterations.
void Cutter::enumerate(unsigned position, int64_t left) {
  if (position == loops.size()) {
    Estimate found = estimate();
    if (!bestEstimate || found < *bestEstimate) {
      bestEstimate = found;
      best = current;
    }
    return;
  }
  unsigned loop = loops[position];
  int64_t extent = context.workload.loops[loop].extent;
  for (int64_t count = 1; count <= std::min(left, extent); ++count) {
    if (left % count != 0)
      continue;
    current[loop] = llvm::divideCeil(extent, count);
    enumerate(position + 1, left / count);
  }
  current[loop] = extent;
}

std::optional<SmallVector<int64_t, 6>> Cutter::cut(int64_t parts) {
  if (loops.empty())
    return std::nullopt;
  bestEstimate.reset();
  enumerate(0, parts);
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

/// In parts of these sizes, if those are several.
static FailureOr<std::optional<CostedTile>>
cutTile(const OpOnTarget &context, TileAttr tile, ArrayRef<int64_t> sizes) {
  Split split(context.workload);
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size < context.workload.loops[loop].extent)
      split.cut(loop, size);
  DictionaryAttr attr = split.toAttr(tile.getContext());
  if (!attr)
    return std::optional<CostedTile>();
  TileAttr cut = withSplit(tile, attr);
  FailureOr<CostAttr> cost = computeCost(context, cut);
  if (failed(cost))
    return failure();
  return std::optional<CostedTile>({cut, *cost});
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

FailureOr<SmallVector<CostedTile>>
mlir::llm::splitChoices(const OpOnTarget &context, CostedTile given) {
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
  SmallVector<int64_t, 6> last;
  // E, 2 E, 3 E, 4 E, 6 E, 8 E, ...
  for (int64_t parts = std::max<int64_t>(engines, 2), next = 2 * parts;
       parts <= mostParts;
       parts =
           std::exchange(next, next % 3 == 0 ? next / 3 * 4 : next / 2 * 3)) {
    std::optional<SmallVector<int64_t, 6>> sizes = cutter.cut(parts);
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
  if (choices.size() == 1)
    return choices;
  // E / 2, E / 4, ...
  SmallVector<CostedTile> fewer;
  int64_t leastBytes = bytesOf(choices[1].cost);
  for (int64_t parts = engines / 2; parts > 1; parts /= 2) {
    FailureOr<std::optional<CostedTile>> choice =
        cutTile(context, tile, *cutter.cut(parts));
    if (failed(choice))
      return failure();
    if (!*choice || bytesOf((*choice)->cost) >= leastBytes / 100 * 99)
      break;
    leastBytes = bytesOf((*choice)->cost);
    fewer.push_back(**choice);
  }
  choices.insert(choices.begin() + 1, fewer.rbegin(), fewer.rend());
  return choices;
}
