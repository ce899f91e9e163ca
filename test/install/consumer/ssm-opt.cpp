//===- ssm-opt.cpp - The driver -------------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ssm.h"
#include "llm/InitAll/InitAll.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  llm::registerAllDialects(registry);
  ssm::registerDialects(registry);
  llm::registerAllPasses();
  ssm::registerPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "llm-opt with state-space models\n", registry));
}
