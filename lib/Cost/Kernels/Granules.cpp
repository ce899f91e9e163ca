//===- Granules.cpp - Products on arrays of whole granules ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/Granules.h"
#include "llm/Cost/SliceRows.h"
#include "llm/Cost/WorkSums.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

using LoopSet = llvm::SmallBitVector;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a product's operands and of its result.
struct Product {
  LoopSet left, right, result;
};
} // namespace

static SmallVector<unsigned, 3> contractedBuffers(const Workload &workload) {
  SmallVector<unsigned, 3> found;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (workload.isContracted(buffer))
      found.push_back(index);
  return found;
}

static const Buffer *findBuffer(const Workload &workload, Buffer::Role role) {
  const Buffer *found =
      llvm::find_if(workload.buffers,
                    [&](const Buffer &buffer) { return buffer.role == role; });
  return found == workload.buffers.end() ? nullptr : found;
}

/// Finds the loops of a single product of two operands. Loops that both have
/// and the result lacks are reduced.
static Product singleProduct(const Workload &workload, unsigned left,
                             unsigned right) {
  Product product{workload.loopsOf(workload.buffers[left]),
                  workload.loopsOf(workload.buffers[right]),
                  {}};
  product.result = product.left;
  product.result |= product.right;
  for (auto [index, loop] : llvm::enumerate(workload.loops))
    if (loop.kind == utils::IteratorType::reduction)
      product.result.reset(index);
  return product;
}

/// Finds the loops of one of two products in a row, as in attention. The second
/// product takes the result of the first, which is never in memory, and the
/// last operand.
static std::optional<Product> chainedProduct(const Workload &workload,
                                             ArrayRef<unsigned> operands,
                                             bool isSecond) {
  const Buffer *between = findBuffer(workload, Buffer::Role::Temporary),
               *result = findBuffer(workload, Buffer::Role::Write);
  if (!between || !result)
    return std::nullopt;
  auto loopsOf = [&](unsigned index) {
    return workload.loopsOf(workload.buffers[index]);
  };
  if (!isSecond)
    return Product{loopsOf(operands[0]), loopsOf(operands[1]),
                   workload.loopsOf(*between)};
  return Product{workload.loopsOf(*between), loopsOf(operands.back()),
                 workload.loopsOf(*result)};
}

static std::optional<Product> findProduct(const Workload &workload,
                                          unsigned stage) {
  SmallVector<const Stage *, 2> products = findContractions(workload);
  const Stage *own = &workload.stages[stage];
  SmallVector<unsigned, 3> operands = contractedBuffers(workload);
  if (!llvm::is_contained(products, own))
    return std::nullopt;
  if (products.size() == 1 && operands.size() == 2)
    return singleProduct(workload, operands[0], operands[1]);
  if (products.size() == 2 && operands.size() >= 2)
    return chainedProduct(workload, operands, own == products.back());
  return std::nullopt;
}

bool Granules::findAxes(unsigned stage) {
  const Workload &workload = context->workload;
  std::optional<Product> product = findProduct(workload, stage);
  if (!product)
    return false;
  for (unsigned loop : workload.stages[stage].loops.set_bits()) {
    if (!product->left[loop])
      columns.loops.push_back(loop);
    else if (!product->result[loop])
      terms.loops.push_back(loop);
    else if (!product->right[loop])
      rows.loops.push_back(loop);
    // Loops that all three have count products.
  }
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (buffer.slices > 0 && rows.loops.size() == 1 &&
        workload.isContracted(buffer))
      sharing = index;
  return true;
}

std::optional<Granules> Granules::get(const OpOnTarget &context,
                                      unsigned stage) {
  const Engine &engine = *context.engine;
  Granules granules(context);
  granules.rows.granule = engine.granuleM.value_or(1);
  granules.columns.granule = engine.granuleN.value_or(1);
  granules.terms.granule = engine.granuleK.value_or(1);
  bool isFine = granules.rows.granule == 1 && granules.columns.granule == 1 &&
                granules.terms.granule == 1;
  if (isFine || engine.costModel != CostModelKind::Tiles ||
      !granules.findAxes(stage))
    return std::nullopt;
  return granules;
}

int64_t Granules::extentOf(const Axis &axis) const {
  return productOf(axis.loops, [&](unsigned loop) {
    return context->workload.loops[loop].extent;
  });
}

int64_t Granules::stepOf(unsigned loop) const {
  for (const Axis *axis : {&rows, &columns, &terms}) {
    int64_t left = axis->granule;
    // The inner loops of an axis fill a granule first.
    for (unsigned inner : llvm::reverse(axis->loops)) {
      int64_t step = std::min(left, context->workload.loops[inner].extent);
      if (inner == loop)
        return step;
      left = llvm::divideCeil(left, step);
    }
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static Count roundUp(Count size, int64_t granule) {
  return failed(size)
             ? size
             : times(int64_t(llvm::divideCeil(*size, granule)), granule);
}

/// Returns the sum over tiles of `size` times their iterations along `loops`,
/// rounded up to granules.
static Count sumOfTiles(ArrayRef<Loop> all, ArrayRef<unsigned> loops,
                        ArrayRef<int64_t> tileSizes, int64_t granule,
                        Count size) {
  if (loops.empty())
    return roundUp(size, granule);
  int64_t extent = all[loops.front()].extent;
  int64_t full = std::min(tileSizes[loops.front()], extent);
  auto rest = [&](int64_t iterations) {
    return sumOfTiles(all, loops.drop_front(), tileSizes, granule,
                      times(size, iterations));
  };
  Count sum = times(rest(full), extent / full);
  return extent % full ? plus(sum, rest(extent % full)) : sum;
}

/// Rounds up the rows of each slice in each tile together.
Count Granules::paddedSharedRows(int64_t tileSize) const {
  Count sum = int64_t(0);
  for (int64_t run :
       findSliceRows(*context, *sharing, rows.loops.front(), tileSize))
    sum = plus(sum, roundUp(run, rows.granule));
  return sum;
}

Count Granules::padded(const Axis &axis, ArrayRef<int64_t> tileSizes) const {
  if (&axis == &rows && sharing && axis.granule > 1)
    return paddedSharedRows(tileSizes[rows.loops.front()]);
  return sumOfTiles(context->workload.loops, axis.loops, tileSizes,
                    axis.granule, int64_t(1));
}

Count Granules::countSlots(int64_t points, ArrayRef<int64_t> tileSizes) const {
  Count slots = points;
  for (const Axis *axis : {&rows, &columns, &terms}) {
    Count whole = padded(*axis, tileSizes);
    if (failed(whole) || failed(slots))
      return failure();
    std::optional<int64_t> scaled =
        ceilMulDiv(*slots, *whole, 1, extentOf(*axis));
    slots = scaled ? Count(*scaled) : Count(failure());
  }
  return slots;
}
