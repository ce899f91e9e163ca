//===- Formats.h - Number formats by name -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of `--weights`, `--activations` and `--kv`:
//
//   f32, f16, bf16      as they are
//   fp8                 E4M3, one scale for each weight, activation or cache
//   fp8_channel         one for each output channel, token, or cached vector
//   fp8_block           one for 128 x 128 of a weight, 128 of an activation
//   int8                a scale for each channel, token or cached vector
//   int4, int4_g32      a scale for 128, or 32, values
//   mxfp8, mxfp4        OCP Microscaling: an exponent for 32 values
//   nvfp4               E2M1, an E4M3 scale for 16 values and one for each
//                       weight or activation
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_PLANS_FORMATS_H
#define LLM_DIALECT_LLM_PLANS_FORMATS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// The kind of tensor that is stored in a format. It decides which dimensions
/// share a scale.
enum class Stored { Weight, Activation, Cache };

/// Returns the element type with that name, or null if there is none.
Type findFormat(StringRef name, Stored stored, MLIRContext *context);

/// Returns the name of a block-scaled format in which weights, activations or
/// caches are stored. Returns "" for other types.
StringRef nameOfFormat(Type type);

/// Returns the spelling of a plain type of fewer than 16 bits, such as
/// "f8E4M3FN". Returns "" for other types.
StringRef nameOfNarrowType(Type type);

/// Returns a type of values in blocks along the last dimensions, each with a
/// scale. ScalesAttr::wholeDimension stands for a whole dimension.
Type getScaled(Type valueType, ArrayRef<int64_t> block, Type scaleType);

/// Returns the block that covers everything: a matrix, or [batch, keys, heads,
/// head_dim] of a cache.
SmallVector<int64_t> wholeBlock(Stored stored);

/// Returns the names, for messages: "f32, f16, ...".
std::vector<StringRef> formatNames();
/// Returns the names of those that `nameOfFormat` finds.
ArrayRef<StringRef> scaledFormatNames();
/// Returns the spellings that `nameOfNarrowType` finds.
ArrayRef<StringRef> narrowTypeNames();
std::string describeFormats();

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_PLANS_FORMATS_H
