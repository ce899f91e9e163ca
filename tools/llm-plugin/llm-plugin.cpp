//===- llm-plugin.cpp - For a stock mlir-opt ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt --load-dialect-plugin=llm-plugin.so
//   --load-pass-plugin=llm-plugin.so
//     --pass-pipeline="builtin.module(llm-tile, llm-schedule)" block.mlir
//
// Both flags are needed: the first brings the dialect and the workloads of
// upstream ops, the second the passes.
//
//===----------------------------------------------------------------------===//

#include "llm/InitAll/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "llm", LLM_VERSION,
      [](DialectRegistry *registry) { llm::registerAllDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "llm", LLM_VERSION,
          [] { llm::registerAllPasses(); }};
}
