//===- Passes.h - Passes that decide and write ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRANSFORMS_PASSES_H
#define LLM_TRANSFORMS_PASSES_H

#include "llm/Sharding/ExpertRoom.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Which ops become one kernel.
enum class FusionRule {
  Cheaper, ///< where the kernel is shorter than its ops
  Legal,   ///< wherever it is possible
};

/// How `llm-tile` finds tiles.
enum class TilingStrategy {
  Search,      ///< the fastest
  Theoretical, ///< one pass over each operand
};

/// Who says how many tokens linear attention takes at once.
enum class ChunkChoice {
  Given, ///< the program
  Search ///< the time it takes, where kernels are made for the program
};

enum class SchedulePolicy { List, Earliest, Exact };

/// What of an op runs on one engine.
enum class ScheduleGranularity { Tile, Op };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "llm/Transforms/Passes.h.inc"

} // namespace mlir::llm

#endif // LLM_TRANSFORMS_PASSES_H
