//===- AttentionKernel.cpp - Fused attention on many units ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Keys are cut into so many parts at most (as in FlashAttention).
static constexpr double mostSplits = 128;
/// So many tiles of query rows are looked at one by one. If there are more, one
/// tile stands for several.
static constexpr int64_t mostTiles = 16384;
/// Kernels cut keys if items leave this share of the units without work
/// (FlashAttention's rule for the number of splits).
static constexpr double splitOccupancy = 0.8;
/// A step of generation has so many queries of a sequence at most: a token, and
/// those of a draft.
static constexpr int64_t mostStepQueries = 8;
/// So many heads that share keys are the rows of a product in a step, where
/// kernels have no more (XQA of TensorRT-LLM: 128 of 4, but not 96 of 2).
static constexpr int64_t mostSharingHeads = 32;
/// Bytes for each partial sum. These are 32-bit, and written and read once.
static constexpr double partialBytes = 8;

//===----------------------------------------------------------------------===//
// From the workload
//===----------------------------------------------------------------------===//

int64_t AttentionKernel::extentOf(const Loops &loops) const {
  return productOf(loops,
                   [&](unsigned loop) { return workload.loops[loop].extent; });
}

double AttentionKernel::countVisible(unsigned buffer, Box box) const {
  WorkloadOpInterface counted = op;
  double elementsPerKey =
      toReal(countElementsOfProduct(workload, buffer, box)) /
      double(box[keyLoop].size());
  return toReal(counted.countElements(workload, buffer, box)) / elementsPerKey;
}

/// Keys may lie in several buffers, of which each has some: together the last
/// query sees as many as it has scores. Values are as many once more; latents
/// are both.
void AttentionKernel::findKeysAndValues(unsigned scoresStage) {
  SmallVector<Interval, 6> last = workload.fullBox();
  for (unsigned loop : workload.maskedLoops.set_bits())
    if (loop != keyLoop)
      last[loop].begin = last[loop].end - 1;
  WorkloadOpInterface counted = op;
  double seen = toReal(counted.countPoints(workload, scoresStage, last));
  for (unsigned loop : workload.stages[scoresStage].loops.set_bits())
    if (loop != keyLoop)
      seen /= double(last[loop].size());
  double known = countVisible(keysBuffer, last);
  for (auto [index, buffer] : llvm::enumerate(workload.buffers)) {
    if (index == keysBuffer || !workload.isContracted(buffer) ||
        !workload.loopsOf(buffer)[keyLoop])
      continue;
    double more = countVisible(index, last);
    if (known + more > seen + 0.5) {
      hasValues = true;
      continue;
    }
    furtherKeys.push_back(index);
    known += more;
  }
}

/// Returns how many keys a selection has room for, or 0 if it is one of blocks.
static int64_t countSlots(const Workload &workload, unsigned keysBuffer,
                          unsigned keyLoop) {
  for (Value selected : workload.buffers[keysBuffer].selectedBy)
    for (const Buffer &buffer : workload.buffers)
      if (buffer.value == selected && workload.loopsOf(buffer)[keyLoop])
        return cast<RankedTensorType>(selected.getType()).getShape().back();
  return 0;
}

StringRef AttentionKernel::classOfStep(int64_t queries) const {
  int64_t heads = queries == 1 ? extentOf(groups) : 0;
  if (heads == 1)
    return "attention_decode_mha";
  // Kernels for latents have as many rows as there are heads.
  return heads > mostSharingHeads && hasValues ? "attention_decode_wide"
                                               : "attention_decode";
}

