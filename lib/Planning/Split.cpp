//===- Split.cpp - An op as parts that may run at once --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Split.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Cost/Movement.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

Split::Split(const Workload &workload) : whole(workload.fullBox()) {
  for (const Loop &loop : workload.loops) {
    names.push_back(loop.name);
    sizes.push_back(loop.extent);
  }
}

bool Split::canCut(const Loop &loop) {
  return loop.kind == utils::IteratorType::parallel && loop.isTileable();
}

int64_t Split::countAlong(unsigned loop) const {
  return llvm::divideCeil(whole[loop].size(), sizes[loop]);
}

void Split::cut(unsigned loop, int64_t size) {
  sizes[loop] = size;
  // This cannot exceed the number of the op's points, which is known to fit.
  boxes = checkedMul(boxes, countAlong(loop)).value_or(maxCount);
}

/// Finds the reduction for any engine.
static std::optional<PartialReduction>
getReduction(const OpOnTarget &context, unsigned loop, int64_t parts) {
  const Loop &cut = context.workload.loops[loop];
  if (cut.kind != utils::IteratorType::reduction || !cut.isTileable())
    return std::nullopt;
  WorkloadOpInterface op = context.op;
  return op.getPartialReduction(context.workload, loop, parts);
}

static bool canJoin(const OpOnTarget &context,
                    const PartialReduction &reduction) {
  return !context.engine ||
         context.kinds().containsAll(reduction.combine.engineKinds());
}

std::optional<PartialReduction>
Split::findReduction(const OpOnTarget &context, unsigned loop, int64_t parts) {
  std::optional<PartialReduction> found = getReduction(context, loop, parts);
  return found && canJoin(context, *found) ? found : std::nullopt;
}

LogicalResult Split::cut(const OpOnTarget &context, StringRef name,
                         int64_t count) {
  std::optional<unsigned> loop = context.workload.findLoop(name);
  if (!loop) // tile-C7
    return context.refuse() << "has a split that names loop '" << name
                            << "', which the op does not have";
  const Loop &whole = context.workload.loops[*loop];
  std::optional<PartialReduction> joined;
  if (!reduction)
    joined = getReduction(context, *loop, count);
  bool isCarried = whole.tiles == Loop::Tiles::InOrder;
  if (!canCut(whole) && !joined && !isCarried) // tile-C8
    return context.refuse()
           << "has a split that names loop '" << name
           << "', whose iterations depend on each other; expected a parallel "
              "loop, one reduction of which the op can join partial results, "
              "or one loop along which a value is carried";
  if (isCarried && count > 1 && std::exchange(carried, *loop)) // tile-C8
    return context.refuse()
           << "has a split that names two loops along which a value "
              "is carried; expected one";
  int64_t size = llvm::divideCeil(whole.extent, std::min(count, whole.extent));
  int64_t possible = llvm::divideCeil(whole.extent, size);
  if (count != possible) // tile-C9
    return context.refuse()
           << "has a split that cuts the " << whole.extent
           << " iterations of loop '" << name << "' into " << count
           << " parts; equal parts, the last one shorter, are " << possible;
  cut(*loop, size);
  if (!joined || count == 1)
    return success();
  if (!canJoin(context, *joined)) // tile-C11
    return context.refuse()
           << "has a split that cuts the reduction '" << name
           << "', but engine '" << context.engine->name
           << "' cannot join the partial results: it is no vector engine";
  reduction = std::move(joined);
  return success();
}

FailureOr<Split> Split::get(const OpOnTarget &context, DictionaryAttr split) {
  Split result(context.workload);
  if (!split)
    return result;
  for (NamedAttribute entry : split)
    if (failed(result.cut(context, entry.getName(),
                          getAmount(split, entry.getName()))))
      return failure();
  if (result.carried && result.reduction) // tile-C8
    return context.refuse()
           << "has a split that cuts a reduction, and a loop along "
              "which a value is carried; expected one of them";
  if (result.partCount() > maxParts) // tile-C10
    return context.refuse() << "has more than " << maxParts << " parts";
  return result;
}

scheduling::Chains Split::chains() const {
  scheduling::Chains chains;
  if (!carried)
    return chains;
  chains.length = countAlong(*carried);
  for (unsigned loop = *carried + 1; loop < sizes.size(); ++loop)
    chains.stride *= countAlong(loop);
  return chains;
}

SmallVector<Interval, 6> Split::boxOf(int64_t part) const {
  SmallVector<Interval, 6> box = whole;
  for (unsigned loop = box.size(); loop-- > 0;) {
    int64_t count = countAlong(loop);
    int64_t begin = whole[loop].begin + part % count * sizes[loop];
    box[loop] = {begin, std::min(begin + sizes[loop], whole[loop].end)};
    part /= count;
  }
  return box;
}

/// Whether parts of one size differ by their place, because masks and tables
/// see different elements.
static bool dependsOnPlace(const Workload &workload, unsigned loop) {
  bool isMasked = !workload.maskedLoops.empty() && workload.maskedLoops[loop];
  return isMasked || llvm::any_of(workload.buffers, [](const Buffer &buffer) {
           return buffer.isGathered;
         });
}

SmallVector<int64_t, 12> Split::shapeOf(const OpOnTarget &context,
                                        int64_t part) const {
  SmallVector<int64_t, 12> shape;
  if (combines(part))
    return shape;
  WorkloadOpInterface op = context.op;
  for (auto [loop, interval] : llvm::enumerate(boxOf(part))) {
    shape.push_back(interval.size());
    if (!dependsOnPlace(context.workload, loop))
      continue;
    // The length comes first, so that different shapes have different keys.
    SmallVector<int64_t> place = op.getPlace(context.workload, loop, interval);
    shape.push_back(place.size());
    llvm::append_range(shape, place);
  }
  return shape;
}

