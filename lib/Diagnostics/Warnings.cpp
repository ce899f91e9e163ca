//===- Warnings.cpp - What the user was warned of -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/Warnings.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::llm;

void Warnings::warn(Location loc, const Twine &text) {
  texts.push_back(text.str());
  emitWarning(loc) << texts.back();
}
