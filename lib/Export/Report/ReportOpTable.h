//===- ReportOpTable.h - The report's table of ops --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_REPORT_REPORTOPTABLE_H
#define LLM_LIB_EXPORT_REPORT_REPORTOPTABLE_H

#include "llm/Console/Terminal.h"
#include "llm/Console/TextTable.h"
#include "llm/Results/Report.h"

namespace mlir::llm {

inline constexpr size_t pageWidth = 100;
/// The name of a target may also say what was set: `h100-sxm + clock_hz=2e9`.
inline constexpr size_t widestTarget = 200;

/// The units of times that are given in microseconds.
inline constexpr Unit timeUnits[] = {
    {"us", 1, 3}, {"ms", 1e3, 3}, {"s", 1e6, 3}};

/// Prints what must be known of the columns, then the ops in their modules.
void printOpTable(const Report &report, Look look, ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_REPORT_REPORTOPTABLE_H
