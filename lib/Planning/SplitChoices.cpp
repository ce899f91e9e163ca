//===- SplitChoices.cpp - Ways to cut an op for several engines -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/SplitChoices.h"
#include "llm/Cost/TileModel.h"
#include "llm/Program/Program.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>
#include <map>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Iterations of each loop in a part.
using Sizes = SmallVector<int64_t, 6>;

/// Looks for the best way to cut an op into so many parts.
class Cutter {
public:
  Cutter(const OpOnTarget &context, int64_t computeCycles);

  /// Nothing if the op cannot be cut into more than one part.
  const std::optional<Sizes> &cut(int64_t parts) { return cutInto(parts).best; }
  /// Does the same with a reduction cut, too, and with what joining its parts
  /// takes.
  std::optional<Sizes> cutReduction(int64_t parts);
  /// Whether these sizes are clearly faster on all engines than every way
  /// without a cut reduction that has so many parts, half as many, ...
  bool isClearlyFaster(ArrayRef<int64_t> sizes, int64_t parts);
  /// The bytes of all that can be fetched ahead for a part of these sizes.
  double slicesOf(ArrayRef<int64_t> sizes) const;
  int64_t countParts(ArrayRef<int64_t> sizes) const;
  bool canCutReductions() const { return !reductions.empty(); }
  /// The largest number of parts, without a reduction or with one.
  int64_t mostParts(bool reduced) const;

private:
  /// The length of the longest part, the number of parts, and what all of them
  /// touch together.
  struct Estimate {
    double cycles = 0, parts = 0, bytes = 0;
    bool operator<(const Estimate &other) const {
      // Lengths that differ by less than a thousandth are equal.
      if (cycles < other.cycles * 0.999 || other.cycles < cycles * 0.999)
        return cycles < other.cycles;
      return bytes < other.bytes;
    }
  };
  /// For each buffer, the loops of which a part touches the product of its
  /// sizes. There are none for buffers whose elements must be counted.
  struct Touched {
    Touched(WorkloadOpInterface op, const Workload &workload);
    const Workload &workload;
    SmallVector<std::optional<SmallVector<unsigned, 4>>, 4> loopsOf;
    SmallVector<int64_t, 4> bytesPerElement; ///< see wholeBytesOf()
  };
  /// The best way without a cut reduction, and the shortest time on all
  /// engines of any such way.
  struct Plain {
    std::optional<Sizes> best;
    double leastCyclesOfAll = std::numeric_limits<double>::max();
  };
  const Plain &cutInto(int64_t parts);
  Estimate estimate(const Touched &touched) const;
  /// The time on all engines, with as much of the memories' bandwidth as they
  /// can use.
  double cyclesOfAll(const Estimate &estimate) const;
  double cyclesOfCombine(const Workload &combine) const;
  /// What is known of a reduction cut into so many parts.
  struct Reduced {
    Reduced(WorkloadOpInterface op, PartialReduction &&given)
        : partial(std::move(given)), touched(op, partial.part) {}
    PartialReduction partial;
    Touched touched; ///< by a part
    double combineCycles = 0;
  };
  const Reduced &reducedTo(unsigned reduction, int64_t size);
  double bytesOfPart(const Touched &touched, unsigned buffer,
                     ArrayRef<int64_t> sizes) const;
  double countBytesOfPart(const Workload &workload, unsigned buffer,
                          ArrayRef<int64_t> sizes) const;
  /// Calls `visit` with `current` for each way to cut the loops into as many
  /// parts as are `left`.
  void enumerate(ArrayRef<unsigned> loops, int64_t left,
                 function_ref<void()> visit);

  const OpOnTarget &context;
  Touched whole;
  double computeCycles, bytesPerCycle, bytesPerCycleOfAll;
  SmallVector<unsigned, 6> loops;      ///< that can be cut
  SmallVector<unsigned, 2> reductions; ///< of which results can be joined
  Sizes current, uncut;
  std::map<int64_t, Plain> plain; ///< by the number of parts
  /// By reduction and iterations of a part. Several numbers of parts ask for
  /// the same.
  std::map<std::pair<unsigned, int64_t>, Reduced> reduced;
};

} // namespace

