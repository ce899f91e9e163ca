//===- PackedTensors.h - Whole numbers, several in a word -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What checkpoints of GPTQ, AWQ and compressed-tensors have of a linear layer
// [out, in]: whole numbers of 2, 4 or 8 bits in words of 32, and of each group
// of inputs a scale and a zero point. A weight is (number - zero) scale.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_PACKEDTENSORS_H
#define LLM_LIB_EXECUTION_PACKEDTENSORS_H

#include "StoredTensor.h"
#include "llm/Execution/WeightFiles.h"

#include <optional>

namespace mlir::llm {

/// The tensors of one layer.
struct PackedTensors {
  StoredTensor values, scales;
  Type scaleType; ///< null: none that is known
  std::optional<StoredTensor> zeros;
  std::optional<StoredTensor> groups; ///< which one, of each input
};

/// `qweight`, `qzeros`, `scales` and `g_idx`. GPTQ packs inputs of one output,
/// AWQ outputs of one input: shapes tell which it is. `addToZeros` is what
/// stored zero points of GPTQ lack: 1, or in its second format 0.
///
/// The parts are one of a float type; or values of as many bits as the file's
/// and one layer of scales, where all zero points are the middle of the range,
/// and groups follow each other.
FailureOr<WeightParts> readGptqOrAwq(const PackedTensors &tensors,
                                     int64_t addToZeros,
                                     ArrayRef<RankedTensorType> parts);

/// `weight_packed`, `weight_scale`, `weight_zero_point` and `weight_g_idx` of
/// compressed-tensors: inputs of one output, and zero points of outputs of one
/// group. The result has the same parts.
FailureOr<WeightParts> readPackQuantized(const PackedTensors &tensors,
                                         ArrayRef<RankedTensorType> parts);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PACKEDTENSORS_H
