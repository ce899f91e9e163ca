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
/// "engines.cpu.macs_per_cycle_per_unit.bf16". Returns nothing if the figure is
/// not given or there is no such field. For a sustained rate that is not given,
/// it returns that of the datasheet. For an energy that is not given, it
/// returns the one with which the peak just meets the power limit, so that it
/// limits nothing.
std::optional<int64_t> getFigure(const Target &target, StringRef path);

/// Returns the upper limit of a sustained rate. For a clock it is the boost
/// clock. For a memory, or a link in either protocol, it is the rate of the
/// datasheet, and for a share 100 percent. Returns nothing for other figures.
std::optional<int64_t> figureLimit(const Target &target, StringRef path);

/// Returns the path of the energy of a multiply-accumulate of that type on the
/// compute engine. Returns nothing if there is no power limit or no rate.
std::optional<std::string> energyFigure(const Target &target, Type macType);
/// Says whether a path is that of an energy.
bool isEnergyFigure(StringRef path);

/// Sets a figure. Returns false if there is no such field.
bool setFigure(Target &target, StringRef path, int64_t value);

/// Returns the figures of one group that a calibration may change. "device" has
/// the sustained clock of the compute engine and the sustained rate of DRAM. A
/// class of ops ("contraction", ...) has the figures of its kernels that the
/// target gives, or those of `library` if there are any. "collective" has the
/// figures of the protocols of the first link. The result is empty for other
/// names.
std::vector<std::string> figuresOfGroup(const Target &target, StringRef group,
                                        StringRef library);
/// Returns the figures of the default libraries of a kernel, a class or an op,
/// whose operands have this number format, that a calibration may change; none
/// if there are no such libraries.
std::vector<std::string> figuresOfDefault(const Target &target,
                                          StringRef kernel,
                                          StringRef format = "");

} // namespace mlir::llm

#endif // LLM_TARGET_FIGURES_H
