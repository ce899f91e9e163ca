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

/// The number of an engine, a memory or a kernel at a path such as
/// "engines.gpu.sustained_clock_hz" or
/// "engines.gpu.kernels.contraction.item_cycles" or
/// "engines.gpu.femtojoules_per_mac.bf16" or
/// "engines.cpu.macs_per_cycle_per_unit.bf16"; nothing where it is not given or
/// there is no such field. A sustained rate that is not given is that of the
/// datasheet, an energy that with which the peak just meets the power limit,
/// so that it limits nothing.
std::optional<int64_t> getFigure(const Target &target, StringRef path);

/// What a sustained rate cannot exceed: of a clock the boost clock, of a memory
/// or link the rate of the datasheet, in either protocol of a link. Nothing for
/// other figures.
std::optional<int64_t> figureLimit(const Target &target, StringRef path);

/// The path of the energy of a multiply-accumulate of that type on the compute
/// engine; nothing where there is no power limit that it could meet, or no
/// rate.
std::optional<std::string> energyFigure(const Target &target, Type macType);
/// Whether a path is of an energy.
bool isEnergyFigure(StringRef path);

/// False where there is no such field.
bool setFigure(Target &target, StringRef path, int64_t value);

/// The figures that a calibration may change, of one group: "device", the
/// clock that the compute engine and the rate that DRAM sustain; or a class of
/// ops ("contraction", ...), what its kernels lose, as far as the target gives
/// it, of `library` where that has figures of its own; or "collective", what
/// the protocols of the first link lose. Empty for another name.
std::vector<std::string> figuresOfGroup(const Target &target, StringRef group,
                                        StringRef library);

} // namespace mlir::llm

#endif // LLM_TARGET_FIGURES_H
