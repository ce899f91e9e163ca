//===- Slicing.cpp - What ops on slices add to their workloads ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sums.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::llm;

std::string QuantizeOp::explainUncut(const Workload &workload, unsigned loop,
                                     ArrayRef<int64_t>) {
  auto scaled = dyn_cast<BlockScaledType>(getType());
  int64_t dimFromLast = workload.loops.size() - 1 - loop;
  if (getIsStatic() || !scaled)
    return {};
  for (ScalesAttr each : scaled.getScales()) {
    ArrayRef<int64_t> block = each.getBlock();
    if (dimFromLast < int64_t(block.size()) &&
        block[block.size() - 1 - dimFromLast] == ScalesAttr::wholeDimension)
      return "a scale is found along all of '" + workload.loops[loop].name +
             "'";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Positions are one number for all sequences, or one for each.
static std::string explainUncutPositions(ArrayRef<int64_t> begins,
                                         const Workload &workload,
                                         unsigned loop) {
  if (begins.size() > 1 && workload.loops[loop].name == "b")
    return "the positions of the sequences differ, and are no operand";
  return {};
}

/// The positions of a slice begin as many tokens later as the slice does. A
/// position that is no constant is an operand.
template <typename Op>
static void placePositions(OpBuilder &builder, const Workload &workload,
                           const IterationBox &box, Op slice,
                           int64_t stride = 1) {
  OpFoldResult first = box.offsets[*workload.findLoop("s")];
  if (isConstantIntValue(first, 0))
    return;
  AffineExpr sum = getAffineDimExpr(0, builder.getContext()) +
                   getAffineDimExpr(1, builder.getContext()) * stride;
  SmallVector<Value> open;
  SmallVector<int64_t> begins;
  auto next = slice.getDynamicBegin().begin();
  for (int64_t begin : slice.getBegin()) {
    OpFoldResult known = builder.getIndexAttr(begin);
    if (ShapedType::isDynamic(begin))
      known = *next++;
    OpFoldResult shifted = affine::makeComposedFoldedAffineApply(
        builder, slice.getLoc(), AffineMap::get(2, 0, sum), {known, first});
    std::optional<int64_t> number = getConstantIntValue(shifted);
    begins.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      open.push_back(
          getValueOrCreateConstantIndexOp(builder, slice.getLoc(), shifted));
  }
  slice.getDynamicBeginMutable().assign(open);
  slice.setBegin(begins);
}

std::string RopeOp::explainUncut(const Workload &workload, unsigned loop,
                                 ArrayRef<int64_t>) {
  return explainUncutPositions(getBegin(), workload, loop);
}
void RopeOp::placeSlice(OpBuilder &builder, const Workload &workload,
                        const IterationBox &box, Operation *slice) {
  placePositions(builder, workload, box, cast<RopeOp>(slice),
                 getStride().value_or(1));
}

std::string PositionScaleOp::explainUncut(const Workload &workload,
                                          unsigned loop, ArrayRef<int64_t>) {
  return explainUncutPositions(getBegin(), workload, loop);
}
void PositionScaleOp::placeSlice(OpBuilder &builder, const Workload &workload,
                                 const IterationBox &box, Operation *slice) {
  placePositions(builder, workload, box, cast<PositionScaleOp>(slice));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// A causal mask on a slice of the queries is a causal mask on the keys up to
/// that of its last query, because the last query stands at the last key. The
/// mask cannot say where the first key stands, nor how many keys each sequence
/// of a slice has.
static std::string explainUncutMask(MaskAttr mask, const Workload &workload,
                                    unsigned loop) {
  StringRef name = workload.loops[loop].name;
  bool isCausal = mask.getKind() == MaskKind::Causal;
  if (name == "t" && (isCausal || !mask.getLengths().empty()))
    return "the mask does not say where the first of some keys stands";
  bool isOfSequence = name == "b" || (name == "s" && isCausal);
  if (isOfSequence && !mask.getLengths().empty())
    return "the lengths of the sequences in the mask are no operand";
  return {};
}

/// Leaves out the keys behind the last query of the box.
static void narrowToVisible(OpBuilder &builder, MaskAttr mask, Location loc,
                            const Workload &workload, IterationBox &box) {
  unsigned s = *workload.findLoop("s"), t = *workload.findLoop("t");
  int64_t queries = workload.loops[s].extent, keys = workload.loops[t].extent;
  if (mask.getKind() != MaskKind::Causal ||
      getConstantIntValue(box.sizes[s]) == queries)
    return;
  AffineExpr end = getAffineDimExpr(0, builder.getContext()) +
                   getAffineDimExpr(1, builder.getContext()) + keys - queries;
  box.sizes[t] = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(2, 0, end), {box.offsets[s], box.sizes[s]});
}

#define SLICE_MASKED(Op)                                                       \
  std::string Op::explainUncut(const Workload &workload, unsigned loop,        \
                               ArrayRef<int64_t>) {                            \
    return explainUncutMask(getMask(), workload, loop);                        \
  }                                                                            \
  void Op::narrowBox(OpBuilder &builder, const Workload &workload,             \
                     IterationBox &box) {                                      \
    narrowToVisible(builder, getMask(), getLoc(), workload, box);              \
  }
SLICE_MASKED(GqaAttnOp)
SLICE_MASKED(MlaAttnOp)
SLICE_MASKED(SelectKeysOp)
SLICE_MASKED(QkOp)
SLICE_MASKED(SoftmaxOp)
SLICE_MASKED(PvOp)
#undef SLICE_MASKED

/// Tokens and entries have a mask each, and one loop. Of a slice of the queries
/// both would have to know where its last query stands.
std::string CompressedAttnOp::explainUncut(const Workload &workload,
                                           unsigned loop, ArrayRef<int64_t>) {
  StringRef name = workload.loops[loop].name;
  SmallVector<MaskAttr, 2> masks = {getMask()};
  if (getSees())
    masks.push_back(*getSees());
  for (MaskAttr mask : masks) {
    if (name == "b" && !mask.getLengths().empty())
      return "the lengths of the sequences in the mask are no operand";
    if (name == "s" && mask.getKind() == MaskKind::Causal)
      return "the masks do not say where the last of some queries stands";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// Inputs before some tokens are in the slice of the tokens before these.
std::string Conv1dOp::explainUncut(const Workload &workload, unsigned loop,
                                   ArrayRef<int64_t>) {
  if (workload.loops[loop].name == "s")
    return "the inputs before some tokens are no state";
  return {};
}

/// A slice along the tokens is carried, which the workload says.
std::string LinearAttnOp::explainUncut(const Workload &, unsigned,
                                       ArrayRef<int64_t>) {
  return {};
}

/// Where no window is closed, the op has no buffer of its bias, nor of its
/// state.
std::string CompressOp::explainUncut(const Workload &workload, unsigned loop,
                                     ArrayRef<int64_t>) {
  StringRef name = workload.loops[loop].name;
  if (!getOut())
    return "it closes no window, and only keeps tokens";
  if (name == "s")
    return "the tokens before some tokens are no state";
  if (name == "b" && getBegin().size() > 1)
    return "the positions of the sequences differ, and are no operand";
  return {};
}

//===----------------------------------------------------------------------===//
// Numbers of heads and rows
//===----------------------------------------------------------------------===//

std::string RepeatKvOp::explainUncut(const Workload &workload, unsigned loop,
                                     ArrayRef<int64_t> sizes) {
  const Loop &cut = workload.loops[loop];
  bool countsHeads = cut.name == "h" || cut.name == "g";
  if (countsHeads && cut.extent % sizes[loop])
    return "the number of heads is no operand, and the last slice along '" +
           cut.name + "' has fewer than the others";
  return {};
}

void RepeatKvOp::placeSlice(OpBuilder &, const Workload &workload,
                            const IterationBox &box, Operation *slice) {
  int64_t heads = 1;
  for (StringRef loop : {"h", "g"})
    heads *= *getConstantIntValue(box.sizes[*workload.findLoop(loop)]);
  cast<RepeatKvOp>(slice).setHeads(heads);
}

std::string GroupedMatmulOp::explainUncut(const Workload &workload,
                                          unsigned loop, ArrayRef<int64_t>) {
  StringRef name = workload.loops[loop].name;
  if (name == "m")
    return "how many of some rows each expert has is no operand";
  if (name == "k" && getBias())
    return "the bias of each row is added to a complete sum";
  return {};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Type mlir::llm::sumTypeOf(Type resultType) {
  constexpr unsigned sumBits = 32;
  if (resultType.getIntOrFloatBitWidth() >= sumBits)
    return resultType;
  MLIRContext *context = resultType.getContext();
  return isa<FloatType>(resultType) ? Type(Float32Type::get(context))
                                    : IntegerType::get(context, sumBits);
}

static Type elementTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static Value convert(OpBuilder &builder, Value tensor, Type type) {
  if (elementTypeOf(tensor) == type)
    return tensor;
  return QuantizeOp::create(builder, tensor.getLoc(), /*name=*/StringAttr(),
                            tensor, /*scale=*/Value(), /*isStatic=*/false,
                            type);
}

/// Returns zeros in the shape of the box's result.
static Value startAtZero(OpBuilder &builder, Value out,
                         const Workload &workload, const IterationBox &box) {
  const Buffer *written = llvm::find_if(
      workload.buffers, [&](const Buffer &each) { return each.value == out; });
  IterationBox slice = sliceOfBuffer(builder, out.getLoc(), workload, *written, box);
  Type type = sumTypeOf(elementTypeOf(out));
  Value zero = arith::ConstantOp::create(builder, out.getLoc(),
                                         builder.getZeroAttr(type));
  return tensor::SplatOp::create(builder, out.getLoc(), zero, slice.sizes);
}

/// Returns the bias, repeated for each row of the box's result.
static Value startAtBias(OpBuilder &builder, MatmulOp op,
                         const Workload &workload, const IterationBox &box) {
  Location loc = op.getLoc();
  OpFoldResult first = box.offsets[*workload.findLoop("n")],
               rows = box.sizes[*workload.findLoop("m")],
               columns = box.sizes[*workload.findLoop("n")];
  Value bias = tensor::ExtractSliceOp::create(
      builder, loc, op.getBias(), ArrayRef<OpFoldResult>{first},
      ArrayRef<OpFoldResult>{columns},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  Type type = sumTypeOf(elementTypeOf(op.getOut()));
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<OpFoldResult>{rows, columns}, type);
  return linalg::BroadcastOp::create(builder, loc, convert(builder, bias, type),
                                     empty, ArrayRef<int64_t>{0})
      ->getResult(0);
}

template <typename Op>
static void makeSummand(Op slice) {
  slice.setOutType(sumTypeOf(elementTypeOf(slice.getOut())));
}

Value MatmulOp::startSums(OpBuilder &builder, const Workload &workload,
                          const IterationBox &box) {
  return getBias() ? startAtBias(builder, *this, workload, box)
                   : startAtZero(builder, getOut(), workload, box);
}
void MatmulOp::makeSummand(Operation *slice) {
  auto product = cast<MatmulOp>(slice);
  product.getBiasMutable().clear();
  ::makeSummand(product);
}

Value BatchMatmulOp::startSums(OpBuilder &builder, const Workload &workload,
                               const IterationBox &box) {
  return startAtZero(builder, getOut(), workload, box);
}
void BatchMatmulOp::makeSummand(Operation *slice) {
  ::makeSummand(cast<BatchMatmulOp>(slice));
}

Value GroupedMatmulOp::startSums(OpBuilder &builder, const Workload &workload,
                                 const IterationBox &box) {
  return startAtZero(builder, getOut(), workload, box);
}
void GroupedMatmulOp::makeSummand(Operation *slice) {
  ::makeSummand(cast<GroupedMatmulOp>(slice));
}

#define ADD_UP(Op)                                                             \
  Value Op::addToSums(OpBuilder &builder, Value sums, Value summand) {         \
    return AddOp::create(builder, getLoc(), /*name=*/StringAttr(), sums,       \
                         summand);                                             \
  }                                                                            \
  Value Op::finishSums(OpBuilder &builder, Value sums) {                       \
    return convert(builder, sums, elementTypeOf(getOut()));                    \
  }
ADD_UP(MatmulOp)
ADD_UP(BatchMatmulOp)
ADD_UP(GroupedMatmulOp)
#undef ADD_UP
