//===- GgmlTypes.h - Types of tensors in GGUF files -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of ggml, in plain C++. ggml stores a tensor as blocks of elements
// that share scales. A block never spans two rows.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_GGMLTYPES_H
#define LLM_SUPPORT_GGMLTYPES_H

#include <cstdint>
#include <string_view>

namespace mlir::llm {

struct GgmlType {
  uint32_t id;           ///< the number in the file
  std::string_view name; ///< as ggml spells it: "q4_K", "f16", "iq4_nl"
  int64_t blockElements;
  int64_t blockBytes;
};

/// These return the type, or null if ggml does not have that number or name
/// (any more).
const GgmlType *findGgmlType(uint32_t id);
const GgmlType *findGgmlType(std::string_view name);

} // namespace mlir::llm

#endif // LLM_SUPPORT_GGMLTYPES_H
