//===- Libraries.h - Figures of several libraries ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TARGET_LIBRARIES_H
#define LLM_LIB_TARGET_LIBRARIES_H

#include "llm/Target/Target.h"

namespace mlir::llm {

/// Whether a link is another one as a library drives it: its name has an @.
bool isOfLibrary(const Link &link);
/// Whether these are the figures of the default library of a link, or of a
/// kernel.
bool isDefaultOf(const Link &link, StringRef name);
bool isDefaultOf(const KernelFigures &figures, StringRef kernel);
/// Whether figures of a library are those of ops of a number format.
bool haveFormat(const KernelFigures &figures, StringRef format);

} // namespace mlir::llm

#endif // LLM_LIB_TARGET_LIBRARIES_H
