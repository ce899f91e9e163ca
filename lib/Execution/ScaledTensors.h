//===- ScaledTensors.h - Values and scales in two tensors -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkpoints of Hugging Face have quantized weights as two tensors. One has
// values of 8 bits, or values of 4 bits, two in a byte. The other has the
// scales or exponents, of elements or of blocks.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_SCALEDTENSORS_H
#define LLM_LIB_EXECUTION_SCALEDTENSORS_H

#include "StoredTensor.h"
#include "llm/Execution/WeightFiles.h"

namespace mlir::llm {

/// Reads values of fp8 or i8 and their scales, of these plain types. There are
/// two parts, or one of a float type. The latter may have a scale for each 128
/// elements of a dimension, for each element, or for all.
FailureOr<WeightParts> readScaledBytes(const StoredTensor &values,
                                       Type valueType,
                                       const StoredTensor &scales,
                                       Type scaleType,
                                       ArrayRef<RankedTensorType> parts);

/// Reads `*_blocks` [.., rows, groups, 16] and `*_scales` [.., rows, groups] of
/// gpt-oss, as values [.., rows, 32 groups] and exponents, or as one tensor of
/// a float type. Experts of the latter are [experts, 32 groups, rows], as
/// transformers stores plain ones.
FailureOr<WeightParts> readMxfp4(const StoredTensor &blocks,
                                 const StoredTensor &scales,
                                 ArrayRef<RankedTensorType> parts);

/// Values of NVFP4, and scales of blocks of 16.
struct Nvfp4Tensors {
  StoredTensor values, scales;
  std::optional<StoredTensor> outer; ///< of all blocks
  bool isDivisor; ///< compressed-tensors divides by it, ModelOpt multiplies
};

/// Reads [.., rows, columns / 2] and [.., rows, columns / 16] as values, scales
/// and the scale of all these, or as one tensor of a float type.
FailureOr<WeightParts> readNvfp4(const Nvfp4Tensors &tensors,
                                 ArrayRef<RankedTensorType> parts);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_SCALEDTENSORS_H
