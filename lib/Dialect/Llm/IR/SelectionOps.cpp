//===- SelectionOps.cpp - Keys that are selected at run time --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An indexer scores all keys and selects a few of them, which attention reads.
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "Visibility.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// select_keys-C10, gqa_attn-C12, mla_attn-C9: there is no window or chunk, as
/// it might hide the best keys.
static LogicalResult verifyPlainMask(std::optional<Location> loc,
                                     StringRef opName, MaskAttr mask) {
  if (!mask.getWindow() && !mask.getChunk())
    return success();
  return fail(loc, opName, "keys are selected among all that come before: the ",
              "mask must have no window and no chunk");
}

LogicalResult mlir::llm::verifySelection(std::optional<Location> loc,
                                         StringRef opName, Value selected,
                                         std::optional<int64_t> block,
                                         RankedTensorType query,
                                         int64_t kvHeads, MaskAttr mask) {
  if (block && (!selected || *block < 1)) // gqa_attn-C11, mla_attn-C8
    return fail(loc, opName,
                "block must be positive, and stands behind "
                "'selected' only, got ",
                *block);
  if (!selected)
    return success();
  RankedTensorType type = tensorType(selected);
  int64_t groups = type.getDimSize(2);
  if (!type.getElementType().isInteger(32) ||
      !agree(type.getDimSize(0), query.getDimSize(0)) ||
      !agree(type.getDimSize(1), query.getDimSize(1)) ||
      !(agree(groups, 1) || agree(groups, kvHeads)))
    // gqa_attn-C10, mla_attn-C7
    return fail(loc, opName, "selected ", type,
                " must be i32 of the batch and "
                "queries of ",
                query, ", in 1 group or in ", kvHeads,
                ", one for each KV head");
  return verifyPlainMask(loc, opName, mask);
}

/// select_keys-C6.
static LogicalResult verifyForced(std::optional<Location> loc,
                                  SelectKeysOp::Adaptor op) {
  int64_t local = op.getLocal().value_or(0),
          initial = op.getInitial().value_or(0);
  bool isNamed = op.getLocal() || op.getInitial();
  bool fits =
      local >= 0 && initial >= 0 && local <= int64_t(op.getTop()) - initial;
  if (!isNamed || (op.getBlock() && fits))
    return success();
  return fail(loc, SelectKeysOp::getOperationName(),
              "local and initial count blocks, of which 'top' ", op.getTop(),
              " are selected, got ", local, " and ", initial,
              op.getBlock() ? "" : " without 'block'");
}

static LogicalResult verifySizes(std::optional<Location> loc,
                                 SelectKeysOp::Adaptor op) {
  StringRef name = SelectKeysOp::getOperationName();
  double scale = op.getScale().convertToDouble();
  if (!std::isfinite(scale) || scale <= 0) // select_keys-C2
    return fail(loc, name, "scale must be finite and positive");
  int64_t top = op.getTop(), block = op.getBlock().value_or(1);
  if (top < 1 || top > INT32_MAX) // select_keys-C4
    return fail(loc, name, "top must be in [1, ", INT32_MAX, "], got ", top);
  if (block < 1 || block > INT32_MAX) // select_keys-C5
    return fail(loc, name, "block must be in [1, ", INT32_MAX, "], got ",
                block);
  return verifyForced(loc, op);
}

LogicalResult
SelectKeysOp::inferReturnTypes(MLIRContext *context,
                               std::optional<Location> loc, Adaptor adaptor,
                               SmallVectorImpl<Type> &resultTypes) {
  StringRef name = getOperationName();
  if (failed(verifyRanks(loc, name,
                         {{adaptor.getQuery(), 4},
                          {adaptor.getKeys(), 4},
                          {adaptor.getWeights(), 3}})))
    return failure();
  RankedTensorType query = tensorType(adaptor.getQuery());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  if (!agree(query.getDimSize(0), keys.getDimSize(0)) ||
      !agree(query.getDimSize(3), keys.getDimSize(3)) ||
      !agree(keys.getDimSize(2), 1)) // select_keys-C1
    return fail(loc, name, "query ", query, " and keys ", keys,
                " must agree in batch and index_dim, and keys be of one head");
  Value weights = adaptor.getWeights();
  for (unsigned dim = 0; weights && dim < 3; ++dim)
    if (!agree(tensorType(weights).getDimSize(dim), query.getDimSize(dim)))
      // select_keys-C3
      return fail(loc, name, "weights ", weights.getType(),
                  " must be one for each index head of ", query);
  if (failed(verifySizes(loc, adaptor)))
    return failure();
  int64_t groups = weights ? 1 : query.getDimSize(2);
  resultTypes.push_back(
      RankedTensorType::get({query.getDimSize(0), query.getDimSize(1), groups,
                             static_cast<int64_t>(adaptor.getTop())},
                            IntegerType::get(context, 32)));
  // select_keys-C7, select_keys-C8, select_keys-C9
  return failure(
      failed(verifyPlainMask(loc, name, adaptor.getMaskAttr())) ||
      failed(verifyMask(loc, name, adaptor.getMaskAttr(), query.getDimSize(0),
                        query.getDimSize(1), keys.getDimSize(1))));
}

//===----------------------------------------------------------------------===//
// select_keys
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static MaskedBatch maskedBatchOf(SelectKeysOp op) {
  return {op.getMask(), shapeOf(op.getQuery())[1], shapeOf(op.getKeys())[1]};
}

