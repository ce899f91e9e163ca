//===- Cut.cpp - What is cut over which axes of a grid --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Sharding/Cut.h"
#include "llm/Workload/IndexTerms.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> mlir::llm::sizesOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return llvm::to_vector(tensor.getShape());
  if (auto cache = dyn_cast<KvCacheType>(type))
    return {cache.getBatch(), cache.getCapacity(), cache.getKvHeads(),
            cache.getHeadDim()};
  if (auto state = dyn_cast<StateType>(type))
    return llvm::to_vector(state.asTensor().getShape());
  return {};
}

int64_t mlir::llm::countChips(const Axes &axes, GridAttr grid) {
  int64_t chips = 1;
  for (StringAttr axis : axes)
    chips *= grid.sizeOf(axis).value_or(1);
  return chips;
}

Type mlir::llm::pieceOf(Type type, const Cut &cut, GridAttr grid) {
  SmallVector<int64_t> sizes = sizesOf(type);
  for (auto [size, axes] : llvm::zip_equal(sizes, cut.dims))
    if (!ShapedType::isDynamic(size))
      size /= countChips(axes, grid);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(sizes);
  if (auto state = dyn_cast<StateType>(type))
    return StateType::get(type.getContext(), sizes.front(),
                          ArrayRef(sizes).drop_front(), state.getElementType());
  auto cache = cast<KvCacheType>(type);
  return KvCacheType::get(type.getContext(), sizes[0], sizes[2], sizes[3],
                          sizes[1], cache.getElementType(), cache.getPageSize(),
                          cache.getIsLatent());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Axes>> mlir::llm::distribute(const Axes &axes,
                                                       ArrayRef<int64_t> sizes,
                                                       GridAttr grid) {
  SmallVector<Axes> all(sizes.size());
  size_t next = 0;
  for (auto [size, own] : llvm::zip_equal(sizes, all)) {
    int64_t left = size;
    while (next < axes.size() && left % *grid.sizeOf(axes[next]) == 0) {
      left /= *grid.sizeOf(axes[next]);
      own.push_back(axes[next++]);
    }
    if (next < axes.size() && left != 1)
      return std::nullopt;
  }
  if (next < axes.size())
    return std::nullopt;
  return all;
}

std::optional<Axes> mlir::llm::gather(ArrayRef<Axes> axes,
                                      ArrayRef<int64_t> sizes, GridAttr grid) {
  Axes all;
  bool hasInside = false;
  for (auto [own, size] : llvm::zip_equal(axes, sizes)) {
    if (!own.empty() && hasInside)
      return std::nullopt;
    hasInside |= size != countChips(own, grid);
    llvm::append_range(all, own);
  }
  return all;
}

/// Returns the loops that count an index in row-major order, the outermost
/// first. Nothing for any other index.
static std::optional<SmallVector<unsigned>>
loopsOfIndex(const Workload &workload, AffineExpr index) {
  std::optional<SmallVector<IndexTerm>> terms = termsOfIndex(index);
  if (!terms)
    return std::nullopt;
  SmallVector<unsigned> loops;
  int64_t count = 1;
  for (auto [factor, loop] : *terms) {
    if (factor != count && workload.loops[loop].extent != 1)
      return std::nullopt;
    count *= workload.loops[loop].extent;
    loops.insert(loops.begin(), loop);
  }
  return loops;
}

static SmallVector<int64_t> extentsOf(const Workload &workload,
                                      ArrayRef<unsigned> loops) {
  return llvm::map_to_vector(
      loops, [&](unsigned loop) { return workload.loops[loop].extent; });
}

std::optional<SmallVector<Axes>>
mlir::llm::axesOfLoops(const Workload &workload, const Buffer &buffer,
                       const Cut &cut, GridAttr grid) {
  SmallVector<Axes> all(workload.loops.size());
  if (buffer.map.getNumResults() != cut.dims.size())
    return cut.isWhole() ? std::optional(all) : std::nullopt;
  for (auto [index, axes] :
       llvm::zip_equal(buffer.map.getResults(), cut.dims)) {
    if (axes.empty())
      continue;
    auto loops = loopsOfIndex(workload, index);
    if (!loops)
      return std::nullopt;
    auto own = distribute(axes, extentsOf(workload, *loops), grid);
    if (!own)
      return std::nullopt;
    for (auto [loop, ofLoop] : llvm::zip_equal(*loops, *own))
      all[loop] = ofLoop;
  }
  return all;
}

std::optional<Cut> mlir::llm::cutOfBuffer(const Workload &workload,
                                          const Buffer &buffer,
                                          ArrayRef<Axes> loops, GridAttr grid) {
  SmallVector<int64_t> sizes = sizesOf(buffer.value.getType());
  Cut cut = Cut::whole(sizes.size());
  bool usesNone = llvm::all_of(llvm::enumerate(loops), [&](auto entry) {
    return entry.value().empty() || !buffer.map.isFunctionOfDim(entry.index());
  });
  if (usesNone)
    return cut;
  if (buffer.map.getNumResults() != sizes.size())
    return std::nullopt;
  for (auto [index, axes, size] :
       llvm::zip_equal(buffer.map.getResults(), cut.dims, sizes)) {
    auto own = loopsOfIndex(workload, index);
    if (!own)
      return std::nullopt;
    SmallVector<Axes> ofLoops;
    for (unsigned loop : *own)
      ofLoops.push_back(loops[loop]);
    auto gathered = llm::gather(ofLoops, extentsOf(workload, *own), grid);
    if (!gathered || size % countChips(*gathered, grid) != 0)
      return std::nullopt;
    axes = *gathered;
  }
  return cut;
}

const Buffer *mlir::llm::bufferOfState(StateUpdateOpInterface op,
                                       const Workload &workload) {
  for (const Buffer &buffer : workload.buffers)
    if (buffer.value == op.getOldState())
      return &buffer;
  // A write of rows shows the cache by what it writes into it.
  for (const Buffer &buffer : workload.buffers)
    if (buffer.role == Buffer::Role::Write &&
        !llvm::is_contained(op->getResults(), buffer.value))
      return &buffer;
  return nullptr;
}
