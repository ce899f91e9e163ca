//===- Composition.h - The workload of ops that run as one ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several ops as one kernel: their loops are one set of loops, joined where a
// value that one op writes and another one reads shows that they count the same
// elements. Nothing but its workload is known of an op.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_COMPOSITION_H
#define LLM_WORKLOAD_COMPOSITION_H

#include "llm/Workload/Workload.h"

#include <vector>

namespace mlir::llm {

/// One of the ops, and what its loops are in the whole. Loop `i` counts in
/// mixed radix with the loops `digits[i]` of the whole, the outermost first. A
/// loop of one iteration may have none.
struct ComposedPart {
  WorkloadOpInterface op;
  Workload workload;
  SmallVector<SmallVector<unsigned, 2>, 6> digits;
  /// The buffers of the whole that hold its own. There is none for what it
  /// reads from where another op put it.
  SmallVector<std::optional<unsigned>, 4> buffers;
};

/// Where the buffers and stages of the whole come from: a part, and the index
/// in its workload.
struct Composition {
  using Origin = std::pair<unsigned, unsigned>;
  std::vector<ComposedPart> parts;
  SmallVector<Origin, 8> buffers, stages;
  /// The extents of the loops of the whole, which are the radices of digits.
  SmallVector<int64_t, 8> extents;
};

/// Makes the workload of the ops in `body` that take time. The terminator of
/// `body` hands the values on that become `results` outside. Fails with a
/// diagnostic if the ops do not make one kernel.
FailureOr<Workload> composeWorkload(Block &body, ValueRange results,
                                    EmitError emitError);

/// What one of the ops does in a composed workload, which may be a part of the
/// whole (`Workload::within`).
Workload workloadInside(const Workload &whole, const ComposedPart &part);

/// The counts of a composed workload, which are those of its ops.
Count countComposedPoints(const Workload &workload, unsigned stage, Box box);
Count countComposedElements(const Workload &workload, unsigned buffer, Box box);

/// Says whether `value` is computed by an op of `body` that takes time, or a
/// view in `body` shows such a value.
bool isComputedIn(Block &body, Value value);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_COMPOSITION_H
