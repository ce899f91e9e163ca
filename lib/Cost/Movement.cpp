//===- Movement.cpp - What a tiled op moves, and its room -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Movement.h"
#include "llm/Cost/CostModel.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

/// Fails if the tile has a size for a loop that is none of the op.
static LogicalResult checkSizes(const OpOnTarget &context,
                                TileLevelAttr level) {
  const Workload &workload = context.workload;
  SmallVector<StringRef> known;
  for (const Loop &loop : workload.loops)
    known.push_back(loop.name);
  for (NamedAttribute size : level.getSizes())
    if (StringRef name = size.getName(); !llvm::is_contained(known, name))
      return context.refuse()
             << "tile has a size for loop '" << name
             << "', which the op does not have" << didYouMean(name, known)
             << " (its loops are " << llvm::join(known, ", ") << ")";
  return success();
}

static FailureOr<Tiling> readTiling(const OpOnTarget &context,
                                    TileLevelAttr level, bool isOfWholeOp) {
  const Workload &workload = context.workload;
  Tiling tiling;
  // Units work side by side, and each stage is one of an item.
  bool isOfUnit = level.getMemory().getValue() == unitLevelName;
  if (failed(checkSizes(context, level)))
    return failure();
  for (const Loop &loop : workload.loops) {
    if (!level.getSizes().get(loop.name))
      return context.refuse() << "tile has no size for loop '" << loop.name
                              << "'; expected one in [1, " << loop.extent
                              << "]";
    int64_t size = getAmount(level.getSizes(), loop.name);
    if (!isOfWholeOp)
      size = std::min(size, loop.extent);
    if (size < 1 || size > loop.extent)
      return context.refuse()
             << "tile size of loop '" << loop.name << "' must be in [1, "
             << loop.extent << "], got " << size;
    bool isWhole = loop.tiles == Loop::Tiles::Whole ||
                   (isOfUnit && loop.tiles != Loop::Tiles::AnyOrder);
    if (isWhole && size != loop.extent)
      return context.refuse()
             << "loop '" << loop.name << "' cannot be cut: its tile must be "
             << loop.extent << ", got " << size;
    tiling.sizes.push_back(size);
  }
  // The order names loops that have a size, which are loops of the op.
  for (StringAttr name : level.getOrder())
    tiling.order.push_back(*workload.findLoop(name));
  for (auto [place, loop] : llvm::enumerate(tiling.order))
    if (const Loop &row = workload.loops[loop];
        row.tiles == Loop::Tiles::PerStage && tiling.sizes[loop] < row.extent)
      for (unsigned inner : ArrayRef(tiling.order).drop_front(place + 1))
        if (tiling.sizes[inner] < workload.loops[inner].extent)
          return context.refuse()
                 << "each of its stages sweeps over all tiles of loop '"
                 << row.name
                 << "': no loop that is cut may be inside of it, as '"
                 << workload.loops[inner].name << "' is";
  if (!isOfWholeOp)
    return tiling; // a part of a reduction may lack buffers of the op
  for (NamedAttribute held : level.getBuffers())
    if (llvm::none_of(workload.buffers, [&](const Buffer &buffer) {
          return buffer.name == held.getName().getValue();
        }))
      return context.refuse()
             << "tile names buffer '" << held.getName().getValue()
             << "', which the op does not have";
  return tiling;
}

FailureOr<Tiling> mlir::llm::readTiling(const OpOnTarget &context,
                                        TileLevelAttr level) {
  return ::readTiling(context, level, /*isOfWholeOp=*/true);
}

FailureOr<Tiling> mlir::llm::readTilingOfPart(const OpOnTarget &part,
                                              TileLevelAttr level) {
  return ::readTiling(part, level, /*isOfWholeOp=*/false);
}

SmallVector<int64_t, 4> mlir::llm::tilesHeld(const Workload &workload,
                                             TileLevelAttr level) {
  SmallVector<int64_t, 4> held;
  for (const Buffer &buffer : workload.buffers)
    held.push_back(
        std::max<int64_t>(1, getAmount(level.getBuffers(), buffer.name)));
  return held;
}

SmallVector<int64_t, 2> mlir::llm::roomsInFront(const Target &target) {
  SmallVector<int64_t, 2> rooms;
  int64_t room = 0;
  for (const Memory *memory : target.sharedMemories()) {
    rooms.push_back(room);
    room = std::max(room, memory->bytesPerEngine.value_or(0));
  }
  return rooms;
}

SmallVector<Tiling, 2> mlir::llm::tilingsSeen(const Target &target,
                                              const TileModel &model,
                                              const Tiling &tiling) {
  SmallVector<Tiling, 2> tilings;
  for (int64_t room : roomsInFront(target)) {
    std::optional<Tiling> kept;
    if (room > 0)
      kept = model.growTilesInto(room, tiling);
    tilings.push_back(kept.value_or(tiling));
  }
  return tilings;
}

FailureOr<Movement> mlir::llm::moveCompulsory(const OpOnTarget &context) {
  TileModel model(context.op, context.workload);
  Movement movement;
  Movement::OfBuffers once;
  int64_t total = 0;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count bytes = model.compulsoryBytes(buffer);
    std::optional<int64_t> sum =
        succeeded(bytes) ? checkedAdd(total, *bytes) : std::nullopt;
    if (!sum)
      return context.refuseOverflow();
    total = *sum;
    once.push_back(*bytes);
  }
  movement.bytes.assign(context.target->sharedMemories().size(), once);
  movement.workingSetBytes = std::min(total, context.tileCapacityBytes());
  return movement;
}

