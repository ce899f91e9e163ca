//===- TileModel.cpp - Traffic and room of a tiled op ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/TileModel.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

/// Whether each dimension has at most one loop, and no two dimensions have the
/// same.
static bool hasLoopForEachDimension(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr index : map.getResults()) {
    if (isa<AffineConstantExpr>(index))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim || seen[dim.getPosition()])
      return false;
    seen.set(dim.getPosition());
  }
  return true;
}

int64_t mlir::llm::wholeBytesOf(Type elementType) {
  unsigned bits =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 0;
  return bits % 8 == 0 ? bits / 8 : 0;
}

TileModel::Shape TileModel::shapeOf(const Buffer &buffer,
                                    const llvm::SmallBitVector &loops) {
  constexpr int64_t bitsPerByte = 8;
  Shape shape;
  for (unsigned loop : loops.set_bits())
    shape.loops.push_back(loop);
  shape.isProduct = hasLoopForEachDimension(buffer.map);
  shape.bytesPerElement = wholeBytesOf(buffer.elementType);
  shape.mostElements = shape.bytesPerElement > 0
                           ? maxCount / (bitsPerByte * shape.bytesPerElement)
                           : 0;
  shape.takesRoom = !buffer.isInPlace;
  shape.holdsNext =
      (buffer.role != Buffer::Role::Temporary || buffer.isHandedOver) &&
      !buffer.isLate;
  return shape;
}

TileModel::TileModel(WorkloadOpInterface op, const Workload &workload)
    : op(op), workload(workload) {
  for (const Loop &loop : workload.loops)
    extents.push_back(loop.extent);
  SmallVector<Interval, 6> box = workload.fullBox();
  for (auto [index, buffer] : llvm::enumerate(workload.buffers)) {
    loopsOf.push_back(workload.loopsOf(buffer));
    shapes.push_back(shapeOf(buffer, loopsOf.back()));
    Count elements = this->op.countElements(workload, index, box);
    sweeps.push_back(workload.countSweeps(index));
    fullElements.push_back(elements);
    fullBytes.push_back(succeeded(elements) ? storageBytes(buffer, *elements)
                                            : Count(failure()));
    Count whole = countElementsOfProduct(workload, index, box);
    areShapesSimple &= shapes.back().isProduct && succeeded(whole) &&
                       *whole <= shapes.back().mostElements /
                                     (2 * int64_t(workload.buffers.size()));
  }
  if (areAllPassesEqual())
    for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
      passes.push_back(passesOf(buffer));
}

/// Does the same as `times` without a call, because the search asks millions of
/// times.
static inline Count product(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result) || result > maxCount)
    return failure();
  return result;
}

Count TileModel::bytesOf(unsigned buffer, int64_t elements) const {
  if (elements <= shapes[buffer].mostElements)
    return elements * shapes[buffer].bytesPerElement;
  return storageBytes(workload.buffers[buffer], elements);
}

Count TileModel::compulsoryBytes(unsigned buffer) const {
  switch (workload.buffers[buffer].role) {
  case Buffer::Role::Temporary:
    return int64_t(0);
  case Buffer::Role::State:
    return plus(fullBytes[buffer], fullBytes[buffer]);
  case Buffer::Role::Read:
  case Buffer::Role::Write:
    return fullBytes[buffer];
  }
  llvm_unreachable("one of the four");
}

bool TileModel::sweepsPerStage(const Tiling &tiling) const {
  return llvm::any_of(llvm::enumerate(workload.loops), [&](auto loop) {
    return loop.value().tiles == Loop::Tiles::PerStage &&
           isCut(tiling, loop.index());
  });
}

SmallVector<unsigned, 2> TileModel::returningLoops(const Tiling &tiling,
                                                   unsigned buffer) const {
  SmallVector<unsigned, 2> returning;
  bool changes = false;
  for (unsigned loop : llvm::reverse(tiling.order)) {
    if (!isCut(tiling, loop))
      continue;
    if (loopsOf[buffer][loop])
      changes = true;
    else if (changes)
      returning.push_back(loop);
  }
  llvm::sort(returning); // so that orders with the same ones compare equal
  return returning;
}

