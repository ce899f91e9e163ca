//===- PackedTensors.h - Whole numbers, several in a word -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linear layer [out, in] in checkpoints of GPTQ, AWQ and compressed-tensors
// has whole numbers of 2, 4 or 8 bits in words of 32, and a scale and a zero
// point for each group of inputs. A weight is (number - zero) scale.
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
  Type scaleType; ///< null if it is not known
  std::optional<StoredTensor> zeros;
  std::optional<StoredTensor> groups; ///< the group of each input
};

/// Reads `qweight`, `qzeros`, `scales` and `g_idx`. GPTQ packs inputs of one
/// output, and AWQ outputs of one input: shapes tell which it is. `addToZeros`
/// is what stored zero points of GPTQ lack: 1, or in its second format 0.
///
/// There is one part of a float type, or there are values of as many bits as
/// the file's and one layer of scales. The latter needs all zero points to be
/// the middle of the range, and groups that follow each other.
FailureOr<WeightParts> readGptqOrAwq(const PackedTensors &tensors,
                                     int64_t addToZeros,
                                     ArrayRef<RankedTensorType> parts);

/// Reads `weight_packed`, `weight_scale`, `weight_zero_point` and
/// `weight_g_idx` of compressed-tensors. It packs inputs of one output, and
/// zero points of outputs of one group. The result has the same parts as that
/// of readGptqOrAwq().
FailureOr<WeightParts> readPackQuantized(const PackedTensors &tensors,
                                         ArrayRef<RankedTensorType> parts);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PACKEDTENSORS_H
