//===- llm-opt.cpp - The optimizer driver ===//
//
// Part of the llm-opt project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  llm::registerAllDialects(registry);
  registerAllPasses();
  llm::registerAllPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "llm-opt: tiles, costs and schedules of LLM blocks\n", registry));
}