bool TileModel::isKept(const Tiling &tiling, unsigned buffer) const {
  return returningLoops(tiling, buffer).empty();
}

Count TileModel::roomOfTile(const Tiling &tiling, const Tiling &box,
                            unsigned buffer) const {
  Buffer::Role role = workload.buffers[buffer].role;
  if (role == Buffer::Role::Temporary)
    return int64_t(0);
  Count bytes = tileBytes(box, buffer);
  if (role != Buffer::Role::Write || isKept(tiling, buffer))
    return bytes;
  Count sums = times(tileElements(box, buffer), 4);
  if (failed(bytes) || failed(sums))
    return failure();
  return std::max(*bytes, *sums);
}

std::optional<Tiling> TileModel::growTilesInto(int64_t room,
                                               const Tiling &tiling) const {
  Tiling box = tiling;
  auto fits = [&] {
    Count bytes = int64_t(0);
    for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
      bytes = plus(bytes, roomOfTile(tiling, box, buffer));
    return succeeded(bytes) && *bytes <= room;
  };
  if (!fits())
    return std::nullopt;
  for (unsigned loop : llvm::reverse(tiling.order)) {
    if (!isCut(tiling, loop))
      continue;
    box.sizes[loop] = workload.loops[loop].extent;
    if (!fits()) {
      box.sizes[loop] = tiling.sizes[loop];
      break;
    }
  }
  return box;
}

/// Tiles of queries that select keys are looked at one by one up to so many. If
/// there are more, all count as the last one, whose queries see most.
static constexpr int64_t mostGatheredTiles = 1024;

Count TileModel::touchedElements(const Tiling &tiling, unsigned buffer,
                                 ArrayRef<unsigned> repeating) const {
  Count repeats = int64_t(1);
  llvm::SmallBitVector masked(workload.loops.size());
  // Tiles of queries that select keys may touch the same ones, each anew.
  if (workload.buffers[buffer].isGathered)
    for (unsigned loop : workload.maskedLoops.set_bits())
      if (loopsOf[buffer][loop] && isCut(tiling, loop))
        masked.set(loop);
  for (unsigned loop : repeating) {
    int64_t tiles = trips(tiling, loop);
    if (tiles > 1 && !workload.maskedLoops.empty() &&
        workload.maskedLoops[loop])
      masked.set(loop);
    else if (succeeded(repeats))
      repeats = product(*repeats, tiles);
  }
  Count once = masked.any() ? maskedElements(buffer, masked, tiling)
                            : fullElements[buffer];
  if (failed(repeats) || failed(once))
    return failure();
  return product(*once, *repeats);
}

/// Every interruption writes partial sums of 4 bytes and reads them back.
static constexpr int64_t partialSumBytes = 2 * 4;

Count TileModel::writtenBytes(unsigned buffer, int64_t touched) const {
  Count distinct = fullElements[buffer];
  if (failed(distinct) || touched == *distinct)
    return failed(distinct) ? distinct : fullBytes[buffer];
  return plus(fullBytes[buffer], times(touched - *distinct, partialSumBytes));
}

bool TileModel::areAllPassesEqual() const {
  auto isEqual = [&](unsigned buffer) {
    return workload.buffers[buffer].role == Buffer::Role::Temporary ||
           (shapes[buffer].bytesPerElement > 0 && sweeps[buffer] == 1 &&
            succeeded(fullBytes[buffer]) && succeeded(fullElements[buffer]) &&
            *fullElements[buffer] <= maxCount / partialSumBytes);
  };
  return workload.maskedLoops.none() &&
         llvm::all_of(llvm::seq<unsigned>(0, workload.buffers.size()), isEqual);
}

TileModel::Passes TileModel::passesOf(unsigned buffer) const {
  switch (workload.buffers[buffer].role) {
  case Buffer::Role::Temporary:
    return {0, 0};
  case Buffer::Role::Read:
    return {*fullBytes[buffer], *fullBytes[buffer]};
  case Buffer::Role::Write: // partial sums
    return {*fullBytes[buffer], partialSumBytes * *fullElements[buffer]};
  case Buffer::Role::State:
    return {2 * *fullBytes[buffer], 2 * *fullBytes[buffer]};
  }
  llvm_unreachable("one of the four");
}

