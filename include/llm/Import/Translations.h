//===- Translations.h - What llm-translate can do ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_TRANSLATIONS_H
#define LLM_IMPORT_TRANSLATIONS_H

#include "mlir/Support/LLVM.h"

namespace mlir::llm {

/// Registers all importers, and the command line options that they share, with
/// MLIR's translations. Call this once, before the command line is read.
void registerImportTranslations();

/// Does what `mlirTranslateMain` does, for files of any size. The input is
/// mapped into memory, and the output is written as a whole or not at all.
/// Emits a diagnostic if it fails.
LogicalResult translateMain(int argc, char **argv, StringRef overview);

} // namespace mlir::llm

#endif // LLM_IMPORT_TRANSLATIONS_H
