//===- Sharding.h - A program cut over the chips of a grid ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_SHARDING_H
#define LLM_SHARDING_SHARDING_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::llm {

/// Cuts the ops of a function over these axes of the grid, by tensor
/// parallelism (Shoeybi et al., Megatron-LM, 2019): writes `llm.shard`.
///
/// No op is known by its name. A product of a weight with an activation that is
/// whole is cut along the columns of the weight, and one whose activation is
/// cut along the reduction stays cut there. What is cut is handed on along the
/// loops of other ops (heads of attention) and through views. A product stays
/// whole if an op behind it needs all of a row (norms, routers). Ops that have
/// `llm.shard` keep it. The function has no open sizes.
LogicalResult shardFunction(FunctionOpInterface function, GridAttr grid,
                            ArrayRef<StringAttr> axes);

/// Makes the program of one chip of what `llm.shard` says: types of pieces, and
/// collectives where a value is needed otherwise than it is there. Reports what
/// cannot be cut as `llm.shard` says.
LogicalResult partitionFunction(FunctionOpInterface function, GridAttr grid);

/// The largest number of chips that divides `chips` and the KV heads of each
/// cache in the module. More chips have copies of KV heads.
int64_t chipsOfKvHeads(Operation *root, int64_t chips);

} // namespace mlir::llm

#endif // LLM_SHARDING_SHARDING_H
