//===- ToolDiagnostics.cpp - Errors of a tool -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/ToolDiagnostics.h"

using namespace mlir;
using namespace mlir::llm;

ToolDiagnostics::ToolDiagnostics(StringRef tool, MLIRContext *context)
    : tool(tool), inFiles(sources, context),
      withoutPlace(context, [this](Diagnostic &diagnostic) {
        if (!isa<UnknownLoc>(diagnostic.getLocation()))
          return failure();
        ::llvm::errs() << this->tool << ": error: " << diagnostic << "\n";
        return success();
      }) {}
