//===- RunComparisonWriters.h - Two runs, written down ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_REPORT_RUNCOMPARISONWRITERS_H
#define LLM_LIB_EXPORT_REPORT_RUNCOMPARISONWRITERS_H

#include "llm/Export/Report/BaselineReport.h"

#include <nlohmann/json.hpp>

namespace mlir::llm {

/// Returns the member `comparison` of a run's JSON, or null if nothing is
/// compared.
nlohmann::ordered_json comparisonToJson(const BesideBaseline &beside,
                                        unsigned run);

/// Writes a row for each piece of work that both runs do, and for each op that
/// only one of them has.
void writeRunComparisonCsv(const BesideBaseline &beside,
                           ::llvm::raw_ostream &os);

/// Prints tables for people: the largest differences stand first.
void printRunComparison(const BesideBaseline &beside, unsigned run,
                        ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_REPORT_RUNCOMPARISONWRITERS_H
