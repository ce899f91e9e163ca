//===- AttentionOps.cpp - Result types and checks of attention ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check is a numbered constraint of dialects/llm/Spec.md.
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

// softmax-C1, gqa_attn-C5, mla_attn-C4, qk-C4, pv-C3, select_keys-C7: under a
// causal mask no query may come before the first key.
LogicalResult mlir::llm::verifyMask(std::optional<Location> loc,
                                    StringRef opName, MaskAttr mask,
                                    int64_t batch, int64_t queries,
                                    int64_t keys) {
  int64_t lengths = mask.getLengths().size();
  if (lengths > 0 && !agree(lengths, batch))
    // softmax-C4, gqa_attn-C8, mla_attn-C5, qk-C5, pv-C4, select_keys-C8
    return fail(loc, opName, "the mask has ", lengths, " lengths for ", batch,
                " sequences");
  bool isCausal = mask.getKind() == MaskKind::Causal;
  for (int64_t length : mask.getLengths())
    if (!ShapedType::isDynamic(queries) && !ShapedType::isDynamic(keys) &&
        (length / mask.getStride() > keys || (isCausal && length < queries)))
      // softmax-C5, gqa_attn-C9, mla_attn-C6, qk-C6, pv-C5, select_keys-C9
      return fail(loc, opName, "a sequence of ", length,
                  " keys does not lie within ", keys, " keys",
                  isCausal ? " or has fewer keys than queries" : "");
  if (mask.getKind() == MaskKind::Causal && mask.getStride() == 1 &&
      !ShapedType::isDynamic(queries) && !ShapedType::isDynamic(keys) &&
      queries > keys)
    return fail(loc, opName,
                "a causal mask needs at least as many keys as queries, got ",
                queries, " queries and ", keys, " keys");
  return success();
}

/// Softmax and gqa_attn have one sink for each head, and a cap above 0.
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

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

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
                    x.getDimSize(0), x.getDimSize(2), x.getDimSize(3));
}

//===----------------------------------------------------------------------===//
// Queries, keys and values
//===----------------------------------------------------------------------===//

// gqa_attn-C4, repeat_kv-C2, qk-C3, pv-C2: every KV head serves a whole group
// of `heads`.
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
      !agree(query.getDimSize(3), keys.getDimSize(3)))
    // gqa_attn-C2, mla_attn-C1, qk-C1
    return fail(loc, opName, "query ", query, " and keys ", keys,
                " must agree in batch and head_dim");
  if (!std::isfinite(scale) || scale <= 0) // gqa_attn-C3, mla_attn-C2, qk-C2
    return fail(loc, opName, "scale must be finite and positive");
  return failure(failed(verifyGroups(loc, opName, query.getDimSize(2),
                                     keys.getDimSize(2))) ||
                 failed(verifyMask(loc, opName, mask, query.getDimSize(0),
                                   query.getDimSize(1), keys.getDimSize(1))));
}

/// The result of attention, and the log-sum-exp of each row if it is wanted.
static void inferResults(RankedTensorType query, int64_t valueDim,
                         bool returnLse, SmallVectorImpl<Type> &resultTypes) {
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = valueDim;
  resultTypes.push_back(query.clone(shape));
  if (returnLse)
    resultTypes.push_back(
        RankedTensorType::get(query.getShape().drop_back(),
                              Float32Type::get(query.getContext())));
}

LogicalResult GqaAttnOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getQuery(), 4},
                          {adaptor.getKeys(), 4},
                          {adaptor.getValues(), 4},
                          {adaptor.getSinks(), 1},
                          {adaptor.getSelected(), 4}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  RankedTensorType values = tensorType(adaptor.getValues());
  bool agrees = keys.getElementType() == values.getElementType();
  for (unsigned dim : {0, 1, 2})
    agrees &= agree(keys.getDimSize(dim), values.getDimSize(dim));
  if (!agrees) // gqa_attn-C1
    return fail(loc, getOperationName(), "keys ", keys, " and values ", values,
                " must agree in batch, keys, KV heads and element type");
  inferResults(query, values.getDimSize(3), adaptor.getReturnLse(),
               resultTypes);
  if (failed(verifyLogits(loc, getOperationName(), adaptor.getSinks(),
                          query.getDimSize(2), adaptor.getSoftCap())) ||
      failed(verifySelection(loc, getOperationName(), adaptor.getSelected(),
                             adaptor.getBlock(), query, keys.getDimSize(2),
                             adaptor.getMaskAttr())))
    return failure();
  return verifyQueryAndKeys(loc, getOperationName(), query, keys,
                            adaptor.getMaskAttr(),
                            adaptor.getScale().convertToDouble());
}

LogicalResult MlaAttnOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getQuery(), 4},
                          {adaptor.getLatents(), 4},
                          {adaptor.getSelected(), 4}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType latents = tensorType(adaptor.getLatents());
  int64_t valueDim = adaptor.getValueDim(), rank = latents.getDimSize(3);
  if (!agree(latents.getDimSize(2), 1) || valueDim < 1 ||
      (!ShapedType::isDynamic(rank) && valueDim > rank)) // mla_attn-C3
    return fail(loc, getOperationName(), "latents ", latents,
                " must be of one head, and value_dim ", valueDim,
                " features of them the values");
  inferResults(query, valueDim, adaptor.getReturnLse(), resultTypes);
  if (failed(verifySelection(loc, getOperationName(), adaptor.getSelected(),
                             adaptor.getBlock(), query, /*kvHeads=*/1,
                             adaptor.getMaskAttr())))
    return failure();
  return verifyQueryAndKeys(loc, getOperationName(), query, latents,
                            adaptor.getMaskAttr(),
                            adaptor.getScale().convertToDouble());
}

