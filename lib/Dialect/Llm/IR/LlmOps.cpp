//===- LlmOps.cpp - Result types and verification of the ops --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Each check is a numbered constraint of dialects/llm/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "OpChecks.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// There is a name, and every {} of it has one index.
static LogicalResult verifyIndexedName(Operation *op, StringRef name,
                                       size_t indices) {
  if (name.empty()) // weight-C1, kv_cache-C4
    return op->emitOpError() << "needs a name";
  size_t places = name.count("{}");
  if (places != indices) // weight-C2, kv_cache-C5
    return op->emitOpError() << "name \"" << name << "\" has " << places
                             << " places '{}' for " << indices << " indices";
  return success();
}

LogicalResult WeightOp::verify() {
  return verifyIndexedName(*this, getName(), getIndices().size());
}

SourceKind WeightOp::getSourceKind() { return SourceKind::Weight; }

LogicalResult KvCacheOp::verify() {
  return verifyIndexedName(*this, getName(), getIndices().size());
}

SourceKind KvCacheOp::getSourceKind() { return SourceKind::Cache; }

LogicalResult KvReadOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  auto cache = cast<KvCacheType>(adaptor.getCache().getType());
  int64_t begin = adaptor.getBegin(), end = adaptor.getEnd();
  if (begin < 0 || end <= begin || end > cache.getCapacity()) // kv_read-C1
    return fail(loc, getOperationName(), "rows ", begin, " to ", end,
                " must be a non-empty range within the capacity ",
                cache.getCapacity());
  auto type = RankedTensorType::get(
      {cache.getBatch(), end - begin, cache.getKvHeads(), cache.getHeadDim()},
      cache.getElementType());
  resultTypes.append({type, type});
  return success();
}

SourceKind KvReadOp::getSourceKind() { return SourceKind::Cache; }

/// Walks from the newest write back to the first one that this read does not
/// see through: a write to other rows leaves these rows as they were before it.
SmallVector<Value> KvReadOp::getDependences() {
  SmallVector<Value> dependences;
  int64_t begin = getBegin(), end = getEnd();
  Value state = getCache();
  while (auto write = state.getDefiningOp<KvWriteOp>()) {
    int64_t first = write.getBegin();
    int64_t seq = tensorType(write.getKeys()).getDimSize(1);
    // A write of unknown length may reach these rows, and may not cover them.
    bool isStatic = !ShapedType::isDynamic(seq);
    if (first < end && (!isStatic || begin < first + seq))
      dependences.push_back(state);
    if (isStatic && first <= begin && end <= first + seq)
      return dependences;
    state = write.getCache();
  }
  dependences.push_back(state);
  return dependences;
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

LogicalResult KvWriteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getKeys(), 4}, {adaptor.getValues(), 4}})))
    return failure();
  auto cache = cast<KvCacheType>(adaptor.getCache().getType());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  if (keys != adaptor.getValues().getType()) // kv_write-C1
    return fail(loc, getOperationName(),
                "keys and values must have one type, got ", keys, " and ",
                adaptor.getValues().getType());
  if (!agree(keys.getDimSize(0), cache.getBatch()) ||
      !agree(keys.getDimSize(2), cache.getKvHeads()) ||
      !agree(keys.getDimSize(3), cache.getHeadDim())) // kv_write-C2
    return fail(loc, getOperationName(), "keys ", keys,
                " must be [batch, seq, kv_heads, head_dim] of the cache ",
                cache);
  int64_t begin = adaptor.getBegin(), seq = keys.getDimSize(1);
  if (begin < 0 || begin > cache.getCapacity() ||
      (!ShapedType::isDynamic(seq) &&
       seq > cache.getCapacity() - begin)) // kv_write-C3
    return fail(loc, getOperationName(), "positions from ", begin, " on, ", seq,
                " of them, must lie within the capacity ", cache.getCapacity());
  resultTypes.push_back(cache);
  return success();
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getLhs(), 2},
                          {adaptor.getRhs(), 2},
                          {adaptor.getBias(), 1}})))
    return failure();
  RankedTensorType lhs = tensorType(adaptor.getLhs()),
                   rhs = tensorType(adaptor.getRhs());
  bool transposed = adaptor.getTransposeRhs();
  int64_t k = rhs.getDimSize(transposed ? 1 : 0),
          n = rhs.getDimSize(transposed ? 0 : 1);
  if (failed(verifyReduction(loc, getOperationName(), lhs, rhs, k,
                             transposed))) // matmul-C1
    return failure();
  if (Value bias = adaptor.getBias())
    if (!agree(tensorType(bias).getDimSize(0), n)) // matmul-C2
      return fail(loc, getOperationName(), "bias ", bias.getType(),
                  " must have n = ", n, " elements");
  resultTypes.push_back(
      RankedTensorType::get({lhs.getDimSize(0), n}, lhs.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Norm and elementwise
//===----------------------------------------------------------------------===//

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getWeight(), 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (x.getRank() == 0) // rmsnorm-C1
    return fail(loc, getOperationName(), "needs at least one dimension");
  RankedTensorType weight = tensorType(adaptor.getWeight());
  if (!agree(x.getShape().back(), weight.getDimSize(0))) // rmsnorm-C2
    return fail(loc, getOperationName(), "weight ", weight, " must have the ",
                x.getShape().back(), " elements of the last dimension of ", x);
  double epsilon = adaptor.getEpsilon().convertToDouble();
  if (!std::isfinite(epsilon) || epsilon < 0) // rmsnorm-C3
    return fail(loc, getOperationName(),
                "epsilon must be finite and not negative");
  resultTypes.push_back(x);
  return success();
}

LogicalResult RopeOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getX(), 4}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  if (!ShapedType::isDynamic(x.getDimSize(3)) && x.getDimSize(3) % 2) // rope-C1
    return fail(loc, getOperationName(),
                "rotates pairs: head_dim must be even, got ", x.getDimSize(3));
  if (static_cast<int64_t>(adaptor.getBegin()) < 0) // rope-C2
    return fail(loc, getOperationName(),
                "the first position must not be negative");
  double theta = adaptor.getTheta().convertToDouble();
  if (!std::isfinite(theta) || theta <= 0) // rope-C3
    return fail(loc, getOperationName(), "theta must be finite and positive");
  resultTypes.push_back(x);
  return success();
}

