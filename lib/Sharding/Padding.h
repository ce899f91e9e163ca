//===- Padding.h - Zeros behind weights, so that chips divide ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All chips run one program, so that their pieces have one size. Where chips do
// not divide the columns of a weight, or the experts, there are zeros behind
// them, as in serving stacks (vLLM's VocabParallelEmbedding). `llm.unpadded` of
// a weight has the sizes without them.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_PADDING_H
#define LLM_LIB_SHARDING_PADDING_H

#include "Experts.h"
#include "LoopCuts.h"

namespace mlir::llm {

/// Adds experts without rows, whose weights are zeros, until the chips divide
/// them. Does nothing if there are fewer experts than chips, or if what there
/// is for each expert is no weight.
void padExperts(ExpertRegion &region, const Axes &axes, GridAttr grid);

/// Adds zeros behind the columns of weights until the chips along the axes of
/// an op divide them. The columns go on through ops to products that add over
/// them, whose weights get as many rows of zeros. Where something else reads
/// the columns, a slice has those that were there before. Returns these slices.
/// Columns of which a later op needs all of a row stay as they are, and so do
/// those that a view divides, such as heads.
FailureOr<DenseSet<Operation *>>
padProducts(FunctionOpInterface function, GridAttr grid,
            function_ref<ArrayRef<StringAttr>(Operation *)> axesOf);

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_PADDING_H
