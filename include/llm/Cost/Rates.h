//===- Rates.h - How fast one engine does its work --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_RATES_H
#define LLM_COST_RATES_H

#include "llm/Cost/OpOnTarget.h"

namespace mlir::llm {

/// Cycles of all arithmetic on the op's engine, uncut. Stages run one after the
/// other, and the kinds of work within a stage run side by side. With several
/// engines, those of the busiest count. Fails if an engine has no rate for a
/// kind of work, or for the element type of a contraction.
FailureOr<int64_t> computeCycles(const OpOnTarget &context);
/// Does the same as if a product filled any array. A share of the iterations
/// takes no less than that share of these cycles.
FailureOr<int64_t> computeCyclesWithoutGranules(const OpOnTarget &context);
/// Does the same in tiles of these sizes, one for each loop. Several engines
/// work at different ones of `tilesInFlow` tiles that do not depend on each
/// other. If there is one such tile, they wait for each other.
FailureOr<int64_t> computeCyclesInTiles(const OpOnTarget &context,
                                        ArrayRef<int64_t> tileSizes,
                                        int64_t tilesInFlow = 1);

/// Cycles in which `bytes` pass through one engine's port to a memory that is
/// shared, or in which arithmetic uses them in a private one. 0 for a memory
/// without a rate, and nothing if they do not fit into 64 bits.
std::optional<int64_t> memoryCycles(const OpOnTarget &context,
                                    const Memory &memory, int64_t bytes);
/// Returns the smallest rate of one engine's ports to the memories that are
/// shared.
int64_t slowestPortBytesPerSecond(const OpOnTarget &context);

/// Returns the fewest cycles that the target's power limit allows for work that
/// takes this energy. It is 0 without a limit, and nothing if they do not fit
/// into 64 bits.
std::optional<int64_t> powerCycles(const Target &target, int64_t picojoules);
/// Energy of the multiply-accumulates, and of the bytes in the memories that
/// they pass, rounded up to picojoules. `bytes` has each memory that is shared,
/// in the order of the target. What passes the nearest passes the private
/// memory, too. Nothing on overflow.
std::optional<int64_t> energyPicojoules(const OpOnTarget &context, int64_t macs,
                                        ArrayRef<int64_t> bytes,
                                        int64_t cachedBytes);

/// What is assumed about the target, as sentences for remarks: if the engine
/// has no rate for the element type of the contraction, the type whose rate
/// stands in for it.
SmallVector<std::string> describeAssumptions(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_COST_RATES_H
