//===- Slices.cpp - An op on a box of its iterations ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Workload/Slices.h"
#include "llm/Workload/IndexTerms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<Workload> mlir::llm::findWorkload(Operation *op) {
  auto works = dyn_cast<WorkloadOpInterface>(op);
  if (!works)
    return failure();
  return works.getWorkload([] { return InFlightDiagnostic(); });
}

/// The tensor that a value is, or shows. It is null if the value is none.
static RankedTensorType shownTensorOf(Value value) {
  if (auto array = dyn_cast<ArrayTypeInterface>(value.getType()))
    return array.getShownTensor();
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Shows a slice that is a value of an array's type as a tensor.
static Value showAsTensor(OpBuilder &builder, Value value) {
  auto array = dyn_cast<ArrayTypeInterface>(value.getType());
  return array ? array.showAsTensor(builder, value) : value;
}

static Value oldStateOf(Operation *op) {
  auto update = dyn_cast<StateUpdateOpInterface>(op);
  return update ? update.getOldState() : Value();
}

static bool isNewState(OpResult result) {
  auto update = dyn_cast<StateUpdateOpInterface>(result.getOwner());
  return update && update.getNewState() == result;
}

//===----------------------------------------------------------------------===//
// Which loops can be cut
//===----------------------------------------------------------------------===//

/// Whether boxes of `sizes` iterations count every index in a range once. For h
/// * 4 + g these have all g, or a single h.
static bool countsRange(AffineExpr index, ArrayRef<int64_t> sizes) {
  std::optional<SmallVector<IndexTerm>> terms = termsOfIndex(index);
  if (!terms || terms->empty())
    return false;
  int64_t count = 1;
  for (const IndexTerm &term : *terms) {
    if (sizes[term.loop] == 1)
      continue;
    if (term.factor != count)
      return false;
    count *= sizes[term.loop];
  }
  return true;
}

/// Returns how many neighbours along a dimension of the tensor share a scale,
/// so that slices must not cut them.
static int64_t granuleOf(RankedTensorType tensor, unsigned dim) {
  auto storage = dyn_cast<StorageBytesTypeInterface>(tensor.getElementType());
  // If all neighbours share one scale, any slice has the scale of the whole.
  return storage ? std::max<int64_t>(
                       1, storage.getGranule(tensor.getRank() - 1 - dim))
                 : 1;
}

static std::string explainUncut(const Buffer &buffer, const Loop &cut,
                                unsigned loop, ArrayRef<int64_t> sizes) {
  std::string named = "'" + buffer.name + "'";
  RankedTensorType tensor = shownTensorOf(buffer.value);
  if (!tensor || tensor.getRank() != int64_t(buffer.map.getNumResults()) ||
      buffer.isGathered)
    return "which elements of " + named + " belong to some iterations of '" +
           cut.name + "' is not known";
  for (auto [dim, index] : llvm::enumerate(buffer.map.getResults())) {
    if (!index.isFunctionOfDim(loop))
      continue;
    if (!countsRange(index, sizes))
      return "the elements of " + named + " that some iterations of '" +
             cut.name + "' touch are no slice";
    int64_t granule = granuleOf(tensor, dim);
    if (sizes[loop] % granule)
      return "a cut of '" + cut.name + "' into " + std::to_string(sizes[loop]) +
             " goes through blocks of " + std::to_string(granule) + " in " +
             named;
  }
  return {};
}

std::string mlir::llm::explainUncut(SliceableOpInterface op,
                                    const Workload &workload, unsigned loop,
                                    ArrayRef<int64_t> sizes) {
  const Loop &cut = workload.loops[loop];
  if (!cut.isTileable())
    return "a value is carried along '" + cut.name + "'";
  if (cut.kind == utils::IteratorType::reduction &&
      !isa<SummableOpInterface>(op.getOperation()))
    return "parts of the reduction '" + cut.name + "' are not added up";
  for (const Buffer &buffer : workload.buffers) {
    if (buffer.role == Buffer::Role::State && oldStateOf(op) != buffer.value)
      return "slices of its state '" + buffer.name + "' are not written back";
    if (buffer.role == Buffer::Role::Temporary ||
        !buffer.map.isFunctionOfDim(loop))
      continue;
    if (std::string why = ::explainUncut(buffer, cut, loop, sizes);
        !why.empty())
      return why;
  }
  return op.explainUncut(workload, loop, sizes);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns `index` with its loops at `values`.
static OpFoldResult apply(OpBuilder &builder, Location loc, AffineExpr index,
                          ArrayRef<OpFoldResult> values) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return values[dim.getPosition()];
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(values.size(), 0, index), values);
}