Cutter::Cutter(const OpOnTarget &context, int64_t computeCycles)
    : context(context), whole(context.op, context.workload),
      computeCycles(double(computeCycles)) {
  const Target &target = *context.target;
  double clock = double(target.clockHz);
  bytesPerCycle = double(slowestPortBytesPerSecond(context)) / clock;
  bytesPerCycleOfAll = double(context.countTeams()) * bytesPerCycle;
  for (const Memory *memory : target.sharedMemories())
    bytesPerCycleOfAll = std::min(
        bytesPerCycleOfAll, double(memory->usableBytesPerSecond()) / clock);
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

/// Returns the loops of a buffer if each iteration of these touches an element
/// of its own.
static std::optional<SmallVector<unsigned, 4>>
productLoopsOf(WorkloadOpInterface op, const Workload &workload,
               unsigned buffer) {
  if (workload.buffers[buffer].isGathered)
    return std::nullopt;
  SmallVector<unsigned, 4> loops;
  Count iterations = int64_t(1);
  // set_bits() refers to the bits, which must outlive the loop.
  llvm::SmallBitVector used = workload.loopsOf(workload.buffers[buffer]);
  for (unsigned loop : used.set_bits()) {
    loops.push_back(loop);
    iterations = times(iterations, workload.loops[loop].extent);
  }
  Count touched = op.countElements(workload, buffer, workload.fullBox());
  if (failed(touched) || failed(iterations) || *touched != *iterations)
    return std::nullopt;
  return loops;
}

Cutter::Touched::Touched(WorkloadOpInterface op, const Workload &workload)
    : workload(workload), loopsOf(workload.buffers.size()) {
  for (const Buffer &buffer : workload.buffers)
    bytesPerElement.push_back(wholeBytesOf(buffer.elementType));
  if (!hidesNothing(op, workload))
    return;
  for (auto [buffer, loops] : llvm::enumerate(loopsOf))
    if (workload.buffers[buffer].role != Buffer::Role::Temporary)
      loops = productLoopsOf(op, workload, buffer);
}

double Cutter::bytesOfPart(const Touched &touched, unsigned buffer,
                           ArrayRef<int64_t> sizes) const {
  const Buffer &own = touched.workload.buffers[buffer];
  if (own.role == Buffer::Role::Temporary)
    return 0;
  if (!touched.loopsOf[buffer])
    return countBytesOfPart(touched.workload, buffer, sizes);
  std::optional<int64_t> elements = 1;
  for (unsigned loop : *touched.loopsOf[buffer])
    elements = elements ? checkedMul(*elements, sizes[loop]) : std::nullopt;
  int64_t each = touched.bytesPerElement[buffer];
  if (elements && each > 0 && *elements <= maxCount / (8 * each))
    return double(*elements * each);
  Count bytes = elements ? storageBytes(own, *elements) : Count(failure());
  return succeeded(bytes) ? double(*bytes) : double(maxCount);
}

/// Counts the bytes of the first or the last part, whichever touches more. What
/// masks and tables leave there is counted exactly.
double Cutter::countBytesOfPart(const Workload &workload, unsigned buffer,
                                ArrayRef<int64_t> sizes) const {
  const Buffer &touched = workload.buffers[buffer];
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
      bytes += bytesOfPart(whole, index, sizes);
  return bytes;
}

Cutter::Estimate Cutter::estimate(const Touched &touched) const {
  double share = 1, parts = 1, bytes = 0;
  for (auto [size, extent] : llvm::zip_equal(current, uncut)) {
    share *= double(size) / double(extent);
    parts *= double(llvm::divideCeil(extent, size));
  }
  for (unsigned buffer = 0; buffer < touched.loopsOf.size(); ++buffer)
    bytes += bytesOfPart(touched, buffer, current);
  return {std::max(computeCycles * share, bytes / bytesPerCycle), parts,
          bytes * parts};
}

double Cutter::cyclesOfAll(const Estimate &estimate) const {
  double rounds = std::ceil(estimate.parts / double(context.countTeams()));
  return std::max(estimate.cycles * rounds,
                  estimate.bytes / bytesPerCycleOfAll);
}

double Cutter::cyclesOfCombine(const Workload &combine) const {
  Sizes all;
  for (const Loop &loop : combine.loops)
    all.push_back(loop.extent);
  double bytes = 0, cycles = 0;
  Touched touched(context.op, combine);
  for (unsigned buffer = 0; buffer < combine.buffers.size(); ++buffer)
    bytes += bytesOfPart(touched, buffer, all);
  FailureOr<int64_t> compute = llm::computeCycles(context.partWith(combine));
  cycles = succeeded(compute) ? double(*compute) : double(maxCount);
  return double(context.overheadCycles()) +
         std::max(cycles, bytes / bytesPerCycle);
}

/// Cuts each loop into every number of parts that divides what is left, as far
/// as it has iterations.
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

const Cutter::Plain &Cutter::cutInto(int64_t parts) {
  auto [known, isNew] = plain.try_emplace(parts);
  Plain &found = known->second;
  if (!isNew)
    return found;
  std::optional<Estimate> least;
  enumerate(loops, parts, [&] {
    Estimate own = estimate(whole);
    found.leastCyclesOfAll = std::min(found.leastCyclesOfAll, cyclesOfAll(own));
    if (loops.empty() || (least && !(own < *least)))
      return;
    least = own;
    found.best = current;
  });
  return found;
}

const Cutter::Reduced &Cutter::reducedTo(unsigned reduction, int64_t size) {
  auto known = reduced.find({reduction, size});
  if (known != reduced.end())
    return known->second;
  Reduced &found =
      reduced
          .try_emplace(
              {reduction, size}, context.op,
              *Split::findReduction(context, reduction,
                                    llvm::divideCeil(uncut[reduction], size)))
          .first->second;
  found.combineCycles = cyclesOfCombine(found.partial.combine);
  return found;
}

std::optional<Sizes> Cutter::cutReduction(int64_t parts) {
  std::optional<Estimate> least;
  Sizes best;
  for (unsigned reduction : reductions) {
    for (int64_t count = 2; count <= std::min(parts, uncut[reduction]);
         ++count) {
      if (parts % count != 0)
        continue;
      int64_t size = llvm::divideCeil(uncut[reduction], count);
      const Reduced &own = reducedTo(reduction, size);
      current[reduction] = size;
      enumerate(loops, parts / count, [&] {
        Estimate found = estimate(own.touched);
        found.cycles += own.combineCycles;
        if (!least || found < *least) {
          least = found;
          best = current;
        }
      });
      current[reduction] = uncut[reduction];
    }
  }
  return least ? std::optional<Sizes>(std::move(best)) : std::nullopt;
}

bool Cutter::isClearlyFaster(ArrayRef<int64_t> sizes, int64_t parts) {
  constexpr double clearly = 0.9;
  double least = std::numeric_limits<double>::max();
  for (int64_t fewer = parts; fewer > 0; fewer /= 2)
    least = std::min(least, cutInto(fewer).leastCyclesOfAll);
  for (unsigned reduction : reductions) {
    if (sizes[reduction] == uncut[reduction])
      continue;
    const Reduced &own = reducedTo(reduction, sizes[reduction]);
    current.assign(sizes.begin(), sizes.end());
    double found = cyclesOfAll(estimate(own.touched)) + own.combineCycles;
    current = uncut;
    return found < least * clearly;
  }
  return false;
}

int64_t Cutter::countParts(ArrayRef<int64_t> sizes) const {
  int64_t parts = 1;
  for (auto [size, extent] : llvm::zip_equal(sizes, uncut))
    parts = checkedMul(parts, int64_t(llvm::divideCeil(extent, size)))
                .value_or(maxCount);
  return parts;
}

int64_t Cutter::mostParts(bool reduced) const {
  Sizes least = uncut;
  for (unsigned loop : loops)
    least[loop] = 1;
  for (unsigned loop : reductions)
    if (reduced)
      least[loop] = 1;
  return countParts(least);
}

static TileAttr withSplit(TileAttr tile, DictionaryAttr split) {
  return TileAttr::get(tile.getContext(), tile.getStrategy(), tile.getLevels(),
                       split);
}

static DictionaryAttr splitOf(const OpOnTarget &context, const Sizes &sizes) {
  Split split(context.workload);
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size < context.workload.loops[loop].extent)
      split.cut(loop, size);
  return split.toAttr(context.op->getContext());
}

