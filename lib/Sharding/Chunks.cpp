//===- Chunks.cpp - Sums that hide behind the products ahead of them ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chips add up the first rows of a product while they compute the next ones. It
// is how NVIDIA's Transformer Engine overlaps tensor parallelism ("pipelined"
// chunks of the GEMM and its collective).
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
/// A product whose summands chips add up, and the loop that counts its rows.
struct SummedProduct {
  AllReduceOp sum;
  SliceableOpInterface product;
  unsigned loop;
  int64_t rows;
};
} // namespace

/// Nothing reads the summands but the sum, and one dimension, the first one of
/// the result, counts the rows.
static std::optional<SummedProduct> findProduct(AllReduceOp sum,
                                                int64_t chunks) {
  auto product = sum.getX().getDefiningOp<SliceableOpInterface>();
  if (!product || product->getNumResults() != 1 || !sum.getX().hasOneUse())
    return std::nullopt;
  FailureOr<Workload> workload = findWorkload(product);
  if (failed(workload) || !workload->macElementType())
    return std::nullopt;
  std::optional<unsigned> loop = findRowLoop(product, *workload);
  int64_t rows = loop ? workload->loops[*loop].extent : 0;
  if (rows < chunks)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (const Loop &each : workload->loops)
    sizes.push_back(each.extent);
  sizes[*loop] = llvm::divideCeil(rows, chunks);
  if (!explainUncut(product, *workload, *loop, sizes).empty())
    return std::nullopt;
  return SummedProduct{sum, product, *loop, rows};
}

/// Makes the product and its sum for some rows.
static FailureOr<Value> makeChunk(OpBuilder &builder, SummedProduct &of,
                                  const IterationBox &box, unsigned number) {
  AllReduceOp sum = of.sum;
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
  IRMapping map;
  map.map(sum.getX(), slice->tiledValues.front());
  auto part = cast<AllReduceOp>(builder.clone(*sum, map));
  part->getResult(0).setType(slice->tiledValues.front().getType());
  if (std::optional<StringRef> ofSum = sum.getName()) {
    StringRef behind = *ofSum;
    bool isOfProduct = name && behind.consume_front(name.getValue());
    part.setName(isOfProduct ? ownName + behind.str()
                             : ofSum->str() + suffix);
  }
  return part.getOut();
}

static LogicalResult split(SummedProduct &of, int64_t chunks) {
  AllReduceOp sum = of.sum;
  OpBuilder builder(sum);
  SmallVector<Value> parts;
  IterationBox box;
  for (const Range &range : iterationDomainOf(of.product, builder)) {
    box.offsets.push_back(range.offset);
    box.sizes.push_back(range.size);
  }
  int64_t size = llvm::divideCeil(of.rows, chunks);
  for (int64_t begin = 0; begin < of.rows; begin += size) {
    box.offsets[of.loop] = builder.getIndexAttr(begin);
    box.sizes[of.loop] = builder.getIndexAttr(std::min(size, of.rows - begin));
    FailureOr<Value> part = makeChunk(builder, of, box, parts.size());
    if (failed(part))
      return of.product->emitOpError()
             << "cannot be computed in chunks of rows";
    parts.push_back(*part);
  }
  Value whole = tensor::ConcatOp::create(builder, sum.getLoc(), 0, parts);
  sum.getOut().replaceAllUsesWith(whole);
  sum->erase();
  of.product.getOperation()->erase();
  return success();
}

LogicalResult mlir::llm::splitSumsIntoChunks(FunctionOpInterface function,
                                             int64_t chunks) {
  SmallVector<SummedProduct> products;
  function.walk([&](AllReduceOp sum) {
    if (std::optional<SummedProduct> found = findProduct(sum, chunks))
      products.push_back(std::move(*found));
  });
  for (SummedProduct &product : products)
    if (failed(split(product, chunks)))
      return failure();
  return success();
}
