//===- OneChip.h - That a program was asked to stay whole -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRANSFORMS_ONECHIP_H
#define LLM_TRANSFORMS_ONECHIP_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::llm {

/// An analysis that `llm-shard` leaves behind on one chip, which needs no grid.
/// Without it, a module that has no grid was never sharded.
struct OneChip {
  explicit OneChip(Operation *) {}
};

} // namespace mlir::llm

#endif // LLM_TRANSFORMS_ONECHIP_H