/// Makes loops b, s, h (index heads), t (keys), d, n (blocks, if there are any)
/// and k (slots).
static Workload makeLoops(SelectKeysOp op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  int64_t keys = shapeOf(op.getKeys())[1];
  // A sum over heads must be complete before its key is compared.
  bool isSum = bool(op.getWeights());
  Workload workload;
  workload.loops = {
      {"b", IteratorType::parallel, query[0]},
      {"s", IteratorType::parallel, query[1]},
      {"h", isSum ? IteratorType::reduction : IteratorType::parallel, query[2],
       isSum ? Loop::Tiles::Whole : Loop::Tiles::AnyOrder},
      {"t", IteratorType::reduction, keys},
      {"d", IteratorType::reduction, query[3], Loop::Tiles::Whole}};
  if (std::optional<int64_t> block = op.getBlock())
    workload.loops.push_back({"n", IteratorType::reduction,
                              llvm::divideCeilSigned(keys, *block),
                              Loop::Tiles::Whole});
  workload.loops.push_back({"k", IteratorType::parallel,
                            static_cast<int64_t>(op.getTop()),
                            Loop::Tiles::Whole});
  workload.maskedLoops.resize(workload.loops.size());
  for (StringRef loop : {"s", "t"})
    workload.maskedLoops.set(*workload.findLoop(loop));
  workload.maskedLoops[0] = !op.getMask().getLengths().empty();
  return workload;
}

/// Adds the buffer of the single head of stored keys, or of the only group of a
/// selection.
static void addSingle(Workload &workload, Buffer::Role role, StringRef name,
                      Value value, ArrayRef<StringRef> loops, unsigned dim) {
  Buffer &buffer = workload.addBuffer(role, name, value, loops);
  buffer.map = buffer.map.insertResult(
      getAffineConstantExpr(0, value.getContext()), dim);
}

FailureOr<Workload> SelectKeysOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  Workload workload = makeLoops(*this);
  using Role = Buffer::Role;
  constexpr EngineKind vector = EngineKind::Vector;
  Type f32 = Float32Type::get(getContext());
  SmallVector<StringRef> rows = {"b", "s"};
  if (!getWeights())
    rows.push_back("h");
  auto with = [&](StringRef last) {
    SmallVector<StringRef> loops = rows;
    loops.push_back(last);
    return loops;
  };
  workload.addBuffer(Role::Read, "query", getQuery(), {"b", "s", "h", "d"});
  addSingle(workload, Role::Read, "keys", getKeys(), {"b", "t", "d"}, 2);
  // Weights multiply sums that are complete, in the lanes of other arithmetic.
  if (Value weights = getWeights())
    workload.addBuffer(Role::Read, "weights", weights, {"b", "s", "h"})
        .isContracted = false;
  if (getWeights())
    addSingle(workload, Role::Write, "out", getOut(), with("k"), 2);
  else
    workload.addBuffer(Role::Write, "out", getOut(), with("k"));
  workload.addBuffer(Role::Temporary, "scores", getOut(), f32, with("t"));
  workload.addStage("score", EngineKind::Matrix, {"b", "s", "h", "t", "d"},
                    {{WorkKind::Mac, 1}});
  if (getWeights())
    workload.addStage("weigh", vector, {"b", "s", "h", "t"},
                      {{WorkKind::Compare, 1}, {WorkKind::Alu, 2}});
  if (!getBlock()) {
    workload.addStage("select", vector, with("t"),
                      {{WorkKind::Compare, selectionPasses}});
    return workload;
  }
  workload.addBuffer(Role::Temporary, "block_scores", getOut(), f32, with("n"));
  workload.addStage("pool", vector, with("t"), {{WorkKind::Compare, 1}});
  workload.addStage("select", vector, with("n"),
                    {{WorkKind::Compare, selectionPasses}});
  return workload;
}

Count SelectKeysOp::countPoints(const Workload &workload, unsigned stage,
                                Box box) {
  return countMasked(workload, workload.stages[stage].loops,
                     maskedBatchOf(*this), box);
}

Count SelectKeysOp::countElements(const Workload &workload, unsigned buffer,
                                  Box box) {
  return countMaskedElements(workload, buffer, maskedBatchOf(*this), box);
}

//===----------------------------------------------------------------------===//
// What attention reads of a selection
//===----------------------------------------------------------------------===//

int64_t mlir::llm::countSelectedKeys(Value selected, int64_t block,
                                     int64_t keys) {
  int64_t top = shapeOf(selected)[3];
  return std::min(keys, top > keys / block ? keys : top * block);
}

void mlir::llm::gatherSelected(Workload &workload, StringRef name,
                               Value selected) {
  Buffer &buffer = *llvm::find_if(
      workload.buffers, [&](const Buffer &each) { return each.name == name; });
  AffineExpr query =
      getAffineDimExpr(*workload.findLoop("s"), selected.getContext());
  buffer.map = buffer.map.insertResult(query, 1);
  buffer.isGathered = true;
  buffer.selectedBy.push_back(selected);
}

void mlir::llm::addSlotsLoop(Workload &workload, Value selected,
                             int64_t block) {
  if (!selected || block == 1)
    return;
  workload.loops.push_back({slotsLoop.str(), IteratorType::parallel,
                            shapeOf(selected)[3], Loop::Tiles::Whole});
  workload.maskedLoops.resize(workload.loops.size());
}

void mlir::llm::addSelection(Workload &workload, Value selected) {
  MLIRContext *context = selected.getContext();
  StringRef slots = workload.findLoop(slotsLoop) ? slotsLoop : "t";
  SmallVector<StringRef> loops = {"b", "s", slots};
  bool isGrouped = shapeOf(selected)[2] != 1;
  if (isGrouped)
    loops.insert(loops.begin() + 2, "h");
  Buffer &buffer =
      workload.addBuffer(Buffer::Role::Read, selectionName, selected, loops);
  if (!isGrouped)
    buffer.map = buffer.map.insertResult(getAffineConstantExpr(0, context), 2);
  buffer.isContracted = false;
}
