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

/// Which ops `llm-fuse` makes one kernel.
enum class FusionRule {
  Cheaper, ///< where the kernel is shorter than its ops
  Legal,   ///< wherever a kernel is possible
};

/// How `llm-tile` finds tiles.
enum class TilingStrategy {
  Search,      ///< searches for the fastest tile
  Theoretical, ///< computes the closed form (see ClosedForm.h)
};

/// What decides how many tokens linear attention processes at once.
enum class ChunkChoice {
  Given, ///< the program
  Search ///< the time, if kernels are compiled for the program
};

enum class SchedulePolicy { List, Earliest, Exact };

/// What a slot is: a part of an op, or a whole op.
enum class ScheduleGranularity { Tile, Op };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "llm/Transforms/Passes.h.inc"

} // namespace mlir::llm

#endif // LLM_TRANSFORMS_PASSES_H
