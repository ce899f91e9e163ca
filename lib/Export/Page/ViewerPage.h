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

/// Where the page has its data, and before it what is shown where no script
/// runs: each once.
inline constexpr ::llvm::StringLiteral viewerDataMark = "@LLM_REPORTS@";
inline constexpr ::llvm::StringLiteral viewerSummaryMark = "@LLM_SUMMARY@";

/// What tools/llm-viewer builds; empty in a build without it.
::llvm::StringRef getViewerPage();

/// Why there is none, and what to do.
::llvm::StringRef getViewerLack();

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PAGE_VIEWERPAGE_H
