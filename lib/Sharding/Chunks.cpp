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
  Workload workload;
  unsigned loop;

  int64_t rows() const { return workload.loops[loop].extent; }
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
  if (!loop || workload->loops[*loop].extent < chunks)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (const Loop &each : workload->loops)
    sizes.push_back(each.extent);
  sizes[*loop] = llvm::divideCeil(sizes[*loop], chunks);
  if (!explainUncut(product, *workload, *loop, sizes).empty())
    return std::nullopt;
  return SummedProduct{sum, product, std::move(*workload), *loop};
}

/// Makes the product and its sum for some rows.
static FailureOr<Value> makeChunk(OpBuilder &builder, SummedProduct &of,
                                  int64_t number, int64_t begin, int64_t size) {
  IterationBox box;
  for (const Loop &loop : of.workload.loops) {
    box.offsets.push_back(builder.getIndexAttr(0));
    box.sizes.push_back(builder.getIndexAttr(loop.extent));
  }
  box.offsets[of.loop] = builder.getIndexAttr(begin);
  box.sizes[of.loop] = builder.getIndexAttr(size);
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
  int64_t size = llvm::divideCeil(of.rows(), chunks);
  for (int64_t begin = 0; begin < of.rows(); begin += size) {
    FailureOr<Value> part =
        makeChunk(builder, of, static_cast<int64_t>(parts.size()), begin,
                  std::min(size, of.rows() - begin));
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
  std::vector<SummedProduct> products;
  function.walk([&](AllReduceOp sum) {
    if (std::optional<SummedProduct> found = findProduct(sum, chunks))
      products.push_back(std::move(*found));
  });
  for (SummedProduct &product : products)
    if (failed(split(product, chunks)))
      return failure();
  return success();
}