/// Partial results are wider than results, so the tile of the op may be too
/// large for them.
static bool fitsPartial(const OpOnTarget &context, TileAttr tile,
                        const Sizes &sizes) {
  FailureOr<Split> split = Split::get(context, splitOf(context, sizes));
  return succeeded(split) && fits(split->partOf(context, 0), tile);
}

/// The bytes that all parts move; at most `maxCount`.
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

namespace {
/// Collects the ways to cut one op that the scheduler may choose.
class Ladder {
public:
  Ladder(const OpOnTarget &context, const CostStamps &stamps,
         const CostedTile &whole)
      : context(context), stamps(stamps), tile(whole.tile),
        engines(context.countTeams()),
        memoryEngines(context.target->countMemoryEngines()),
        cutter(context, whole.cost.getParts().front().getComputeCycles()),
        choices({whole}) {}

  /// Adds ways with more and more parts.
  LogicalResult addPlain();
  /// Adds ways with a reduction cut, if that may pay.
  LogicalResult addReduced();
  /// Adds a way with as many parts as fill the memory's bandwidth, if those are
  /// fewer than the engines.
  LogicalResult addFilling();
  LogicalResult addFewerParts();
  bool canPay() const { return engines > 1 || memoryEngines > 0; }
  SmallVector<CostedTile> take() { return std::move(choices); }

private:
  /// Calls `add` with E, 2 E, 3 E, 4 E, 6 E, 8 E, ... parts until it has
  /// enough.
  LogicalResult climb(int64_t most, function_ref<FailureOr<bool>(int64_t)> add);
  /// Whether finer parts can win no more.
  bool isFine(int64_t parts, ArrayRef<int64_t> sizes);
  /// Slices of this size leave room for several in private memory.
  double smallEnough() const {
    constexpr double slicesInMemory = 8;
    return double(context.tileCapacityBytes()) / slicesInMemory;
  }
  /// Cuts the op into parts of these sizes, if there are several.
  FailureOr<std::optional<CostedTile>> cutTile(const Sizes &sizes) const;
  /// Returns false if the op cannot be cut into parts of these sizes.
  FailureOr<bool> add(ArrayRef<int64_t> sizes);

