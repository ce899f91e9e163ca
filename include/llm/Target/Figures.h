//===- Figures.h - The numbers of a target, by path -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TARGET_FIGURES_H
#define LLM_TARGET_FIGURES_H

#include "llm/Target/Target.h"

namespace mlir::llm {

/// Returns the number of an engine, a memory or a kernel at a path such as
/// "engines.gpu.sustained_clock_hz" or
/// "engines.gpu.kernels.contraction.item_cycles" or
/// "engines.gpu.femtojoules_per_mac.bf16" or
/// "engines.cpu.macs_per_cycle_per_unit.bf16". Returns nothing if it is not
/// given or there is no such field. A sustained rate that is not given is that
/// of the datasheet. An energy that is not given is the one with which the peak
/// just meets the power limit, so that it limits nothing.
std::optional<int64_t> getFigure(const Target &target, StringRef path);

/// What a sustained rate cannot exceed. For a clock it is the boost clock. For
/// a memory, or a link in either protocol, it is the rate of the datasheet.
/// Returns nothing for other figures.
std::optional<int64_t> figureLimit(const Target &target, StringRef path);

/// Returns the path of the energy of a multiply-accumulate of that type on the
/// compute engine. Returns nothing if there is no power limit that it could
/// meet, or no rate.
std::optional<std::string> energyFigure(const Target &target, Type macType);
/// Says whether a path is that of an energy.
bool isEnergyFigure(StringRef path);

/// Sets a figure. Returns false if there is no such field.
bool setFigure(Target &target, StringRef path, int64_t value);

/// Returns the figures of one group that a calibration may change. "device" is
/// the clock that the compute engine sustains and the rate that DRAM sustains.
/// A class of ops ("contraction", ...) is what its kernels lose, as far as the
/// target gives it. If `library` has figures of its own, they are those.
/// "collective" is what the protocols of the first link lose. Empty for another
/// name.
std::vector<std::string> figuresOfGroup(const Target &target, StringRef group,
                                        StringRef library);

} // namespace mlir::llm

#endif // LLM_TARGET_FIGURES_H
