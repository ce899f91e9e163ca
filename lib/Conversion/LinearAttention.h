//===- LinearAttention.h - What linear attention reads ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_LINEARATTENTION_H
#define LLM_LIB_CONVERSION_LINEARATTENTION_H

#include "Lowerings.h"

namespace mlir::llm {

/// The operands of linear attention as tensors in the type of the calculation.
/// Heads are [key heads, heads of each]: h and g. A tensor that is not given is
/// null.
class LinearAttention {
public:
  LinearAttention(LinearAttnOp op, LinalgLowering &lowering);

  /// The op's result for the sums S^T q of all tokens, [b, s, h, g, v].
  Value finish(Value sums);
  /// The op's state, from [b, h, g, k, v], or from the states of every step [b,
  /// s, h, g, k, v].
  Value finishState(Value state);

  LinearAttnOp op;
  LinalgLowering &lowering;
  Value query, keys; ///< [b, s, h, k], normed
  Value values;      ///< [b, s, h, g, v]
  Value logDecay;    ///< [b, s, h, g] or [b, s, h, g, k]
  Value beta;        ///< [b, s, h, g]
  Value state;       ///< [b, h, g, k, v]
  OpFoldResult batch, tokens, keyHeads, group, keyDim, valueDim;

  bool isDelta() { return op.getRule() == LinearRule::Delta; }
  bool decaysChannels() const;

private:
  Value normed(Value x);
  /// Reads a tensor in the type of the calculation, and splits its dimension
  /// `dim` of heads.
  Array splitHeads(Value operand, int64_t dim);
  Value findLogDecay();
};

/// Computes the sums S^T q, and the last state, or the states of every step.
std::pair<Value, Value> attendInSteps(LinearAttention &attention);
std::pair<Value, Value> attendInChunks(LinearAttention &attention,
                                       int64_t chunk);

/// Takes the part of a tensor with the number `at` along dimension 1, without
/// that dimension.
Value pick(LinalgLowering &lowering, Value tensor, Value at);
/// Puts `part` where `pick` takes it from.
Value put(LinalgLowering &lowering, Value part, Value tensor, Value at);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_LINEARATTENTION_H
