//===- Split.cpp - An op as parts that may run at once --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Analysis/Split.h"
#include "llm/Analysis/ClosedForm.h"
#include "llm/Analysis/TileSearch.h"
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
  return loop.kind == utils::IteratorType::parallel && loop.isTileable;
}

int64_t Split::countAlong(unsigned loop) const {
  return llvm::divideCeil(whole[loop].size(), sizes[loop]);
}

void Split::cut(unsigned loop, int64_t size) {
  sizes[loop] = size;
  // No more than one iteration for each point of the op, which is counted.
  boxes = checkedMul(boxes, countAlong(loop)).value_or(maxCount);
}

std::optional<PartialReduction>
Split::findReduction(const OpOnTarget &context, unsigned loop, int64_t parts) {
  const Loop &cut = context.workload.loops[loop];
  if (cut.kind != utils::IteratorType::reduction || !cut.isTileable)
    return std::nullopt;
  WorkloadOpInterface op = context.op;
  std::optional<PartialReduction> reduction =
      op.getPartialReduction(context.workload, loop, parts);
  if (reduction && context.engine &&
      !context.engine->kinds.containsAll(reduction->combine.engineKinds()))
    return std::nullopt;
  return reduction;
}

LogicalResult Split::cutReduction(const OpOnTarget &context, unsigned loop) {
  reduction = findReduction(context, loop, countAlong(loop));
  if (reduction)
    return success();
  Operation *op = context.op;
  return op->emitOpError() // tile-C11
         << "its split cuts the reduction '" << names[loop] << "', but engine '"
         << context.engine->name
         << "' cannot join the partial results: it is no vector engine";
}

LogicalResult Split::cut(const OpOnTarget &context, StringRef name,
                         int64_t count) {
  Operation *op = context.op;
  std::optional<unsigned> loop = context.workload.findLoop(name);
  if (!loop) // tile-C7
    return op->emitOpError() << "its split names loop '" << name
                             << "', which the op does not have";
  const Loop &whole = context.workload.loops[*loop];
  auto isJoined = [&] { // on some engine
    return !reduction &&
           findReduction({context.op, context.workload}, *loop, count);
  };
  if (!canCut(whole) && !isJoined()) // tile-C8
    return op->emitOpError()
           << "its split names loop '" << name
           << "', whose iterations depend on each other; expected a parallel "
              "loop, or one reduction of which the op can join partial results";
  int64_t size = llvm::divideCeil(whole.extent, std::min(count, whole.extent));
  int64_t possible = llvm::divideCeil(whole.extent, size);
  if (count != possible) // tile-C9
    return op->emitOpError()
           << "its split cuts the " << whole.extent << " iterations of loop '"
           << name << "' into " << count
           << " parts; equal parts, the last one shorter, are " << possible;
  cut(*loop, size);
  return canCut(whole) || count == 1 ? success() : cutReduction(context, *loop);
}

FailureOr<Split> Split::get(const OpOnTarget &context, DictionaryAttr split) {
  Split result(context.workload);
  if (!split)
    return result;
  for (NamedAttribute entry : split)
    if (failed(result.cut(context, entry.getName(),
                          getAmount(split, entry.getName()))))
      return failure();
  if (result.partCount() > maxParts) // tile-C10
    return context.op->emitOpError()
           << "has more than " << maxParts << " parts";
  return result;
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
  return {context.op, std::move(own), context.target, context.engine};
}

/// The same level, with tiles no larger than the part, and no next tile where
/// there is none.
static FailureOr<TileLevelAttr> levelOfPart(const OpOnTarget &part,
                                            TileLevelAttr level) {
  MLIRContext *context = level.getContext();
  SmallVector<std::pair<StringRef, int64_t>> sizes, held;
  for (const Loop &loop : part.workload.loops)
    sizes.push_back(
        {loop.name,
         std::min(loop.extent, getAmount(level.getSizes(), loop.name))});
  // A part of a reduction may lack buffers of the op.
  auto clipped =
      TileLevelAttr::get(context, level.getMemory(), getAmounts(context, sizes),
                         level.getOrder(), getAmounts(context, {}), {});
  FailureOr<Tiling> tiling = readTiling(part, clipped);
  if (failed(tiling))
    return failure();
  TileModel model(part.op, part.workload);
  for (auto [index, buffer] : llvm::enumerate(part.workload.buffers))
    if (int64_t tiles = getAmount(level.getBuffers(), buffer.name))
      held.push_back(
          {buffer.name, std::min(tiles, model.tilesHeld(*tiling, index))});
  return TileLevelAttr::get(context, level.getMemory(), clipped.getSizes(),
                            level.getOrder(), getAmounts(context, held),
                            level.getResident());
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

bool mlir::llm::fits(const OpOnTarget &part, TileAttr tile) {
  if (tile.getStrategy() == TileStrategy::Theoretical || !part.tileMemory())
    return true;
  FailureOr<TileLevelAttr> level = levelOfPart(part, tile.getLevels().front());
  if (failed(level))
    return false;
  FailureOr<Tiling> tiling = readTiling(part, *level);
  if (failed(tiling))
    return false;
  SmallVector<int64_t, 4> held;
  for (const Buffer &buffer : part.workload.buffers)
    held.push_back(
        std::max<int64_t>(1, getAmount(level->getBuffers(), buffer.name)));
  Count bytes =
      TileModel(part.op, part.workload).workingSetBytes(*tiling, held);
  return succeeded(bytes) && *bytes <= part.tileCapacityBytes();
}

FailureOr<TileAttr> mlir::llm::tileOfCombine(const OpOnTarget &combine,
                                             TileAttr tile) {
  if (tile.getStrategy() == TileStrategy::Theoretical)
    return TileAttr::get(tile.getContext(), tile.getStrategy(), {}, {});
  return searchTile(combine);
}

int64_t mlir::llm::stagingBytes(const OpOnTarget &part, TileAttr tile,
                                unsigned buffer) {
  if (tile.getStrategy() == TileStrategy::Theoretical || !part.tileMemory() ||
      tile.getLevels().empty())
    return 0;
  FailureOr<TileLevelAttr> level = levelOfPart(part, tile.getLevels().front());
  if (failed(level))
    return 0;
  FailureOr<Tiling> tiling = readTiling(part, *level);
  if (failed(tiling))
    return 0;
  int64_t held = std::max<int64_t>(
      1, getAmount(level->getBuffers(), part.workload.buffers[buffer].name));
  Count bytes = TileModel(part.op, part.workload).tileBytes(*tiling, buffer);
  if (failed(bytes))
    return 0;
  return checkedMul(*bytes, held).value_or(0);
}
