//===- TileModel.cpp - Traffic and room of a tiled op ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Analysis/TileModel.h"
#include "llm/Interfaces/Counts.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

TileModel::TileModel(WorkloadOpInterface op, const Workload &workload)
    : op(op), workload(workload) {
  SmallVector<Interval, 6> box = workload.fullBox();
  for (auto [index, buffer] : llvm::enumerate(workload.buffers)) {
    loopsOf.push_back(workload.loopsOf(buffer));
    Count elements = this->op.countElements(workload, index, box);
    fullElements.push_back(elements);
    fullBytes.push_back(succeeded(elements) ? storageBytes(buffer, *elements)
                                            : Count(failure()));
  }
}

int64_t TileModel::trips(const Tiling &tiling, unsigned loop) const {
  return llvm::divideCeil(workload.loops[loop].extent, tiling.sizes[loop]);
}

ArrayRef<unsigned> TileModel::outerLoops(const Tiling &tiling,
                                         unsigned buffer) const {
  ArrayRef<unsigned> outer(tiling.order);
  while (!outer.empty() &&
         (!loopsOf[buffer][outer.back()] || trips(tiling, outer.back()) == 1))
    outer = outer.drop_back();
  return outer;
}

bool TileModel::isKept(const Tiling &tiling, unsigned buffer) const {
  return llvm::all_of(outerLoops(tiling, buffer), [&](unsigned loop) {
    return loopsOf[buffer][loop] || trips(tiling, loop) == 1;
  });
}

Count TileModel::trafficBytes(const Tiling &tiling, unsigned buffer) const {
  const Buffer &moved = workload.buffers[buffer];
  if (moved.isKept && !isKept(tiling, buffer))
    return failure();
  if (moved.role == Buffer::Role::Temporary)
    return int64_t(0);
  int64_t repeats = 1;
  llvm::SmallBitVector masked(workload.loops.size());
  for (unsigned loop : outerLoops(tiling, buffer)) {
    if (loopsOf[buffer][loop])
      continue;
    if (!workload.maskedLoops.empty() && workload.maskedLoops[loop]) {
      masked.set(loop);
      continue;
    }
    std::optional<int64_t> product = checkedMul(repeats, trips(tiling, loop));
    if (!product)
      return failure();
    repeats = *product;
  }
  Count distinct = fullElements[buffer];
  Count touched =
      times(masked.any() ? maskedElements(buffer, masked, tiling) : distinct,
            repeats);
  if (failed(touched))
    return failure();
  if (moved.role == Buffer::Role::Read)
    return storageBytes(moved, *touched);
  // Every interruption writes 4-byte partial sums and reads them back.
  return plus(fullBytes[buffer], times(*touched - *distinct, 2 * 4));
}

Count TileModel::maskedElements(unsigned buffer,
                                const llvm::SmallBitVector &outer,
                                const Tiling &tiling) const {
  SmallVector<int64_t, 8> key = {buffer};
  for (unsigned loop : outer.set_bits())
    llvm::append_values(key, int64_t(loop), tiling.sizes[loop]);
  auto known = maskedSums.find(key);
  if (known != maskedSums.end())
    return known->second;

  // An odometer over the tiles of the outer masked loops (one or two of them).
  WorkloadOpInterface counted = op;
  SmallVector<Interval, 6> box = workload.fullBox();
  SmallVector<unsigned> loops(outer.set_bits());
  for (unsigned loop : loops)
    box[loop] = {0, std::min(tiling.sizes[loop], workload.loops[loop].extent)};
  Count sum = int64_t(0);
  for (size_t digit = 0; digit < loops.size();) {
    sum = plus(sum, counted.countElements(workload, buffer, box));
    for (digit = 0; digit < loops.size(); ++digit) {
      unsigned loop = loops[digit];
      int64_t extent = workload.loops[loop].extent, size = tiling.sizes[loop];
      int64_t begin = box[loop].end < extent ? box[loop].end : 0;
      box[loop] = {begin, std::min(begin + size, extent)};
      if (begin != 0)
        break;
    }
  }
  maskedSums.insert({key, sum});
  return sum;
}

Count TileModel::tileBytes(const Tiling &tiling, unsigned buffer) const {
  if (workload.buffers[buffer].isInPlace)
    return int64_t(0);
  SmallVector<Interval, 6> box;
  for (auto [size, loop] : llvm::zip(tiling.sizes, workload.loops))
    box.push_back({0, std::min(size, loop.extent)});
  // Room is taken for the whole tile, masked or not.
  Count elements = countElementsOfProduct(workload, buffer, box);
  return succeeded(elements) ? storageBytes(workload.buffers[buffer], *elements)
                             : Count(failure());
}

int64_t TileModel::tilesHeld(const Tiling &tiling, unsigned buffer) const {
  if (workload.buffers[buffer].role == Buffer::Role::Temporary ||
      workload.buffers[buffer].isLate)
    return 1;
  for (unsigned loop : loopsOf[buffer].set_bits())
    if (trips(tiling, loop) > 1)
      return 2;
  return 1;
}

Count TileModel::workingSetBytes(const Tiling &tiling,
                                 ArrayRef<int64_t> held) const {
  Count total = int64_t(0);
  for (auto [index, tiles] : llvm::enumerate(held))
    total = plus(total, times(tileBytes(tiling, index), tiles));
  return total;
}

Count TileModel::workingSetBytes(const Tiling &tiling) const {
  SmallVector<int64_t, 4> held;
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    held.push_back(tilesHeld(tiling, buffer));
  return workingSetBytes(tiling, held);
}
