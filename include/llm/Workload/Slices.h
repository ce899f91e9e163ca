//===- Slices.h - An op on a box of its iterations --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements `TilingInterface` from the workload of an op: its loops, and the
// slices of operands and results on which its maps depend in a box. An op with
// `SliceableOpInterface` guarantees that it is the same op on these slices.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_SLICES_H
#define LLM_WORKLOAD_SLICES_H

#include "llm/Workload/Workload.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::llm {

/// Returns the workload, or failure without a diagnostic.
FailureOr<Workload> findWorkload(Operation *op);

/// Says why the op cannot run on boxes of `sizes` iterations that cut `loop`,
/// as a sentence without a subject. The last box along each loop is smaller. It
/// is empty if the op can.
std::string explainUncut(SliceableOpInterface op, const Workload &workload,
                         unsigned loop, ArrayRef<int64_t> sizes);

/// Sets the types of the results to those that the op infers from its current
/// operands. Fails if the op cannot infer them.
LogicalResult inferResults(Operation *op);

/// Returns the elements of a buffer that a box touches: where they begin, and
/// how many there are along each dimension. If the box has all iterations of a
/// loop, these are all elements of the dimension. (A loop over several
/// concatenated buffers is longer than each.)
IterationBox sliceOfBuffer(OpBuilder &builder, Location loc,
                           const Workload &workload, const Buffer &buffer,
                           const IterationBox &box);

/// Makes the op on a box. `change`, if it is given, is applied to the copy
/// before its result types are inferred.
FailureOr<TilingResult>
sliceOp(OpBuilder &builder, SliceableOpInterface op, const IterationBox &box,
        function_ref<void(Operation *)> change = nullptr);

/// Returns a tensor into which slices of a result can be put.
Value makeDestination(OpBuilder &builder, OpResult result);
/// Converts the tensor of all slices of a result to the result's type.
/// `sliceOp` returns slices of a state as tensors.
Value makeResult(OpBuilder &builder, OpResult result, Value tensor);

/// These implement the methods of TilingInterface with the functions above.
SmallVector<utils::IteratorType> loopKindsOf(Operation *op);
SmallVector<Range> iterationDomainOf(Operation *op, OpBuilder &builder);
LogicalResult resultSliceOf(Operation *op, OpBuilder &builder, unsigned result,
                            const IterationBox &box, IterationBox &slice);

template <typename Op>
struct SliceableTilingModel
    : TilingInterface::ExternalModel<SliceableTilingModel<Op>, Op> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return loopKindsOf(op);
  }
  SmallVector<Range> getIterationDomain(Operation *op,
                                        OpBuilder &builder) const {
    return iterationDomainOf(op, builder);
  }
  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &builder,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    return sliceOp(builder, cast<SliceableOpInterface>(op),
                   {llvm::to_vector(offsets), llvm::to_vector(sizes)});
  }
  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &builder, unsigned result,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    IterationBox slice;
    if (failed(resultSliceOf(op, builder, result,
                             {llvm::to_vector(offsets), llvm::to_vector(sizes)},
                             slice)))
      return failure();
    resultOffsets = slice.offsets;
    resultSizes = slice.sizes;
    return success();
  }
};

} // namespace mlir::llm

#endif // LLM_WORKLOAD_SLICES_H
