//===- SelectionKernel.cpp - Scores of keys and the best of them ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectionKernel.h"
#include "llm/Cost/WorkSums.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Bytes of a score in memory.
static constexpr double scoreBytes = 4;
/// So many tiles of queries are looked at one by one. If there are more, one
/// tile stands for several.
static constexpr int64_t mostTiles = 16384;

//===----------------------------------------------------------------------===//
// From the workload
//===----------------------------------------------------------------------===//

/// Finds the loop over keys: a row of scores is complete only when all keys
/// were seen, so that the scores lie between two kernels.
static std::optional<unsigned> findKeyLoop(const Workload &workload) {
  for (const Buffer &buffer : workload.buffers) {
    if (buffer.role != Buffer::Role::Temporary)
      continue;
    for (unsigned loop : workload.loopsOf(buffer).set_bits())
      if (workload.loops[loop].kind == utils::IteratorType::reduction &&
          workload.loops[loop].isTileable())
        return loop;
  }
  return std::nullopt;
}

/// Returns the operand of the product that uses the loop, or null.
static const Buffer *findContracted(const Workload &workload, unsigned loop) {
  for (const Buffer &buffer : workload.buffers)
    if (workload.isContracted(buffer) && workload.loopsOf(buffer)[loop])
      return &buffer;
  return nullptr;
}

std::unique_ptr<UnitKernel> SelectionKernel::get(WorkloadOpInterface op,
                                                 const Workload &workload) {
  SmallVector<const Stage *, 2> products = findContractions(workload);
  std::optional<unsigned> keyLoop = findKeyLoop(workload);
  if (workload.composition || products.size() != 1 || !keyLoop ||
      products[0] == &workload.stages.back())
    return nullptr;
  const Buffer *keys = findContracted(workload, *keyLoop);
  if (!keys)
    return nullptr;
  auto kernel = std::make_unique<SelectionKernel>();
  kernel->op = op;
  kernel->workload = workload;
  kernel->work = sumWork(op, workload);
  kernel->scoreStage = unsigned(products[0] - workload.stages.data());
  kernel->selectStage = unsigned(workload.stages.size() - 1);
  llvm::SmallBitVector ofKeys = workload.loopsOf(*keys);
  std::optional<unsigned> queryLoop;
  for (unsigned loop : products[0]->loops.set_bits()) {
    auto extent = double(workload.loops[loop].extent);
    if (loop == *keyLoop)
      continue;
    if (!ofKeys[loop] && workload.maskedLoops[loop])
      queryLoop = loop;
    else if (!ofKeys[loop])
      kernel->heads *= extent;
    else if (workload.loops[loop].kind == utils::IteratorType::parallel)
      kernel->sequences *= extent, kernel->sequenceLoops.push_back(loop);
    else
      kernel->macsPerScore *= extent;
  }
  if (!queryLoop)
    return nullptr;
  kernel->queryLoop = *queryLoop;
  kernel->readRows();
  return kernel;
}

/// What is scored and selected of: all rows, and the longest one, which is that
/// of the last query.
void SelectionKernel::readRows() {
  const Stage &select = workload.stages[selectStage];
  int64_t queries = workload.loops[queryLoop].extent;
  double queriesOfAll = sequences * double(queries);
  bool hasRowPerHead = false;
  for (unsigned loop : select.loops.set_bits())
    hasRowPerHead |=
        workload.stages[scoreStage].loops[loop] && loop != queryLoop &&
        workload.loops[loop].kind == utils::IteratorType::parallel &&
        !llvm::is_contained(sequenceLoops, loop);
  double rowsPerQuery = hasRowPerHead ? heads : 1;
  rows = queriesOfAll * rowsPerQuery;
  scores = countPoints(selectStage, 0, queries);
  longestRow = countPoints(selectStage, queries - 1, queries) /
               (sequences * rowsPerQuery);
  WorkSums weighing;
  for (unsigned stage = 0; stage < selectStage; ++stage)
    addWork(op, workload, stage, weighing);
  double pairs = countPoints(scoreStage, 0, queries) / (heads * macsPerScore);
  aluPerPair = (weighing.alu + weighing.compare) / pairs;
}