// softmax-C1, gqa_attn-C5, qk-C4, pv-C3: under a causal mask no query may come
// before the first key.
static LogicalResult verifyMask(std::optional<Location> loc, StringRef opName,
                                MaskAttr mask, int64_t queries, int64_t keys) {
  if (mask.getKind() == MaskKind::Causal && !ShapedType::isDynamic(queries) &&
      !ShapedType::isDynamic(keys) && queries > keys)
    return fail(loc, opName,
                "a causal mask needs at least as many keys as queries, got ",
                queries, " queries and ", keys, " keys");
  return success();
}

/// Of softmax and gqa_attn: one sink for each head, and a cap above 0.
static LogicalResult verifyLogits(std::optional<Location> loc, StringRef opName,
                                  Value sinks, int64_t heads,
                                  std::optional<APFloat> softCap) {
  if (sinks && !agree(tensorType(sinks).getDimSize(0), heads))
    // softmax-C2, gqa_attn-C6
    return fail(loc, opName, "sinks ", sinks.getType(), " must be one for each",
                " of ", heads, " heads");
  if (!softCap)
    return success();
  double cap = softCap->convertToDouble();
  if (!std::isfinite(cap) || cap <= 0) // softmax-C3, gqa_attn-C7
    return fail(loc, opName, "soft_cap must be finite and positive");
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getX(), 4}, {adaptor.getSinks(), 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  resultTypes.push_back(x);
  if (failed(verifyLogits(loc, getOperationName(), adaptor.getSinks(),
                          x.getDimSize(1), adaptor.getSoftCap())))
    return failure();
  return verifyMask(loc, getOperationName(), adaptor.getMaskAttr(),
                    x.getDimSize(2), x.getDimSize(3));
}

// binary-C1: of add, mul, swiglu and geglu.
template <typename Op>
static LogicalResult inferBinary(std::optional<Location> loc,
                                 typename Op::Adaptor adaptor,
                                 SmallVectorImpl<Type> &resultTypes) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (lhs != rhs)
    return fail(loc, Op::getOperationName(),
                "operands must have one type, got ", lhs, " and ", rhs);
  resultTypes.push_back(lhs);
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<AddOp>(loc, adaptor, resultTypes);
}

LogicalResult MulOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<MulOp>(loc, adaptor, resultTypes);
}

LogicalResult SwiGluOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<SwiGluOp>(loc, adaptor, resultTypes);
}

