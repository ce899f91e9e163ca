//===- ReportPage.h - Reports as a page for a browser -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PAGE_REPORTPAGE_H
#define LLM_EXPORT_PAGE_REPORTPAGE_H

#include "llm/Results/Comparison.h"
#include "llm/Results/RunComparison.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Says why no page can be written to a file, and what to do: this build has
/// none, or the name is that of something else. It is empty if one can, and for
/// no file.
std::string findPageFault(StringRef file);

/// Returns JSON as it may stand in a page: without blanks around values, and
/// without `<`, which could end the element around it. (In JSON, `<` is only in
/// strings.)
std::string toPageText(StringRef json);
/// Returns the same for the JSON of reports.
std::string toPageText(ArrayRef<Report> reports);

/// Returns the main figures for previews that run no script.
std::string summarize(ArrayRef<Report> reports);

/// Encodes in JSON what each function is compared with. A function has null, or
/// `{"baseline": N, "ops": [[[0], [0, 1], 2.5, 3.0], ..]}`. An entry of `ops`
/// has the positions of ops that do the same work, here and in the baseline,
/// and the microseconds that both take.
std::string encodeMatches(ArrayRef<std::optional<RunComparison>> comparisons);

/// Writes the page with its data: `{"report": .., "baseline": .., "matches":
/// .., "measured": true, "notes": [..]}`. Only `report` must be there;
/// `matches` must stand beside `baseline`. With `measured` the report is a
/// measurement, and the baseline is its prediction.
void fillViewerPage(StringRef summary, StringRef data, ::llvm::raw_ostream &os);

/// Makes the page of a measurement, with its prediction beside it, and with
/// what a reader of their comparison must know.
void writeComparedPage(const Report &measured, const Report &predicted,
                       const Comparison &comparison, ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXPORT_PAGE_REPORTPAGE_H