inline std::optional<int64_t>
TileModel::bytesOfPasses(const Tiling &tiling, unsigned buffer,
                         ArrayRef<unsigned> returning) const {
  // Far below the limit, no count and no product of counts needs a check.
  constexpr int64_t most = int64_t(1) << 50;
  if (passes.empty())
    return std::nullopt;
  int64_t count = 1;
  for (unsigned loop : returning)
    if (__builtin_mul_overflow(count, trips(tiling, loop), &count))
      return std::nullopt;
  int64_t bytes;
  if (__builtin_mul_overflow(passes[buffer].furtherBytes, count - 1, &bytes) ||
      bytes > most || passes[buffer].firstBytes > most)
    return std::nullopt;
  return passes[buffer].firstBytes + bytes;
}

Count TileModel::trafficBytesWith(ArrayRef<unsigned> returning,
                                  const Tiling &tiling, unsigned buffer) const {
  const Buffer &moved = workload.buffers[buffer];
  if (moved.isKept && !returning.empty())
    return failure();
  if (std::optional<int64_t> bytes = bytesOfPasses(tiling, buffer, returning))
    return *bytes;
  if (moved.role == Buffer::Role::Temporary)
    return int64_t(0);
  Count touched = touchedElements(tiling, buffer, returning);
  if (succeeded(touched) && sweeps[buffer] > 1 && sweepsPerStage(tiling))
    touched = product(*touched, sweeps[buffer]);
  if (failed(touched))
    return failure();
  if (moved.role == Buffer::Role::Read)
    return bytesOf(buffer, *touched);
  if (moved.role == Buffer::Role::State)
    return times(bytesOf(buffer, *touched), 2);
  return writtenBytes(buffer, *touched);
}

Count TileModel::usedBytes(const Tiling &tiling, unsigned buffer) const {
  SmallVector<unsigned, 6> repeating;
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
    if (!loopsOf[buffer][loop])
      repeating.push_back(loop);
  Count touched = touchedElements(tiling, buffer, repeating);
  if (failed(touched))
    return failure();
  switch (workload.buffers[buffer].role) {
  case Buffer::Role::Read:
    return times(bytesOf(buffer, *touched), sweeps[buffer]);
  case Buffer::Role::Write:
    return writtenBytes(buffer, *touched);
  case Buffer::Role::Temporary: // written once
    return plus(fullBytes[buffer], bytesOf(buffer, *touched));
  case Buffer::Role::State:
    return times(bytesOf(buffer, *touched), 2);
  }
  llvm_unreachable("one of the four");
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

  WorkloadOpInterface counted = op;
  SmallVector<Interval, 6> box = workload.fullBox();
  SmallVector<unsigned> loops(outer.set_bits());
  Count tiles = int64_t(1);
  for (unsigned loop : loops)
    tiles = times(tiles, trips(tiling, loop));
  if (workload.buffers[buffer].isGathered &&
      (failed(tiles) || *tiles > mostGatheredTiles)) {
    for (unsigned loop : loops)
      box[loop].begin =
          std::max(box[loop].begin, box[loop].end - tiling.sizes[loop]);
    Count last = counted.countElements(workload, buffer, box);
    Count sum = failed(tiles) || failed(last) ? Count(failure())
                                              : times(last, *tiles);
    maskedSums.insert({key, sum});
    return sum;
  }
  // An odometer runs over the tiles of the outer masked loops (one or two of
  // them).
  for (unsigned loop : loops)
    box[loop].end = box[loop].begin +
                    std::min(tiling.sizes[loop], workload.loops[loop].extent);
  Count sum = int64_t(0);
  for (size_t digit = 0; digit < loops.size();) {
    sum = plus(sum, counted.countElements(workload, buffer, box));
    for (digit = 0; digit < loops.size(); ++digit) {
      unsigned loop = loops[digit];
      const Loop &cut = workload.loops[loop];
      int64_t behind = cut.begin + cut.extent;
      bool isLast = box[loop].end == behind;
      int64_t begin = isLast ? cut.begin : box[loop].end;
      box[loop] = {begin, std::min(begin + tiling.sizes[loop], behind)};
      if (!isLast)
        break;
    }
  }
  maskedSums.insert({key, sum});
  return sum;
}

