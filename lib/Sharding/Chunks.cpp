//===- Chunks.cpp - Sums that hide behind the products ahead of them ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chips add up the first rows of a product while they compute the next ones. It
// is how NVIDIA's Transformer Engine overlaps tensor parallelism ("pipelined"
// chunks of the GEMM and its collective). Where a chip gets its rows of the sum
// only (reduce_scatter), each chunk has some columns of all rows.
//
//===----------------------------------------------------------------------===//

#include "LoopCuts.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// A product whose summands chips add up, and what is cut into chunks.
struct SummedProduct {
  Operation *sum;
  SliceableOpInterface product;
  int64_t dim;          ///< of the result
  unsigned loop;        ///< of the product, which counts along it
  int64_t extent, size; ///< of the loop, and of a chunk
};
} // namespace

bool mlir::llm::isSumOverChips(Operation *op) {
  return isa<AllReduceOp, ReduceScatterOp>(op);
}

/// Returns the dimension of the result along which a sum is cut: its rows, or
/// its columns if chips get rows of it.
static int64_t findDim(Operation *sum) {
  auto scatter = dyn_cast<ReduceScatterOp>(sum);
  int64_t rank = cast<RankedTensorType>(sum->getResult(0).getType()).getRank();
  return !scatter || scatter.getDim() != 0 ? 0 : rank - 1;
}

/// Returns the size of chunks. Columns are cut by the 128, as blocks of scales
/// and tiles of products are, if there are so many.
static int64_t sizeOfChunk(int64_t extent, int64_t chunks, bool areRows) {
  constexpr int64_t block = 128;
  int64_t size = llvm::divideCeil(extent, chunks);
  return areRows || size < block ? size : llvm::alignTo(size, block);
}

/// Nothing reads the summands but the sum, and one loop counts along the
/// dimension that is cut.
static std::optional<SummedProduct> findProduct(Operation *sum,
                                                int64_t chunks) {
  auto product = sum->getOperand(0).getDefiningOp<SliceableOpInterface>();
  if (!product || product->getNumResults() != 1 ||
      !sum->getOperand(0).hasOneUse())
    return std::nullopt;
  FailureOr<Workload> workload = findWorkload(product);
  if (failed(workload) || !workload->macElementType())
    return std::nullopt;
  int64_t dim = findDim(sum);
  std::optional<unsigned> loop = findLoopOfDim(product, *workload, dim);
  int64_t extent = loop ? workload->loops[*loop].extent : 0;
  if (extent < chunks)
    return std::nullopt;
  int64_t size = sizeOfChunk(extent, chunks, /*areRows=*/dim == 0);
  SmallVector<int64_t> sizes;
  for (const Loop &each : workload->loops)
    sizes.push_back(each.extent);
  sizes[*loop] = size;
  if (size == extent || !explainUncut(product, *workload, *loop, sizes).empty())
    return std::nullopt;
  return SummedProduct{sum, product, dim, *loop, extent, size};
}

static void nameSum(Operation *sum, const Twine &name) {
  sum->setAttr("name", StringAttr::get(sum->getContext(), name));
}

/// Makes the product and its sum for a chunk.
static FailureOr<Value> makeChunk(OpBuilder &builder, SummedProduct &of,
                                  const IterationBox &box, unsigned number) {
  auto name = of.product->getAttrOfType<StringAttr>("name");
  std::string suffix = "_chunk" + std::to_string(number),
              ownName = name ? name.str() + suffix : "";
  FailureOr<TilingResult> slice =
      sliceOp(builder, of.product, box, [&](Operation *op) {
        if (name)
          op->setAttr("name", builder.getStringAttr(ownName));
      });
  if (failed(slice))
    return failure();
  Value summands = slice->tiledValues.front();
  IRMapping map;
  map.map(of.sum->getOperand(0), summands);
  Operation *part = builder.clone(*of.sum, map);
  auto whole = cast<RankedTensorType>(of.sum->getResult(0).getType());
  SmallVector<int64_t> shape(whole.getShape());
  shape[of.dim] = cast<RankedTensorType>(summands.getType()).getDimSize(of.dim);
  part->getResult(0).setType(whole.clone(shape));
  if (auto ofSum = of.sum->getAttrOfType<StringAttr>("name")) {
    StringRef behind = ofSum.getValue();
    bool isOfProduct = name && behind.consume_front(name.getValue());
    nameSum(part, isOfProduct ? ownName + behind : ofSum.getValue() + suffix);
  }
  return part->getResult(0);
}

static LogicalResult split(SummedProduct &of) {
  OpBuilder builder(of.sum);
  SmallVector<Value> parts;
  IterationBox box;
  for (const Range &range : iterationDomainOf(of.product, builder)) {
    box.offsets.push_back(range.offset);
    box.sizes.push_back(range.size);
  }
  for (int64_t begin = 0; begin < of.extent; begin += of.size) {
    box.offsets[of.loop] = builder.getIndexAttr(begin);
    box.sizes[of.loop] =
        builder.getIndexAttr(std::min(of.size, of.extent - begin));
    FailureOr<Value> part = makeChunk(builder, of, box, parts.size());
    if (failed(part))
      return of.product->emitOpError() << "cannot be computed in chunks";
    parts.push_back(*part);
  }
  Value whole =
      tensor::ConcatOp::create(builder, of.sum->getLoc(), of.dim, parts);
  of.sum->getResult(0).replaceAllUsesWith(whole);
  of.sum->erase();
  of.product.getOperation()->erase();
  return success();
}

LogicalResult mlir::llm::splitSumsIntoChunks(FunctionOpInterface function,
                                             int64_t chunks) {
  SmallVector<SummedProduct> products;
  function.walk([&](Operation *op) {
    if (!isSumOverChips(op))
      return;
    if (std::optional<SummedProduct> found = findProduct(op, chunks))
      products.push_back(std::move(*found));
  });
  for (SummedProduct &product : products)
    if (failed(split(product)))
      return failure();
  return success();
}