std::unique_ptr<UnitKernel> AttentionKernel::get(WorkloadOpInterface op,
                                                 const Workload &workload) {
  SmallVector<const Stage *, 2> stages = findContractions(workload);
  if (stages.size() != 2)
    return nullptr;
  llvm::SmallBitVector common = stages[0]->loops;
  common &= stages[1]->loops;
  auto kernel = std::make_unique<AttentionKernel>();
  kernel->op = op;
  kernel->workload = workload;
  kernel->work = sumWork(op, workload);
  std::optional<unsigned> keyLoop, keysBuffer;
  for (unsigned loop : common.set_bits())
    if (workload.loops[loop].kind == utils::IteratorType::reduction &&
        workload.loops[loop].isTileable())
      keyLoop = loop;
  if (!keyLoop)
    return nullptr;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (!keysBuffer && workload.isContracted(buffer) &&
        workload.loopsOf(buffer)[*keyLoop])
      keysBuffer = index;
  if (!keysBuffer)
    return nullptr;
  kernel->operandBytes = bytesOfElement(workload.buffers[*keysBuffer]);
  kernel->outBytes = bytesOfElement(
      *llvm::find_if(workload.buffers, [](const Buffer &buffer) {
        return buffer.role == Buffer::Role::Write;
      }));
  kernel->keyLoop = *keyLoop;
  kernel->keysBuffer = *keysBuffer;
  kernel->findKeysAndValues(unsigned(stages[0] - workload.stages.begin()));
  // Queries that select keys of their own count as lanes, each with its heads.
  bool isSelective =
      workload.buffers[*keysBuffer].isGathered ||
      llvm::any_of(kernel->furtherKeys, [&](unsigned buffer) {
        return workload.buffers[buffer].isGathered;
      });
  kernel->slots = double(countSlots(workload, *keysBuffer, *keyLoop));
  for (unsigned buffer : kernel->furtherKeys)
    kernel->slots += double(countSlots(workload, buffer, *keyLoop));
  llvm::SmallBitVector ofKeys = workload.loopsOf(workload.buffers[*keysBuffer]);
  int64_t queryCount = 1;
  for (unsigned loop : common.set_bits()) {
    if (workload.loops[loop].kind != utils::IteratorType::parallel)
      continue;
    bool isMasked = !workload.maskedLoops.empty() && workload.maskedLoops[loop];
    if (isMasked && (isSelective || !ofKeys[loop])) // queries come last
      queryCount = workload.loops[loop].extent;
    if ((ofKeys[loop] || isSelective) && isMasked) // KV heads come last
      kernel->lanes.insert(kernel->lanes.begin(), loop);
    else
      (ofKeys[loop] ? kernel->lanes
       : isMasked   ? kernel->queries
                    : kernel->groups)
          .push_back(loop);
  }
  if (kernel->queries.size() != (isSelective ? 0 : 1))
    return nullptr;
  if (auto mask = op->getAttrOfType<MaskAttr>("mask"))
    kernel->hasWindow = mask.getWindow() != 0;
  if (queryCount <= mostStepQueries &&
      queryCount < workload.loops[*keyLoop].extent)
    kernel->className = kernel->classOfStep(queryCount);
  // The features of keys and of values are the loops that a stage has besides
  // those of the scores.
  double features[2] = {1, 1};
  for (unsigned stage = 0; stage < 2; ++stage)
    for (unsigned loop : stages[stage]->loops.set_bits())
      if (!workload.loops[loop].isTileable())
        features[stage] *= double(workload.loops[loop].extent);
  kernel->macsPerScore = features[0] + features[1];
  kernel->valueDim = features[1];
  kernel->scores = kernel->work.macs / kernel->macsPerScore;
  kernel->outRows = double(kernel->extentOf(kernel->lanes)) *
                    double(kernel->extentOf(kernel->groups)) *
                    double(kernel->extentOf(kernel->queries));
  return kernel;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

std::vector<AttentionKernel::ItemClass>
AttentionKernel::countClasses(const Layout &layout, int64_t keyTile,
                              bool skipsMasked) const {
  int64_t queryTile = layout.queryTile;
  int64_t keys = workload.loops[keyLoop].extent;
  int64_t rowsPerQuery = layout.isPacked ? extentOf(groups) : 1;
  int64_t queryCount = extentOf(queries);
  SmallVector<Interval, 6> box = workload.fullBox();
  std::map<int64_t, double, std::greater<int64_t>> tilesByBlocks;
  auto tiles = int64_t(layout.tiles);
  auto step = int64_t(llvm::divideCeil(tiles, mostTiles));
  for (int64_t first = 0; first < tiles; first += step) {
    // The last tile stands for all tiles of a step, because it sees most with a
    // causal mask.
    int64_t behind = std::min(first + step, tiles);
    int64_t end = std::min(behind * queryTile, layout.rows);
    for (unsigned query : queries) {
      int64_t firstQuery = workload.loops[query].begin;
      box[query] = {firstQuery + (behind - 1) * queryTile / rowsPerQuery,
                    firstQuery +
                        std::min<int64_t>(queryCount,
                                          llvm::divideCeil(end, rowsPerQuery))};
    }
    double visible = double(keys);
    if (queries.empty()) {
      visible = scores / outRows; // of a query on average
      if (!skipsMasked)
        visible = std::max(visible, slots);
    } else if (skipsMasked) {
      visible = countVisible(keysBuffer, box);
      for (unsigned buffer : furtherKeys)
        visible += countVisible(buffer, box);
    }
    tilesByBlocks[std::max<int64_t>(
        1, int64_t(std::ceil(visible / double(keyTile))))] +=
        double(behind - first);
  }
  std::vector<ItemClass> classes;
  for (auto [blocks, tiles] : tilesByBlocks)
    classes.push_back({double(blocks), tiles});
  return classes;
}

const AttentionKernel::Layout &
AttentionKernel::layoutOf(const UnitMachine &machine) const {
  int64_t queryTile = int64_t(machine.queryTile),
          decodeTile = int64_t(machine.decodeQueryTile),
          keyTile = int64_t(machine.keyTile);
  int64_t group = extentOf(groups), queryCount = extentOf(queries);
  bool isPacked = group > 1 && (machine.packsGroups || queryCount == 1) &&
                  (machine.packsWindows || !hasWindow) &&
                  double(group) <= machine.packedHeads.value_or(double(group));
  auto [known, isNew] =
      layouts.try_emplace({isPacked, queryTile, decodeTile, keyTile,
                           machine.skipsMasked});
  Layout &layout = known->second;
  if (!isNew)
    return layout;
  layout.isPacked = isPacked;
  layout.rows =
      isPacked ? checkedMul(queryCount, group).value_or(maxCount) : queryCount;
  layout.lanes = double(extentOf(lanes)) * (isPacked ? 1 : double(group));
  layout.queryTile = layout.rows <= decodeTile ? decodeTile : queryTile;
  layout.tiles = double(llvm::divideCeil(layout.rows, layout.queryTile));
  layout.classes = countClasses(layout, keyTile, machine.skipsMasked);
  return layout;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Returns the cycles of one block of queries and keys. Kernels whose warps take
/// turns compute the products of one tile while another has its softmax
/// (FlashAttention 3: Shah et al., 2024, 3.1).
static double blockCycles(const UnitMachine &machine, int64_t queryTile,
                          double macsPerScore, double specialPerScore,
                          double aluPerScore) {
  double scores = double(queryTile) * machine.keyTile;
  auto cyclesOf = [&](double work, double perCycle) {
    return perCycle > 0 ? scores * work / perCycle : 0;
  };
  double products = cyclesOf(macsPerScore, machine.macsPerCycle),
         softmax = cyclesOf(specialPerScore, machine.specialPerCycle) +
                   cyclesOf(aluPerScore, machine.aluPerCycle);
  return std::max(products, softmax) +
         (1 - machine.overlap) * std::min(products, softmax);
}

/// Returns the cycles of an item before its first product and behind its last
/// one. Its queries, a block of keys and values, and its output pass then.
double AttentionKernel::fillCycles(const Layout &layout,
                                   const UnitMachine &machine) const {
  if (machine.itemBytesPerCycle <= 0)
    return machine.itemCycles;
  double rows = double(std::min(layout.queryTile, layout.rows));
  double bytes =
      (rows * outBytes + machine.keyTile * operandBytes) * macsPerScore;
  return machine.itemCycles + bytes / machine.itemBytesPerCycle;
}

double AttentionKernel::unitCycles(const Layout &layout, int64_t splits,
                                   double inUnit,
                                   const UnitMachine &machine) const {
  double specialPerScore = work.special / scores,
         aluPerScore =
             machine.aluPerScore.value_or((work.alu + work.compare) / scores);
  double block = blockCycles(machine, layout.queryTile, macsPerScore,
                             specialPerScore, aluPerScore);
  double fill = fillCycles(layout, machine);
  double last = 0, sum = 0, items = 0, blockSum = 0;
  for (const ItemClass &each : layout.classes) {
    double blocks = std::ceil(each.blocks / double(splits));
    double count = each.tiles * layout.lanes * double(splits);
    double cycles = blocks * block + fill;
    double alone = cycles + blocks * machine.loneBlockCycles;
    double together = std::max(alone, inUnit * cycles);
    items += count;
    sum += count * together;
    blockSum += count * blocks;
    // This is when the last item of this class ends, if all before it are as
    // long.
    double perUnit = std::ceil(items / machine.units);
    double waves = std::floor(perUnit / inUnit);
    double rest = perUnit - waves * inUnit;
    last = std::max(last, waves * together + (rest == 0   ? 0
                                              : rest == 1 ? alone
                                                          : together));
  }
  // The longest items start first. So the units end apart by no more than what
  // the longest item has over the mean.
  double mostBlocks = std::ceil(layout.classes.front().blocks / double(splits));
  double apart = (mostBlocks - blockSum / items) *
                 std::max(block + machine.loneBlockCycles, inUnit * block);
  return std::max(last, sum / (inUnit * machine.units) + apart);
}

double AttentionKernel::unitCycles(const Layout &layout, int64_t splits,
                                   const UnitMachine &machine) const {
  double oneByOne = unitCycles(layout, splits, /*inUnit=*/1, machine);
  // If two items fit into a unit, one may compute while the other waits.
  double itemBytes = (double(layout.queryTile) + 2 * machine.keyTile) *
                     valueDim * operandBytes;
  if (machine.unitMemoryBytes < 2 * itemBytes)
    return oneByOne;
  return std::min(oneByOne, unitCycles(layout, splits, /*inUnit=*/2, machine));
}

KernelTime AttentionKernel::timeOf(const Layout &layout, int64_t splits,
                                   const KernelBytes &bytes,
                                   const UnitMachine &machine) const {
  KernelTime time;
  time.launchSeconds = machine.launchSeconds;
  double items = layout.tiles * layout.lanes * double(splits);
  time.unitSeconds = unitCycles(layout, splits, machine) / machine.clockHz;
  double secondsPerByte = 1 / machine.memoryBytesPerSecond;
  if (machine.portBytesPerSecond > 0)
    secondsPerByte =
        std::max(secondsPerByte, std::max(1.0, machine.units / items) /
                                     machine.portBytesPerSecond);
  time.streamSeconds =
      bytes.memory * secondsPerByte + machine.cachedSeconds(bytes.cached);
  double both = machine.streamsAhead
                    ? overlap(time.unitSeconds, time.streamSeconds)
                    : std::sqrt(time.unitSeconds * time.unitSeconds +
                                time.streamSeconds * time.streamSeconds);
  time.totalSeconds = time.launchSeconds + both;
  if (splits > 1)
    time.totalSeconds += machine.splitSeconds +
                         partialBytes * (valueDim + 1) * outRows *
                             double(splits) / machine.memoryBytesPerSecond;
  bool hasManyKvHeads =
      lanes.size() > 1 && workload.loops[lanes.back()].extent > 1;
  if (machine.regroupSeconds && layout.isPacked && hasManyKvHeads &&
      extentOf(queries) == 1)
    time.totalSeconds +=
        *machine.regroupSeconds +
        4 * operandBytes * valueDim * outRows / machine.memoryBytesPerSecond;
  return time;
}

int64_t AttentionKernel::chooseSplits(const Layout &layout,
                                      const KernelBytes &bytes,
                                      const UnitMachine &machine) const {
  double mostBlocks = layout.classes.front().blocks;
  double leastSeconds = timeOf(layout, 1, bytes, machine).totalSeconds;
  int64_t best = 1;
  bool maySplit = (machine.splitsUnpacked || layout.isPacked) &&
                  layout.lanes * layout.tiles < splitOccupancy * machine.units;
  if (!maySplit)
    return best;
  // This tries each number of blocks that a part may have, with as few parts as
  // that takes. There are about 2 sqrt(blocks) of these numbers. Without one of
  // them, fewer keys would take longer than more.
  for (double parts = 2; parts <= std::min(mostBlocks, mostSplits);) {
    double inPart = std::ceil(mostBlocks / parts);
    auto splits = int64_t(std::ceil(mostBlocks / inPart));
    double seconds = timeOf(layout, splits, bytes, machine).totalSeconds;
    if (seconds < leastSeconds)
      leastSeconds = seconds, best = splits;
    if (inPart == 1)
      break;
    parts = std::ceil(mostBlocks / (inPart - 1));
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

UnitTile AttentionKernel::tileOf(const Layout &layout, int64_t splits,
                                 const UnitMachine &machine) const {
  UnitTile tile;
  for (const Loop &loop : workload.loops)
    tile.push_back(loop.extent);
  for (unsigned loop : lanes)
    tile[loop] = 1;
  int64_t group = extentOf(groups), rows = layout.queryTile;
  if (!layout.isPacked)
    for (unsigned loop : groups)
      tile[loop] = 1;
  for (unsigned query : queries)
    tile[query] = std::min<int64_t>(
        tile[query], layout.isPacked ? llvm::divideCeil(rows, group) : rows);
  double blocks = std::ceil(layout.classes.front().blocks / double(splits));
  tile[keyLoop] =
      std::min<int64_t>(tile[keyLoop], int64_t(blocks * machine.keyTile));
  return tile;
}

UnitTile AttentionKernel::chooseTile(const KernelBytes &bytes,
                                     const UnitMachine &machine) const {
  const Layout &layout = layoutOf(machine);
  return tileOf(layout, chooseSplits(layout, bytes, machine), machine);
}

KernelTime AttentionKernel::unlimitedTime(const UnitTile &tile,
                                          const KernelBytes &bytes,
                                          const UnitMachine &machine) const {
  const Layout &layout = layoutOf(machine);
  double blocks = std::ceil(double(tile[keyLoop]) / machine.keyTile);
  // Empty slots are blocks beyond all keys.
  bool isWhole = tile[keyLoop] >= workload.loops[keyLoop].extent;
  int64_t splits =
      isWhole ? 1 : int64_t(std::ceil(layout.classes.front().blocks / blocks));
  return timeOf(layout, std::max<int64_t>(1, splits), bytes, machine);
}
