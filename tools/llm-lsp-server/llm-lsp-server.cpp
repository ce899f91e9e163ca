//===- llm-lsp-server.cpp - Editors that know the llm dialect -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language server of MLIR with the dialects of llm-opt: diagnostics,
// definitions, hover and completion in any editor that speaks LSP.
//
//===----------------------------------------------------------------------===//

#include "llm/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

int main(int argc, char **argv) {
  // Only the hundreds of options of libLLVM are registered so far.
  ::llvm::cl::HideUnrelatedOptions(
      ArrayRef<const ::llvm::cl::OptionCategory *>());
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  llm::registerAllDialects(registry);
  return failed(MlirLspServerMain(argc, argv, registry));
}