LogicalResult GeGluOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &resultTypes) {
  return inferBinary<GeGluOp>(loc, adaptor, resultTypes);
}

LogicalResult ScaleOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &resultTypes) {
  if (!std::isfinite(adaptor.getFactor().convertToDouble())) // scale-C1
    return fail(loc, getOperationName(), "factor must be finite");
  resultTypes.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult SoftCapOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  double cap = adaptor.getCap().convertToDouble();
  if (!std::isfinite(cap) || cap <= 0) // soft_cap-C1
    return fail(loc, getOperationName(), "cap must be finite and positive");
  resultTypes.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult
ActivationOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                               Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  resultTypes.push_back(adaptor.getX().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// gqa_attn-C4, qk-C3, pv-C2: every KV head serves a whole group of `heads`.
static LogicalResult verifyGroups(std::optional<Location> loc, StringRef opName,
                                  int64_t heads, int64_t kvHeads) {
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(kvHeads) &&
      (kvHeads == 0 || heads % kvHeads))
    return fail(loc, opName, heads, " heads are not a multiple of ", kvHeads,
                " KV heads");
  return success();
}

/// What attention and its scores have in common.
static LogicalResult verifyQueryAndKeys(std::optional<Location> loc,
                                        StringRef opName,
                                        RankedTensorType query,
                                        RankedTensorType keys, MaskAttr mask,
                                        double scale) {
  if (!agree(query.getDimSize(0), keys.getDimSize(0)) ||
      !agree(query.getDimSize(3), keys.getDimSize(3))) // gqa_attn-C2, qk-C1
    return fail(loc, opName, "query ", query, " and keys ", keys,
                " must agree in batch and head_dim");
  if (!std::isfinite(scale) || scale <= 0) // gqa_attn-C3, qk-C2
    return fail(loc, opName, "scale must be finite and positive");
  return failure(failed(verifyGroups(loc, opName, query.getDimSize(2),
                                     keys.getDimSize(2))) ||
                 failed(verifyMask(loc, opName, mask, query.getDimSize(1),
                                   keys.getDimSize(1))));
}

LogicalResult GqaAttnOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getQuery(), 4},
                          {adaptor.getKeys(), 4},
                          {adaptor.getValues(), 4},
                          {adaptor.getSinks(), 1}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  if (keys != adaptor.getValues().getType()) // gqa_attn-C1
    return fail(loc, getOperationName(),
                "keys and values must have one type, got ", keys, " and ",
                adaptor.getValues().getType());
  resultTypes.push_back(query);
  if (failed(verifyLogits(loc, getOperationName(), adaptor.getSinks(),
                          query.getDimSize(2), adaptor.getSoftCap())))
    return failure();
  return verifyQueryAndKeys(loc, getOperationName(), query, keys,
                            adaptor.getMaskAttr(),
                            adaptor.getScale().convertToDouble());
}

LogicalResult QkOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getQuery(), 4}, {adaptor.getKeys(), 4}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  resultTypes.push_back(
      RankedTensorType::get({query.getDimSize(0), query.getDimSize(2),
                             query.getDimSize(1), keys.getDimSize(1)},
                            query.getElementType()));
  return verifyQueryAndKeys(loc, getOperationName(), query, keys,
                            adaptor.getMaskAttr(),
                            adaptor.getScale().convertToDouble());
}

LogicalResult PvOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(
          loc, getOperationName(),
          {{adaptor.getProbabilities(), 4}, {adaptor.getValues(), 4}})))
    return failure();
  RankedTensorType probabilities = tensorType(adaptor.getProbabilities());
  RankedTensorType values = tensorType(adaptor.getValues());
  if (!agree(probabilities.getDimSize(0), values.getDimSize(0)) ||
      !agree(probabilities.getDimSize(3), values.getDimSize(1))) // pv-C1
    return fail(loc, getOperationName(), "probabilities ", probabilities,
                " and values ", values, " must agree in batch and keys");
  resultTypes.push_back(RankedTensorType::get(
      {probabilities.getDimSize(0), probabilities.getDimSize(2),
       probabilities.getDimSize(1), values.getDimSize(3)},
      probabilities.getElementType()));
  return failure(
      failed(verifyGroups(loc, getOperationName(), probabilities.getDimSize(1),
                          values.getDimSize(2))) ||
      failed(verifyMask(loc, getOperationName(), adaptor.getMaskAttr(),
                        probabilities.getDimSize(2),
                        probabilities.getDimSize(3))));
}
