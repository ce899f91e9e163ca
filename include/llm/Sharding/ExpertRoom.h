//===- ExpertRoom.h - Rows that a chip has room for -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_EXPERTROOM_H
#define LLM_SHARDING_EXPERTROOM_H

namespace mlir::llm {

/// For how many rows a chip that holds some of the experts has room.
enum class ExpertRoom {
  Counted, ///< as many as the chip with the most rows has by their counts
  All      ///< as many as any routing can send to it
};

/// How tokens of other chips come to the chips of their experts.
enum class ExpertExchange {
  AllToAll, ///< each token goes to the chips that have experts for it
  AllGather ///< all tokens go to all of these chips
};

} // namespace mlir::llm

#endif // LLM_SHARDING_EXPERTROOM_H