  const OpOnTarget &context;
  const CostStamps &stamps;
  TileAttr tile;
  int64_t engines, memoryEngines;
  Cutter cutter;
  SmallVector<CostedTile> choices;
};
} // namespace

bool Ladder::isFine(int64_t parts, ArrayRef<int64_t> sizes) {
  int64_t sharing = engines + memoryEngines;
  if (parts < 4 * sharing)
    return false;
  double slices = cutter.slicesOf(sizes);
  if (memoryEngines == 0 || slices <= smallEnough())
    return true;
  // Each part of attention reads all keys of a head, however few queries it
  // has: its slices do not get smaller.
  if (parts < 32 * sharing)
    return false;
  const std::optional<Sizes> &coarser = cutter.cut(parts / 4);
  return coarser && slices > 0.9 * cutter.slicesOf(*coarser);
}

FailureOr<std::optional<CostedTile>> Ladder::cutTile(const Sizes &sizes) const {
  DictionaryAttr split = splitOf(context, sizes);
  if (!split)
    return std::optional<CostedTile>();
  TileAttr cut = withSplit(tile, split);
  FailureOr<CostAttr> cost = computeCost(context, cut, stamps);
  if (failed(cost))
    return failure();
  return std::optional<CostedTile>({cut, *cost});
}

FailureOr<bool> Ladder::add(ArrayRef<int64_t> sizes) {
  FailureOr<std::optional<CostedTile>> choice = cutTile(Sizes(sizes));
  if (failed(choice))
    return failure();
  if (*choice)
    choices.push_back(**choice);
  return choice->has_value();
}

LogicalResult Ladder::climb(int64_t most,
                            function_ref<FailureOr<bool>(int64_t)> add) {
  constexpr int64_t mostParts = 1 << 16;
  for (int64_t parts = std::max<int64_t>(engines, 2), next = 2 * parts;
       parts <= std::min(mostParts, most);
       parts =
           std::exchange(next, next % 3 == 0 ? next / 3 * 4 : next / 2 * 3)) {
    FailureOr<bool> isEnough = add(parts);
    if (failed(isEnough))
      return failure();
    if (*isEnough)
      break;
  }
  return success();
}

