//===- WithoutNlopt.cpp - A build that fits no figures --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Minimize.h"

using namespace mlir;
using namespace mlir::llm;

bool mlir::llm::canMinimize() { return false; }

double mlir::llm::minimize(SearchBox &, ArrayRef<double>, unsigned,
                           llvm::function_ref<double(ArrayRef<double>)>) {
  llvm_unreachable("canMinimize() says that this build cannot");
}