/// Whether the box has all iterations of each loop that the index counts.
static bool hasAllOf(AffineExpr index, const Workload &workload,
                     const IterationBox &box) {
  for (auto [at, loop] : llvm::enumerate(workload.loops))
    if (index.isFunctionOfDim(at) &&
        (!isConstantIntValue(box.offsets[at], 0) ||
         getConstantIntValue(box.sizes[at]) != loop.extent))
      return false;
  return true;
}

IterationBox mlir::llm::sliceOfBuffer(OpBuilder &builder, Location loc,
                                      const Workload &workload,
                                      const Buffer &buffer,
                                      const IterationBox &box) {
  IterationBox slice;
  ArrayRef<int64_t> shape = shownTensorOf(buffer.value).getShape();
  // The last iteration along each loop gives the last element.
  SmallVector<AffineExpr> last;
  for (unsigned loop = 0; loop < box.sizes.size(); ++loop)
    last.push_back(getAffineDimExpr(loop, builder.getContext()) - 1);
  for (auto [dim, index] : llvm::enumerate(buffer.map.getResults())) {
    if (hasAllOf(index, workload, box)) { // or the same for all iterations
      slice.offsets.push_back(builder.getIndexAttr(0));
      slice.sizes.push_back(builder.getIndexAttr(shape[dim]));
      continue;
    }
    slice.offsets.push_back(apply(builder, loc, index, box.offsets));
    AffineExpr count =
        isa<AffineDimExpr>(index) ? index : index.replaceDims(last) + 1;
    slice.sizes.push_back(apply(builder, loc, count, box.sizes));
  }
  return slice;
}

static bool isWhole(Value value, const IterationBox &slice) {
  ArrayRef<int64_t> shape = shownTensorOf(value).getShape();
  for (auto [offset, size, extent] :
       llvm::zip_equal(slice.offsets, slice.sizes, shape))
    if (!isConstantIntValue(offset, 0) || getConstantIntValue(size) != extent)
      return false;
  return true;
}

/// Makes a slice of a tensor, or of an array that shows one.
static Value extractSlice(OpBuilder &builder, Value whole,
                          const IterationBox &slice,
                          SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> strides(slice.sizes.size(),
                                    builder.getIndexAttr(1));
  auto extract = tensor::ExtractSliceOp::create(
      builder, whole.getLoc(), showAsTensor(builder, whole), slice.offsets,
      slice.sizes, strides);
  slices.push_back(extract);
  auto array = dyn_cast<ArrayTypeInterface>(whole.getType());
  return array ? array.makeOfTensor(builder, extract, /*before=*/Value())
               : extract.getResult();
}

/// Returns the operands of the op, each with the slice that its buffer shows.
/// The n-th buffer that reads a value is its n-th operand. Other operands
/// (positions) stay.
static SmallVector<Value> sliceOperands(OpBuilder &builder, Operation *op,
                                        const Workload &workload,
                                        const IterationBox &box,
                                        SmallVectorImpl<Operation *> &slices) {
  SmallVector<Value> operands(op->getOperands());
  llvm::SmallBitVector isDone(operands.size());
  for (const Buffer &buffer : workload.buffers) {
    if (buffer.role != Buffer::Role::Read && buffer.role != Buffer::Role::State)
      continue;
    unsigned operand = 0;
    while (op->getOperand(operand) != buffer.value || isDone[operand])
      ++operand;
    isDone.set(operand);
    if (buffer.isGathered) // no loop of it is cut
      continue;
    IterationBox slice =
        sliceOfBuffer(builder, op->getLoc(), workload, buffer, box);
    if (!isWhole(buffer.value, slice))
      operands[operand] = extractSlice(builder, buffer.value, slice, slices);
  }
  return operands;
}

