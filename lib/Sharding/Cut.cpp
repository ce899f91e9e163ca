//===- Cut.cpp - What is cut over which axes of a grid --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Sharding/Cut.h"
#include "llm/Workload/IndexTerms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

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

void mlir::llm::sortAxes(SmallVectorImpl<StringAttr> &axes, GridAttr grid) {
  llvm::sort(axes, [&](StringAttr a, StringAttr b) {
    return llvm::find(grid.getAxes(), a) < llvm::find(grid.getAxes(), b);
  });
}

int64_t mlir::llm::countChips(const Axes &axes, GridAttr grid) {
  int64_t chips = 1;
  for (StringAttr axis : axes.names)
    chips *= grid.sizeOf(axis).value_or(1);
  return chips;
}

ArrayRef<int64_t> mlir::llm::segmentsOf(const Axes &axes, const int64_t &size) {
  return axes.segments.empty() ? ArrayRef(size) : ArrayRef(axes.segments);
}

bool mlir::llm::divides(const Axes &axes, int64_t size, GridAttr grid) {
  int64_t chips = countChips(axes, grid);
  return chips == 1 ||
         llvm::all_of(segmentsOf(axes, size), [&](int64_t segment) {
           return !ShapedType::isDynamic(segment) && segment % chips == 0;
         });
}

Attribute mlir::llm::toShardEntry(MLIRContext *context, const Axes &axes) {
  SmallVector<Attribute> entry = llvm::to_vector_of<Attribute>(axes.names);
  if (!axes.segments.empty())
    entry.push_back(DenseI64ArrayAttr::get(context, axes.segments));
  return ArrayAttr::get(context, entry);
}

Axes mlir::llm::fromShardEntry(Attribute entry, GridAttr grid) {
  Axes axes;
  for (Attribute each : cast<ArrayAttr>(entry))
    if (auto axis = dyn_cast<StringAttr>(each)) {
      if (grid.sizeOf(axis).value_or(1) > 1)
        axes.names.push_back(axis);
    } else {
      llvm::append_range(axes.segments,
                         cast<DenseI64ArrayAttr>(each).asArrayRef());
    }
  if (axes.empty())
    axes.segments.clear();
  return axes;
}

RankedTensorType mlir::llm::growAlong(RankedTensorType piece, size_t dim,
                                      int64_t times) {
  SmallVector<int64_t> shape(piece.getShape());
  shape[dim] *= times;
  return piece.clone(shape);
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

/// Gives axes with segments to the outermost index that counts anything.
static std::optional<SmallVector<Axes>>
distributeSegments(const Axes &axes, ArrayRef<int64_t> sizes, GridAttr grid) {
  SmallVector<Axes> all(sizes.size());
  size_t at = 0;
  while (at + 1 < sizes.size() && sizes[at] == 1)
    ++at;
  if (at == sizes.size())
    return std::nullopt;
  int64_t inside = 1;
  for (int64_t size : sizes.drop_front(at + 1))
    inside *= size;
  if (llvm::any_of(axes.segments,
                   [&](int64_t segment) { return segment % inside != 0; }))
    return std::nullopt;
  bool areSingle = llvm::all_of(
      axes.segments, [&](int64_t segment) { return segment == inside; });
  if (areSingle) { // each is cut as the indices inside of it are
    auto own = distribute({axes.names}, sizes.drop_front(at + 1), grid);
    if (!own)
      return std::nullopt;
    llvm::copy(*own, all.begin() + at + 1);
    return all;
  }
  all[at] = axes;
  for (int64_t &segment : all[at].segments)
    segment /= inside;
  return divides(all[at], sizes[at], grid) ? std::optional(all) : std::nullopt;
}

std::optional<SmallVector<Axes>> mlir::llm::distribute(const Axes &axes,
                                                       ArrayRef<int64_t> sizes,
                                                       GridAttr grid) {
  if (!axes.segments.empty())
    return distributeSegments(axes, sizes, grid);
  SmallVector<Axes> all(sizes.size());
  size_t next = 0;
  for (auto [size, own] : llvm::zip_equal(sizes, all)) {
    int64_t left = size;
    while (next < axes.names.size() && !ShapedType::isDynamic(left) &&
           left % *grid.sizeOf(axes.names[next]) == 0) {
      left /= *grid.sizeOf(axes.names[next]);
      own.names.push_back(axes.names[next++]);
    }
    if (next < axes.names.size() && left != 1)
      return std::nullopt;
  }
  if (next < axes.names.size())
    return std::nullopt;
  return all;
}

std::optional<Axes> mlir::llm::gather(ArrayRef<Axes> axes,
                                      ArrayRef<int64_t> sizes, GridAttr grid) {
  Axes all;
  bool hasInside = false;
  for (auto [own, size] : llvm::zip_equal(axes, sizes)) {
    if (!own.empty() && (hasInside || !all.segments.empty()))
      return std::nullopt;
    hasInside |= size != countChips(own, grid);
    llvm::append_range(all.names, own.names);
    for (int64_t &segment : all.segments)
      segment *= size;
    if (!own.segments.empty() && all.names.size() != own.names.size())
      return std::nullopt;
    llvm::append_range(all.segments, own.segments);
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
    if (!gathered || !divides(*gathered, size, grid))
      return std::nullopt;
    axes = *gathered;
  }
  return cut;
}

bool mlir::llm::asksForWholeDim(Operation *op, const Cut &cut) {
  auto asking = dyn_cast<ShapedDimOpInterface>(op);
  std::optional<int64_t> dim =
      asking ? getConstantIntValue(asking.getDimension()) : std::nullopt;
  return dim && *dim >= 0 && *dim < static_cast<int64_t>(cut.dims.size()) &&
         cut.dims[*dim].empty();
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