Count TileModel::tileElements(const Tiling &tiling, unsigned buffer) const {
  if (shapes[buffer].isProduct) {
    int64_t elements = 1;
    for (unsigned loop : shapes[buffer].loops) {
      int64_t size = std::min(tiling.sizes[loop], workload.loops[loop].extent);
      if (__builtin_mul_overflow(elements, size, &elements) ||
          elements > maxCount)
        return failure();
    }
    return elements;
  }
  SmallVector<Interval, 6> box;
  for (auto [size, loop] : llvm::zip(tiling.sizes, workload.loops))
    box.push_back({loop.begin, loop.begin + std::min(size, loop.extent)});
  return countElementsOfProduct(workload, buffer, box);
}

Count TileModel::tileBytes(const Tiling &tiling, unsigned buffer) const {
  if (!shapes[buffer].takesRoom)
    return int64_t(0);
  // Room is taken for the whole tile, masked or not.
  Count elements = tileElements(tiling, buffer);
  return succeeded(elements) ? bytesOf(buffer, *elements) : Count(failure());
}

int64_t TileModel::tilesHeld(const Workload &workload, const Shape &buffer,
                             const Tiling &tiling) {
  if (!buffer.holdsNext)
    return 1;
  for (unsigned loop : buffer.loops)
    if (tiling.sizes[loop] < workload.loops[loop].extent)
      return 2;
  return 1;
}

int64_t TileModel::tilesHeld(const Workload &workload, unsigned buffer,
                             const Tiling &tiling) {
  const Buffer &own = workload.buffers[buffer];
  return tilesHeld(workload, shapeOf(own, workload.loopsOf(own)), tiling);
}

Count TileModel::workingSetBytes(const Tiling &tiling,
                                 ArrayRef<int64_t> held) const {
  Count total = int64_t(0);
  for (auto [index, tiles] : llvm::enumerate(held))
    total = plus(total, times(tileBytes(tiling, index), tiles));
  return total;
}

int64_t TileModel::simpleWorkingSetBytes(const Tiling &tiling) const {
  unsigned none = extents.size(); // so that every loop keeps its size
  return roomAlong(none, tiling).whole;
}

TileModel::RoomAlongLoop TileModel::roomAlong(unsigned along,
                                              const Tiling &tiling) const {
  RoomAlongLoop room;
  for (const Shape &shape : shapes) {
    if (!shape.takesRoom)
      continue;
    int64_t bytes = shape.bytesPerElement; // for each iteration of the loop
    bool usesLoop = false, cutsOthers = false;
    for (unsigned loop : shape.loops) {
      usesLoop |= loop == along;
      if (loop == along)
        continue;
      cutsOthers |= isCut(tiling, loop);
      bytes *= std::min(tiling.sizes[loop], extents[loop]);
    }
    int64_t ofWhole = shape.holdsNext && cutsOthers ? 2 * bytes : bytes;
    room.whole += usesLoop ? ofWhole * extents[along] : ofWhole;
    if (usesLoop)
      room.perIteration += shape.holdsNext ? 2 * bytes : bytes;
    else
      room.fixed += ofWhole;
  }
  return room;
}

Count TileModel::workingSetBytes(const Tiling &tiling) const {
  if (areShapesSimple)
    return simpleWorkingSetBytes(tiling);
  int64_t total = 0;
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer) {
    Count bytes = tileBytes(tiling, buffer);
    if (succeeded(bytes))
      bytes = product(*bytes, tilesHeld(tiling, buffer));
    // Both terms are below a quarter of what 64 bits hold.
    if (failed(bytes) || (total += *bytes) > maxCount)
      return failure();
  }
  return total;
}