LogicalResult Ladder::addPlain() {
  int64_t most = 1;
  // A rung may give no more parts than the one before: of 8 heads, 6 parts are
  // 4 of 2 heads each, and 8 parts are 8 again.
  auto add = [&](int64_t parts) -> FailureOr<bool> {
    const std::optional<Sizes> &sizes = cutter.cut(parts);
    if (!sizes)
      return true;
    if (cutter.countParts(*sizes) > most) {
      most = cutter.countParts(*sizes);
      if (failed(this->add(*sizes)))
        return failure();
    }
    return isFine(parts, *sizes);
  };
  // The first rung may have more parts than the op can have.
  return climb(2 * std::max(engines, cutter.mostParts(false)), add);
}

LogicalResult Ladder::addReduced() {
  // To cut a reduction wins little for a small op.
  if (!cutter.canCutReductions() ||
      double(bytesOf(choices.front().cost)) < smallEnough())
    return success();
  int64_t most = 1;
  auto add = [&](int64_t parts) -> FailureOr<bool> {
    const std::optional<Sizes> &plain = cutter.cut(parts);
    bool isEnough = plain && isFine(parts, *plain);
    std::optional<Sizes> sizes = cutter.cutReduction(parts);
    if (!sizes || cutter.countParts(*sizes) <= most ||
        !fitsPartial(context, tile, *sizes))
      return isEnough;
    most = cutter.countParts(*sizes);
    // If slices of plain parts are so large that few of them fit, nothing is
    // fetched ahead. That loses more than joining does.
    bool isTooLarge = memoryEngines > 0 &&
                      (!plain || cutter.slicesOf(*plain) > 2 * smallEnough());
    if (!isTooLarge && !cutter.isClearlyFaster(*sizes, parts))
      return isEnough;
    if (failed(this->add(*sizes)))
      return failure();
    return isEnough || isFine(parts, *sizes);
  };
  return climb(2 * std::max(engines, cutter.mostParts(true)), add);
}

LogicalResult Ladder::addFilling() {
  int64_t parts = engines;
  for (const Memory *memory : context.target->sharedMemories())
    parts = std::min(parts, llvm::divideCeilSigned(
                                memory->lanes, context.target->portLanes(
                                                   *context.engine, *memory)));
  if (parts < 2 || parts >= engines)
    return success();
  std::optional<Sizes> sizes = cutter.cut(parts);
  if (!sizes)
    return success();
  FailureOr<std::optional<CostedTile>> choice = cutTile(*sizes);
  if (failed(choice))
    return failure();
  if (*choice && llvm::none_of(choices, [&](const CostedTile &known) {
        return known.tile == (*choice)->tile;
      }))
    choices.insert(choices.begin() + 1, **choice);
  return success();
}

/// Adds ways with E / 2, E / 4, ... parts behind the whole op. Each is added if
/// all its parts together move fewer bytes than those of the first of `choices`
/// behind it.
LogicalResult Ladder::addFewerParts() {
  if (choices.size() < 2)
    return success();
  SmallVector<CostedTile> fewer;
  int64_t leastBytes = bytesOf(choices[1].cost);
  for (int64_t parts = engines / 2; parts > 1; parts /= 2) {
    std::optional<Sizes> sizes = cutter.cut(parts);
    if (!sizes)
      break;
    FailureOr<std::optional<CostedTile>> choice = cutTile(*sizes);
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

FailureOr<bool> mlir::llm::isByHand(const OpOnTarget &context,
                                    CostedTile given) {
  if (given.tile.getStrategy() == TileStrategy::Pinned)
    return true;
  FailureOr<CostAttr> derived = computeCost(context, given.tile);
  if (failed(derived))
    return failure();
  return given.cost != *derived;
}

FailureOr<SmallVector<CostedTile>>
mlir::llm::splitChoices(const OpOnTarget &context, CostedTile given,
                        bool cutsReductions) {
  CostStamps stamps(context);
  CostedTile whole = given;
  if (given.tile.getSplit()) {
    whole.tile = withSplit(given.tile, {});
    FailureOr<CostAttr> cost = computeCost(context, whole.tile, stamps);
    if (failed(cost))
      return failure();
    whole.cost = *cost;
  }
  Ladder ladder(context, stamps, whole);
  if (ladder.canPay() &&
      (failed(ladder.addPlain()) || failed(ladder.addFewerParts()) ||
       failed(ladder.addFilling()) ||
       (cutsReductions && failed(ladder.addReduced()))))
    return failure();
  return ladder.take();
}
