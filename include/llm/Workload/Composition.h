//===- Composition.h - The workload of ops that run as one ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The workload of several ops that run as one kernel. Their loops become one
// set of loops. Loops of two ops are joined if they count the same elements of
// a value that one op writes and the other reads. Of an op, only its workload
// is used.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_COMPOSITION_H
#define LLM_WORKLOAD_COMPOSITION_H

#include "llm/Workload/Workload.h"

#include <vector>

namespace mlir::llm {

/// One of the ops, and how its loops correspond to those of the whole. The
/// index of loop `i` is a mixed-radix number, whose digits are the loops
/// `digits[i]` of the whole, the outermost first. A loop of one iteration may
/// have no digits.
struct ComposedPart {
  WorkloadOpInterface op;
  Workload workload;
  SmallVector<SmallVector<unsigned, 2>, 6> digits;
  /// For each of its buffers, the buffer of the whole. There is none for a
  /// buffer that it reads where another op has left it.
  SmallVector<std::optional<unsigned>, 4> buffers;
};

/// The parts of a composed workload, and the origin of its buffers and stages:
/// a part, and an index in its workload.
struct Composition {
  using Origin = std::pair<unsigned, unsigned>;
  std::vector<ComposedPart> parts;
  SmallVector<Origin, 8> buffers, stages;
  /// The extents of the loops of the whole, which are the radices of digits.
  SmallVector<int64_t, 8> extents;
};

/// Makes one workload of the ops in `body` that take time. The operands of the
/// terminator of `body` become `results`. Fails with a diagnostic if the ops
/// cannot be one kernel.
FailureOr<Workload> composeWorkload(Block &body, ValueRange results,
                                    EmitError emitError);

/// Returns the workload of one of the ops within a composed workload, which may
/// be a part of the whole (`Workload::within`).
Workload workloadInside(const Workload &whole, const ComposedPart &part);

/// These return the counts of a composed workload, which are those of its ops.
Count countComposedPoints(const Workload &workload, unsigned stage, Box box);
Count countComposedElements(const Workload &workload, unsigned buffer, Box box);

/// Says whether `value` is computed by an op of `body` that takes time, or a
/// view in `body` shows such a value.
bool isComputedIn(Block &body, Value value);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_COMPOSITION_H