double SelectionKernel::countPoints(unsigned stage, int64_t begin,
                                    int64_t end) const {
  SmallVector<Interval, 6> box = workload.fullBox();
  int64_t first = workload.loops[queryLoop].begin;
  box[queryLoop] = {first + begin, first + end};
  WorkloadOpInterface counted = op;
  return toReal(counted.countPoints(workload, stage, box));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A tile goes through all keys that its last query sees. With a causal mask,
/// that is the most of its queries.
const SelectionKernel::Tiles &SelectionKernel::tilesOf(int64_t queries) const {
  auto [known, isNew] = tiles.try_emplace(queries);
  Tiles &found = known->second;
  if (!isNew)
    return found;
  int64_t all = workload.loops[queryLoop].extent;
  auto ofSequence = int64_t(llvm::divideCeil(all, queries));
  auto step = int64_t(llvm::divideCeil(ofSequence, mostTiles));
  for (int64_t first = 0; first < ofSequence; first += step) {
    int64_t behind = std::min(first + step, ofSequence);
    int64_t last = std::min(behind * queries, all);
    double keys = countPoints(scoreStage, last - 1, last) /
                  (sequences * heads * macsPerScore);
    found.mostKeys = std::max(found.mostKeys, keys);
    found.allKeys += sequences * double(behind - first) * keys;
  }
  found.count = sequences * double(ofSequence);
  return found;
}

UnitTile SelectionKernel::chooseTile(const KernelBytes &,
                                     const UnitMachine &machine) const {
  UnitTile tile;
  for (const Loop &loop : workload.loops)
    tile.push_back(loop.extent);
  for (unsigned loop : sequenceLoops)
    tile[loop] = 1;
  tile[queryLoop] = std::clamp<int64_t>(int64_t(machine.queryTile / heads), 1,
                                        tile[queryLoop]);
  return tile;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Adds the times of units and of bytes, which overlap, and a launch.
static void addKernel(KernelTime &time, double unitSeconds,
                      double streamSeconds, const UnitMachine &machine) {
  time.launchSeconds += machine.launchSeconds;
  time.unitSeconds += unitSeconds;
  time.streamSeconds += streamSeconds;
  time.totalSeconds +=
      machine.launchSeconds + overlap(unitSeconds, streamSeconds);
}

void SelectionKernel::addScoring(int64_t queries, const KernelBytes &bytes,
                                 const UnitMachine &machine,
                                 KernelTime &time) const {
  const Tiles &tiles = tilesOf(queries);
  double tileRows = std::ceil(double(queries) * heads / machine.queryTile) *
                    machine.queryTile;
  double products = tileRows * macsPerScore / machine.macsPerCycle;
  double weighing =
      machine.aluPerCycle > 0
          ? double(queries) * aluPerPair / machine.aluPerCycle
          : 0;
  double cyclesPerKey = std::max(products, weighing);
  double perUnit = std::ceil(tiles.count / machine.units);
  double mean = tiles.allKeys / tiles.count,
         even = tiles.allKeys / machine.units;
  // The longest tiles start first. So units end apart by no more than what the
  // longest has over the mean.
  double keys = machine.splitsUnpacked
                    ? even
                    : std::max({tiles.mostKeys, perUnit * mean,
                                even + tiles.mostKeys - mean});
  double unitSeconds =
      (keys * cyclesPerKey + perUnit * machine.itemCycles) / machine.clockHz;
  double streamSeconds = (bytes.memory + scoreBytes * scores) /
                             machine.streamBytesPerSecond() +
                         machine.cachedSeconds(bytes.cached);
  addKernel(time, unitSeconds, streamSeconds, machine);
}

void SelectionKernel::addSelecting(const UnitMachine &machine,
                                   KernelTime &time) const {
  double perUnit = std::ceil(rows / machine.units);
  double longest = std::max(longestRow, scores / machine.units);
  double cycles = perUnit * machine.rowCycles +
                  scoreBytes * longest / machine.rowBytesPerCycle;
  double sweeps = machine.rereadsRows ? 2 : 1;
  addKernel(time, cycles / machine.clockHz,
            sweeps * scoreBytes * scores / machine.plainStreamBytesPerSecond(),
            machine);
}

KernelTime SelectionKernel::unlimitedTime(const UnitTile &tile,
                                          const KernelBytes &bytes,
                                          const UnitMachine &machine) const {
  KernelTime time;
  if (machine.scoresKeys)
    addScoring(tile[queryLoop], bytes, machine, time);
  if (machine.rowBytesPerCycle > 0)
    addSelecting(machine, time);
  return time;
}
