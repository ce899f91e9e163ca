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
  // Only the hundreds of options of libLLVM are registered so far.
  llvm::cl::HideUnrelatedOptions(
      llvm::ArrayRef<const llvm::cl::OptionCategory *>());
  mlir::llm::registerImportTranslations();
  constexpr llvm::StringLiteral overview =
      "llm-translate: programs for llm-opt, made of models\n\n"
      "  llm-translate --import-hf-config config.json --layers=all --batch=16 "
      "--kv-len=4096 -o model.mlir\n";
  return mlir::failed(mlir::llm::translateMain(argc, argv, overview));
}