LogicalResult JoinAttnOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &resultTypes) {
  StringRef name = getOperationName();
  if (failed(verifyRanks(loc, name,
                         {{adaptor.getX(), 4},
                          {adaptor.getLse(), 3},
                          {adaptor.getSinks(), 1}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  RankedTensorType lse = tensorType(adaptor.getLse());
  bool agrees = lse.getElementType().isF32();
  for (unsigned dim : {0, 1, 2})
    agrees &= agree(x.getDimSize(dim), lse.getDimSize(dim));
  if (!agrees) // join_attn-C1
    return fail(loc, name, "lse ", lse, " must be one f32 for each row of x ",
                x);
  int64_t parts = adaptor.getParts(), rows = x.getDimSize(1);
  bool isOpen = ShapedType::isDynamic(rows);
  if (parts < 1 || (!isOpen && rows % parts)) // join_attn-C2
    return fail(loc, name, "the ", rows, " queries of x ", x,
                " are not those of ", parts, " parts");
  SmallVector<int64_t> shape(x.getShape());
  if (!isOpen)
    shape[1] /= parts;
  resultTypes.push_back(x.clone(shape));
  return verifyLogits(loc, name, adaptor.getSinks(), x.getDimSize(2),
                      /*softCap=*/std::nullopt); // join_attn-C3
}

/// The vectors beside those of tokens, and which of them queries see.
static LogicalResult verifyEntries(std::optional<Location> loc,
                                   CompressedAttnOp::Adaptor adaptor,
                                   RankedTensorType latents) {
  StringRef name = CompressedAttnOp::getOperationName();
  Value entries = adaptor.getEntries(), selected = adaptor.getSelected();
  MaskAttr sees = adaptor.getSeesAttr();
  if (!entries != !sees || (selected && !entries)) // compressed_attn-C5
    return fail(loc, name,
                "entries and what queries see of them ('sees') stand together, "
                "and selected beside them only");
  if (!entries)
    return success();
  RankedTensorType type = tensorType(entries),
                   query = tensorType(adaptor.getQuery());
  bool agrees = type.getElementType() == latents.getElementType();
  for (unsigned dim : {0, 2, 3})
    agrees &= agree(type.getDimSize(dim), latents.getDimSize(dim));
  if (!agrees) // compressed_attn-C6
    return fail(loc, name, "entries ", type, " and latents ", latents,
                " must agree in all but their number");
  // compressed_attn-C7, compressed_attn-C8
  return failure(failed(verifySelection(loc, name, selected, std::nullopt,
                                        query, /*kvHeads=*/1, sees)) ||
                 failed(verifyMask(loc, name, sees, query.getDimSize(0),
                                   query.getDimSize(1), type.getDimSize(1))));
}

LogicalResult
CompressedAttnOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                   Adaptor adaptor,
                                   SmallVectorImpl<Type> &resultTypes) {
  StringRef name = getOperationName();
  if (failed(verifyRanks(loc, name,
                         {{adaptor.getQuery(), 4},
                          {adaptor.getLatents(), 4},
                          {adaptor.getSinks(), 1},
                          {adaptor.getEntries(), 4},
                          {adaptor.getSelected(), 4}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType latents = tensorType(adaptor.getLatents());
  if (!agree(latents.getDimSize(2), 1)) // compressed_attn-C1
    return fail(loc, name, "latents ", latents, " must be of one head");
  if (MaskAttr mask = adaptor.getMaskAttr(); mask.getStride() > 1)
    return fail(loc, name, // compressed_attn-C4
                "each latent is of one token: its mask must have no stride");
  resultTypes.push_back(query);
  // compressed_attn-C1, compressed_attn-C2, compressed_attn-C3,
  // compressed_attn-C4
  return failure(
      failed(verifyQueryAndKeys(loc, name, query, latents,
                                adaptor.getMaskAttr(),
                                adaptor.getScale().convertToDouble())) ||
      failed(verifyLogits(loc, name, adaptor.getSinks(), query.getDimSize(2),
                          /*softCap=*/std::nullopt)) ||
      failed(verifyEntries(loc, adaptor, latents)));
}

LogicalResult RepeatKvOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(), {{adaptor.getX(), 4}})))
    return failure();
  RankedTensorType x = tensorType(adaptor.getX());
  int64_t heads = adaptor.getHeads();
  if (heads < 1) // repeat_kv-C1
    return fail(loc, getOperationName(), "heads must be positive, got ", heads);
  SmallVector<int64_t> shape(x.getShape());
  shape[2] = heads;
  FailureOr<Type> type =
      resultElementType(loc, getOperationName(), x, adaptor.getOutType());
  if (failed(type)) // repeat_kv-C3
    return failure();
  resultTypes.push_back(RankedTensorType::get(shape, *type));
  return verifyGroups(loc, getOperationName(), heads, x.getDimSize(2));
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
                        probabilities.getDimSize(0),
                        probabilities.getDimSize(2),
                        probabilities.getDimSize(3))));
}