LogicalResult mlir::llm::inferResults(Operation *op) {
  auto inferring = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inferring || failed(inferring.inferReturnTypes(
                        op->getContext(), op->getLoc(), op->getOperands(),
                        op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                        op->getRegions(), types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}

/// Returns the buffer that is written as a result. The next state is in the
/// buffer of the one before.
static const Buffer *bufferOf(const Workload &workload, OpResult result) {
  Value state = isNewState(result) ? oldStateOf(result.getOwner()) : Value();
  const Buffer *found =
      llvm::find_if(workload.buffers, [&](const Buffer &each) {
        return (each.role == Buffer::Role::Write && each.value == result) ||
               (each.role == Buffer::Role::State && each.value == state);
      });
  return found == workload.buffers.end() ? nullptr : found;
}

/// Pads `value` with zeros behind it, up to `sizes`.
static Value padTo(OpBuilder &builder, Value value,
                   ArrayRef<OpFoldResult> sizes,
                   ArrayRef<OpFoldResult> ownSizes) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> low(sizes.size(), builder.getIndexAttr(0)), high;
  AffineExpr whole = getAffineDimExpr(0, builder.getContext()),
             own = getAffineDimExpr(1, builder.getContext());
  for (auto [size, ownSize] : llvm::zip_equal(sizes, ownSizes))
    high.push_back(apply(builder, loc, whole - own, {size, ownSize}));
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(builder, loc,
                               type.clone(decomposeMixedValues(sizes).first),
                               value, low, high, zero);
}

FailureOr<TilingResult>
mlir::llm::sliceOp(OpBuilder &builder, SliceableOpInterface op,
                   const IterationBox &box,
                   function_ref<void(Operation *)> change) {
  Location loc = op->getLoc();
  FailureOr<Workload> workload = findWorkload(op);
  if (failed(workload))
    return failure();
  IterationBox narrow = box;
  op.narrowBox(builder, *workload, narrow);
  TilingResult result;
  SmallVector<Value> operands =
      sliceOperands(builder, op, *workload, narrow, result.generatedSlices);
  Operation *slice = op->clone();
  slice->setOperands(operands);
  op.placeSlice(builder, *workload, narrow, slice);
  if (change)
    change(slice);
  builder.insert(slice);
  if (failed(inferResults(slice)))
    return failure();
  result.tiledOps.push_back(slice);
  for (auto [own, of] :
       llvm::zip_equal(slice->getResults(), op->getResults())) {
    const Buffer *buffer = bufferOf(*workload, of);
    if (!buffer)
      return failure();
    IterationBox place = sliceOfBuffer(builder, loc, *workload, *buffer, box),
                 done = sliceOfBuffer(builder, loc, *workload, *buffer, narrow);
    bool isComplete = isEqualConstantIntOrValueArray(place.sizes, done.sizes);
    Value shown = showAsTensor(builder, own);
    result.tiledValues.push_back(
        isComplete ? shown : padTo(builder, shown, place.sizes, done.sizes));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// TilingInterface
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> mlir::llm::loopKindsOf(Operation *op) {
  SmallVector<utils::IteratorType> kinds;
  if (FailureOr<Workload> workload = findWorkload(op); succeeded(workload))
    for (const Loop &loop : workload->loops)
      kinds.push_back(loop.kind);
  return kinds;
}

SmallVector<Range> mlir::llm::iterationDomainOf(Operation *op,
                                                OpBuilder &builder) {
  SmallVector<Range> domain;
  if (FailureOr<Workload> workload = findWorkload(op); succeeded(workload))
    for (const Loop &loop : workload->loops)
      domain.push_back({builder.getIndexAttr(0),
                        builder.getIndexAttr(loop.extent),
                        builder.getIndexAttr(1)});
  return domain;
}

Value mlir::llm::makeDestination(OpBuilder &builder, OpResult result) {
  return tensor::EmptyOp::create(builder, result.getLoc(),
                                 shownTensorOf(result).getShape(),
                                 shownTensorOf(result).getElementType());
}

Value mlir::llm::makeResult(OpBuilder &builder, OpResult result, Value tensor) {
  auto array = dyn_cast<ArrayTypeInterface>(result.getType());
  if (!array)
    return tensor;
  Value before = isNewState(result) ? oldStateOf(result.getOwner()) : Value();
  return array.makeOfTensor(builder, tensor, before);
}

LogicalResult mlir::llm::resultSliceOf(Operation *op, OpBuilder &builder,
                                       unsigned result, const IterationBox &box,
                                       IterationBox &slice) {
  FailureOr<Workload> workload = findWorkload(op);
  if (failed(workload))
    return failure();
  const Buffer *buffer = bufferOf(*workload, op->getResult(result));
  if (!buffer)
    return failure();
  slice = sliceOfBuffer(builder, op->getLoc(), *workload, *buffer, box);
  return success();
}
