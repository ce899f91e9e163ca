//===- llm-translate.cpp - Models of other formats to llm IR --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Terminal.h"
#include "llm/Import/Translations.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  mlir::llm::obeyNoColor();
  // What is there so far are the hundreds of options of libLLVM.
  llvm::cl::HideUnrelatedOptions(
      llvm::ArrayRef<const llvm::cl::OptionCategory *>());
  mlir::llm::registerImportTranslations();
  return mlir::failed(
      mlir::llm::translateMain(argc, argv, "llm-opt importers"));
}
