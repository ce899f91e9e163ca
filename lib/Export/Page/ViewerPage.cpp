//===- ViewerPage.cpp - The page that shows a report ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ViewerPage.h"

// tools/llm-viewer/BuildPage.cmake writes this text.
static constexpr ::llvm::StringLiteral page =
#include "ViewerPageText.inc"
    ;
static constexpr ::llvm::StringLiteral lack =
#include "ViewerPageLack.inc"
    ;

::llvm::StringRef mlir::llm::getViewerPage() { return page; }

::llvm::StringRef mlir::llm::getViewerLack() { return lack; }
