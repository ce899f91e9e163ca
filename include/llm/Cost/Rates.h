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

/// Cycles of all arithmetic on the op's engine, uncut: stages one after the
/// other, the kinds of work within a stage side by side; on several engines
/// those of the busiest. Fails where an engine has no rate for a kind of work,
/// or for the element type of a contraction.
FailureOr<int64_t> computeCycles(const OpOnTarget &context);
/// The same as if a product filled any array: what a share of the iterations
/// takes is no less than that share of it.
FailureOr<int64_t> computeCyclesWithoutGranules(const OpOnTarget &context);
/// The same in tiles of these sizes, one for each loop. Several engines are at
/// different ones of `tilesInFlow` tiles that do not depend on each other; of
/// one, they wait for each other.
FailureOr<int64_t> computeCyclesInTiles(const OpOnTarget &context,
                                        ArrayRef<int64_t> tileSizes,
                                        int64_t tilesInFlow = 1);

/// Cycles in which `bytes` pass through one engine's port to a memory that is
/// shared, or in which arithmetic uses them in a private one; 0 of one without
/// a rate, nothing above 64 bits.
std::optional<int64_t> memoryCycles(const OpOnTarget &context,
                                    const Memory &memory, int64_t bytes);
/// The least rate of one engine's ports to the memories that are shared.
int64_t slowestPortBytesPerSecond(const OpOnTarget &context);

/// Cycles that the target's power limit allows no less for work that takes this
/// energy; 0 without a limit, nothing above 64 bits.
std::optional<int64_t> powerCycles(const Target &target, int64_t picojoules);
/// Energy of the multiply-accumulates, and of the bytes in the memories that
/// they pass (`bytes`: each that is shared, in the order of the target): what
/// passes the nearest passes the private memory, too. Rounded up to picojoules;
/// nothing on overflow.
std::optional<int64_t> energyPicojoules(const OpOnTarget &context, int64_t macs,
                                        ArrayRef<int64_t> bytes,
                                        int64_t cachedBytes);

/// Where the engine has no rate for the element type of the contraction, that
/// whose rate stands in for it: what is assumed of the target, as sentences for
/// remarks.
SmallVector<std::string> describeAssumptions(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_COST_RATES_H
