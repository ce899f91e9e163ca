//===- TracePage.h - A foreign trace as a page for a browser ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PAGE_TRACEPAGE_H
#define LLM_EXPORT_PAGE_TRACEPAGE_H

#include "llm/TraceImport/RangeTable.h"

namespace mlir::llm {

/// Returns what the page of a trace holds, as JSON: all events without their
/// args, and the table. `findPageFault` says whether this build has a page.
std::string encodeTracePage(const ImportedTrace &trace,
                            const RangeTable &table);
/// Writes the page with `encoded`, which `encodeTracePage` returned.
void writeTracePage(const ImportedTrace &trace, const RangeTable &table,
                    StringRef encoded, raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXPORT_PAGE_TRACEPAGE_H
