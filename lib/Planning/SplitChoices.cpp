//===- SplitChoices.cpp - Ways to cut an op for several engines -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/SplitChoices.h"
#include "Cutter.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace mlir::llm;

/// An op with all that was found about its cuts.
struct mlir::llm::KnownCuts {
  KnownCuts(OpOnTarget op, StampTexts &texts)
      : context(std::move(op)), stamps(context, texts) {}

  FailureOr<CostAttr> costWith(TileAttr tile);

  const OpOnTarget context;
  const CostStamps stamps;
  DenseMap<TileAttr, CostAttr> costs;
  std::optional<Cutter> cutter;
};

FailureOr<CostAttr> KnownCuts::costWith(TileAttr tile) {
  CostAttr &known = costs[tile];
  if (!known) {
    FailureOr<CostAttr> found = computeCost(context, tile, stamps);
    if (failed(found))
      return failure();
    known = *found;
  }
  return known;
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
  Ladder(KnownCuts &known, const CostedTile &whole, int64_t engines)
      : known(known), context(known.context), cutter(*known.cutter),
        tile(whole.tile), engines(engines),
        memoryEngines(context.target->countMemoryEngines()), choices({whole}) {}

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

  KnownCuts &known;
  const OpOnTarget &context;
  Cutter &cutter;
  TileAttr tile;
  int64_t engines, memoryEngines;
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
  FailureOr<CostAttr> cost = known.costWith(cut);
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
    if (!isTooLarge && !cutter.isClearlyFaster(*sizes, parts, engines))
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
  if (*choice && llvm::none_of(choices, [&](const CostedTile &other) {
        return other.tile == (*choice)->tile;
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

SplitChoices::SplitChoices(OpOnTarget context, CostedTile given,
                           StampTexts &texts)
    : given(given),
      known(std::make_unique<KnownCuts>(std::move(context), texts)) {}

SplitChoices::SplitChoices(SplitChoices &&) = default;
SplitChoices::~SplitChoices() = default;

FailureOr<bool> SplitChoices::isByHand() {
  if (given.tile.getStrategy() == TileStrategy::Pinned)
    return true;
  FailureOr<CostAttr> derived = known->costWith(given.tile);
  if (failed(derived))
    return failure();
  return given.cost != *derived;
}

FailureOr<SmallVector<CostedTile>> SplitChoices::find(int64_t engines,
                                                      bool cutsReductions) {
  CostedTile whole = given;
  if (given.tile.getSplit()) {
    whole.tile = withSplit(given.tile, {});
    FailureOr<CostAttr> cost = known->costWith(whole.tile);
    if (failed(cost))
      return failure();
    whole.cost = *cost;
  }
  if (!known->cutter)
    known->cutter.emplace(known->context,
                          whole.cost.getParts().front().getComputeCycles());
  Ladder ladder(*known, whole, engines);
  if (ladder.canPay() &&
      (failed(ladder.addPlain()) || failed(ladder.addFewerParts()) ||
       failed(ladder.addFilling()) ||
       (cutsReductions && failed(ladder.addReduced()))))
    return failure();
  return ladder.take();
}
