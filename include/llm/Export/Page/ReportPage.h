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

/// Says why no page can be written to a file: this build has no page, or the
/// name does not end in .html. Returns an empty text if one can be written, and
/// for an empty name.
std::string findPageFault(StringRef file);

/// Returns JSON in a form that an HTML page can hold: without blanks around
/// values, and without `<`, which could end the element around it. (JSON has
/// `<` only in strings, where it can be escaped.)
std::string toPageText(StringRef json);
/// Returns the same for the JSON of reports.
std::string toPageText(ArrayRef<Report> reports);

/// Returns the main figures for previews that run no script.
std::string summarize(ArrayRef<Report> reports);

/// Encodes in JSON what each function is compared with. A function has null, or
/// `{"baseline": N, "ops": [[[0], [0, 1], 2.5, 3.0], ..], "modules": [["mlp",
/// 2.5, 3.0], ..]}`. An entry of `ops` has the positions of ops that do the
/// same work, here and in the baseline, and the microseconds that each side
/// takes. An entry of `modules` has a name and these microseconds; the last is
/// left out if the baseline has no time of the module alone.
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
