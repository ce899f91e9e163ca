//===- Roofline.h - What no tile and no schedule can beat -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_ROOFLINE_H
#define LLM_COST_ROOFLINE_H

#include "llm/Program/Program.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// Returns the bytes of all elements that one run of the op touches, each once.
/// No tile can move fewer. Fails if they do not fit into 64 bits.
Count compulsoryBytes(WorkloadOpInterface op, const Workload &workload);

/// Returns the roofline of a whole program (Williams et al., CACM 2009), in
/// cycles: the larger of the arithmetic of each kind at the peak rate of all
/// engines together and the compulsory bytes of every op at the full bandwidth
/// of DRAM. Kinds of work without a rate take no time. Fails with a diagnostic
/// on overflow or a type without a rate.
FailureOr<int64_t> rooflineCycles(const Program &program, const Target &target);

/// Returns the work of this kind that all engines together do in a second. For
/// contractions, it is that of `macType`. The clock is that of the roofline:
/// the target's, or a faster one that an engine keeps. It is 0 if no engine has
/// a rate for it.
double peakPerSecond(const Target &target, WorkKind kind, Type macType);
/// Returns the multiply-accumulates of this type that all engines together do
/// in a second at the target's own clock, to which the peaks of a datasheet
/// belong. It is 0 if no engine has a rate for the type.
double datasheetMacsPerSecond(const Target &target, Type macType);

/// Returns the most bytes per second that all units of an engine together
/// stream. Returns nothing if the target does not say.
std::optional<int64_t> unitBytesPerSecond(const Engine &engine,
                                          const Target &target);
/// Returns the most bytes per second that the kernel of this op moves on one
/// engine (`item_bytes_per_kilocycle`). Returns nothing if the target does not
/// say.
std::optional<int64_t> kernelBytesPerSecond(WorkloadOpInterface op,
                                            const Workload &workload,
                                            const Engine &engine,
                                            const Target &target);

} // namespace mlir::llm

#endif // LLM_COST_ROOFLINE_H
