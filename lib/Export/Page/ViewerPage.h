//===- ViewerPage.h - The page that shows a report --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PAGE_VIEWERPAGE_H
#define LLM_LIB_EXPORT_PAGE_VIEWERPAGE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::llm {

/// The page holds each mark once. The data replaces the one; the summary, which
/// is shown if no script runs, replaces the other, which stands before it.
inline constexpr ::llvm::StringLiteral viewerDataMark = "@LLM_REPORTS@";
inline constexpr ::llvm::StringLiteral viewerSummaryMark = "@LLM_SUMMARY@";

/// Returns the page that tools/llm-viewer builds; empty in a build without it.
::llvm::StringRef getViewerPage();

/// Says why this build has no page, and what to do.
::llvm::StringRef getViewerLack();

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PAGE_VIEWERPAGE_H