static bool isResident(TileLevelAttr level, const Buffer &buffer) {
  return llvm::any_of(level.getResident(), [&](StringAttr name) {
    return name.getValue() == buffer.name;
  });
}

/// Checks that what is said to lie in a memory fits into it.
static LogicalResult checkResident(const OpOnTarget &context,
                                   const TileModel &model,
                                   TileLevelAttr level) {
  Count all = int64_t(0);
  for (StringAttr name : level.getResident()) {
    for (auto [index, buffer] : llvm::enumerate(context.workload.buffers))
      if (buffer.name == name.getValue())
        all = plus(all, model.compulsoryBytes(index));
  }
  if (succeeded(all) && *all <= context.tileCapacityBytes())
    return success();
  return context.refuse() << "has resident buffers that do not fit into '"
                          << level.getMemory().getValue() << "', which has "
                          << context.tileCapacityBytes() << " bytes";
}

/// Fails if a figure exceeds 64 bits.
static LogicalResult countBytes(const OpOnTarget &context,
                                const TileModel &model, const Tiling &tiling,
                                Movement &movement) {
  bool hasRate = context.tileMemory()->bytesPerSecond > 0;
  unsigned buffers = context.workload.buffers.size();
  for (const Tiling &tiles : tilingsSeen(*context.target, model, tiling)) {
    Movement::OfBuffers &bytes = movement.bytes.emplace_back();
    for (unsigned buffer = 0; buffer < buffers; ++buffer) {
      Count moved = model.trafficBytes(tiles, buffer);
      if (failed(moved))
        return failure();
      bytes.push_back(*moved);
    }
  }
  Count used = int64_t(0);
  for (unsigned buffer = 0; hasRate && buffer < buffers; ++buffer)
    used = plus(used, model.usedBytes(tiling, buffer));
  if (failed(used))
    return failure();
  movement.usedBytes = *used;
  return success();
}

static FailureOr<Movement> moveThroughLevel(const OpOnTarget &context,
                                            TileLevelAttr level) {
  FailureOr<Tiling> tiling = readTiling(context, level);
  if (failed(tiling))
    return failure();
  TileModel model(context.op, context.workload);
  if (failed(checkResident(context, model, level)))
    return failure();
  Movement movement;
  for (auto [index, buffer] : llvm::enumerate(context.workload.buffers)) {
    if (buffer.isKept && !model.isKept(*tiling, index))
      return context.refuse()
             << "has a tile that would compute '" << buffer.name
             << "' again: loops that it does not have must be inside of those "
                "that it has, or uncut";
    movement.resident.push_back(isResident(level, buffer));
  }
  if (failed(countBytes(context, model, *tiling, movement)))
    return context.refuseOverflow();
  Count workingSet =
      model.workingSetBytes(*tiling, tilesHeld(context.workload, level));
  if (failed(workingSet))
    return context.refuseOverflow();
  if (*workingSet > context.tileCapacityBytes())
    return context.refuse()
           << "has a tile that takes " << *workingSet << " bytes of '"
           << level.getMemory().getValue() << "', which has "
           << context.tileCapacityBytes() << ": "
           << *workingSet - context.tileCapacityBytes()
           << " too many; make its sizes smaller, or run --llm-tile for a tile "
              "that fits";
  movement.workingSetBytes = *workingSet;
  movement.isPerStage = model.sweepsPerStage(*tiling);
  return movement;
}

/// The levels that a searched or manual tile must have: one for the engine's
/// private memory, one for its units.
static SmallVector<StringRef> levelNames(const OpOnTarget &context,
                                         bool hasUnits) {
  SmallVector<StringRef> names;
  if (const Memory *memory = context.tileMemory())
    names.push_back(memory->name);
  if (hasUnits)
    names.push_back(unitLevelName);
  return names;
}

static LogicalResult checkLevels(const OpOnTarget &context, TileAttr tile,
                                 bool hasUnits) {
  SmallVector<StringRef> expected = levelNames(context, hasUnits), found;
  for (TileLevelAttr level : tile.getLevels())
    found.push_back(level.getMemory().getValue());
  if (expected == found)
    return success();
  if (context.engine->costModel == CostModelKind::Roofline)
    return context.refuse() << "has a tile level, but the cost_model "
                               "\"roofline\" of engine '"
                            << context.engine->name << "' knows of no tiles";
  if (expected.empty())
    return context.refuse()
           << "has a tile level, but engine '" << context.engine->name
           << "' has no private memory";
  return context.refuse() << "needs a tile with "
                          << (expected.size() == 1 ? "one level" : "two levels")
                          << ", for "
                          << (context.tileMemory() ? "memory '" : "the '")
                          << llvm::join(expected, "' and '") << "' of engine '"
                          << context.engine->name << "'; it has "
                          << (found.empty()
                                  ? "none"
                                  : "'" + llvm::join(found, "' and '") + "'");
}

FailureOr<Movement> mlir::llm::moveTiled(const OpOnTarget &context,
                                         TileAttr tile, bool hasUnits) {
  if (failed(checkLevels(context, tile, hasUnits)))
    return failure();
  return context.tileMemory()
             ? moveThroughLevel(context, tile.getLevels().front())
             : moveCompulsory(context);
}
