//===- ExpertRoom.h - Rows that a chip has room for -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_EXPERTROOM_H
#define LLM_SHARDING_EXPERTROOM_H

namespace mlir::llm {

/// How many rows a chip has room for that has some of the experts.
enum class ExpertRoom {
  Counted, ///< those of the chip that has most, as they are counted
  All      ///< as many as any routing can send
};

} // namespace mlir::llm

#endif // LLM_SHARDING_EXPERTROOM_H