DictionaryAttr Split::toAttr(MLIRContext *context) const {
  SmallVector<std::pair<StringRef, int64_t>> amounts;
  for (auto [loop, name] : llvm::enumerate(names))
    if (countAlong(loop) > 1)
      amounts.push_back({name, countAlong(loop)});
  return amounts.empty() ? DictionaryAttr() : getAmounts(context, amounts);
}

OpOnTarget Split::partOf(const OpOnTarget &context, int64_t part) const {
  Workload own = combines(part)
                     ? reduction->combine
                     : (reduction ? reduction->part : context.workload)
                           .within(boxOf(part));
  return context.partWith(std::move(own));
}

/// The tiles of each buffer that a part holds, at most those of the op.
static SmallVector<int64_t, 4> tilesHeldByPart(const OpOnTarget &part,
                                               TileLevelAttr level,
                                               const Tiling &tiling) {
  SmallVector<int64_t, 4> held;
  for (auto [index, buffer] : llvm::enumerate(part.workload.buffers)) {
    int64_t tiles = getAmount(level.getBuffers(), buffer.name);
    held.push_back(tiles ? std::min(tiles, TileModel::tilesHeld(part.workload,
                                                                index, tiling))
                         : 0);
  }
  return held;
}

/// Makes the same level with tiles no larger than the part, and no next tile if
/// there is none.
static FailureOr<TileLevelAttr> levelOfPart(const OpOnTarget &part,
                                            TileLevelAttr level) {
  MLIRContext *context = level.getContext();
  FailureOr<Tiling> tiling = readTilingOfPart(part, level);
  if (failed(tiling))
    return failure();
  SmallVector<std::pair<StringRef, int64_t>> sizes, held;
  for (auto [loop, size] : llvm::zip_equal(part.workload.loops, tiling->sizes))
    sizes.push_back({loop.name, size});
  for (auto [buffer, tiles] : llvm::zip_equal(
           part.workload.buffers, tilesHeldByPart(part, level, *tiling)))
    if (tiles > 0)
      held.push_back({buffer.name, tiles});
  return TileLevelAttr::get(context, level.getMemory(),
                            getAmounts(context, sizes), level.getOrder(),
                            getAmounts(context, held), level.getResident());
}

FailureOr<TileAttr> mlir::llm::tileOfPart(const OpOnTarget &part,
                                          TileAttr tile) {
  MLIRContext *context = tile.getContext();
  if (tile.getStrategy() == TileStrategy::Theoretical) {
    std::optional<ClosedForm> form = ClosedForm::get(part);
    return form ? form->getTile(part)
                : TileAttr::get(context, tile.getStrategy(), {}, {});
  }
  SmallVector<TileLevelAttr> levels;
  for (TileLevelAttr level : tile.getLevels()) {
    FailureOr<TileLevelAttr> own = levelOfPart(part, level);
    if (failed(own))
      return failure();
    levels.push_back(*own);
  }
  return TileAttr::get(context, tile.getStrategy(), levels, {});
}

namespace {
/// The first level of a tile, made for a part of the op.
struct PartTile {
  TileModel model;
  Tiling tiling;
  SmallVector<int64_t, 4> held; ///< tiles of each buffer

  static FailureOr<PartTile> get(const OpOnTarget &part, TileAttr tile);
};
} // namespace

// Makes no attribute, because every way to cut an op asks.
FailureOr<PartTile> PartTile::get(const OpOnTarget &part, TileAttr tile) {
  TileLevelAttr level = tile.getLevels().front();
  FailureOr<Tiling> tiling = readTilingOfPart(part, level);
  if (failed(tiling))
    return failure();
  SmallVector<int64_t, 4> held = tilesHeldByPart(part, level, *tiling);
  for (int64_t &tiles : held)
    tiles = std::max<int64_t>(1, tiles);
  return PartTile{TileModel(part.op, part.workload), std::move(*tiling),
                  std::move(held)};
}

/// Whether the part has tiles. Theoretical costs have none.
static bool hasTiles(const OpOnTarget &part, TileAttr tile) {
  return tile.getStrategy() != TileStrategy::Theoretical &&
         !tile.getLevels().empty() && part.tileMemory();
}

bool mlir::llm::fits(const OpOnTarget &part, TileAttr tile) {
  if (!hasTiles(part, tile))
    return true;
  FailureOr<PartTile> own = PartTile::get(part, tile);
  if (failed(own))
    return false;
  Count bytes = own->model.workingSetBytes(own->tiling, own->held);
  return succeeded(bytes) && *bytes <= part.tileCapacityBytes();
}

SmallVector<int64_t, 4> mlir::llm::stagingBytes(const OpOnTarget &part,
                                                TileAttr tile) {
  SmallVector<int64_t, 4> rooms(part.workload.buffers.size(), 0);
  if (!hasTiles(part, tile))
    return rooms;
  FailureOr<PartTile> own = PartTile::get(part, tile);
  if (failed(own))
    return rooms;
  for (auto [buffer, room] : llvm::enumerate(rooms)) {
    Count bytes = own->model.tileBytes(own->tiling, buffer);
    if (succeeded(bytes))
      room = checkedMul(*bytes, own->held[buffer]).value_or(0);
  }
  return rooms;
}

FailureOr<TileAttr> mlir::llm::tileOfCombine(const OpOnTarget &combine,
                                             TileAttr tile) {
  return tile.getStrategy() == TileStrategy::Theoretical
             ? tileOfPart(combine, tile)
             : searchTile(combine);
}
