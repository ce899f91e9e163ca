//===- Registration.cpp - Register everything, from C ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm-c/Registration.h"
#include "llm/InitAll/InitAll.h"
#include "mlir/CAPI/IR.h"

#include <mutex>

using namespace mlir;

void llmRegisterAllDialects(MlirDialectRegistry registry) {
  llm::registerAllDialects(*unwrap(registry));
}

void llmRegisterAllPasses(void) {
  // A pipeline that is registered twice ends the process where MLIR has
  // assertions, and several bindings may share a process.
  static std::once_flag once;
  std::call_once(once, llm::registerAllPasses);
}
