//===- Translations.h - What llm-translate can do ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_TRANSLATIONS_H
#define LLM_IMPORT_TRANSLATIONS_H

namespace mlir::llm {

/// Registers all importers, and the command line options that they share, with
/// `mlirTranslateMain`. To be called once, before the command line is read.
void registerImportTranslations();

} // namespace mlir::llm

#endif // LLM_IMPORT_TRANSLATIONS_H
