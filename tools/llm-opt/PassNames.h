//===- PassNames.h - The passes on a command line ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_OPT_PASSNAMES_H
#define LLM_TOOLS_LLM_OPT_PASSNAMES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::llm {

/// Fails with an error if the text of `--pass-pipeline` names a pass that does
/// not exist, or writes it in a way that MLIR would not explain.
LogicalResult checkPipelineText(StringRef pipeline);

/// Notes which of these passes stands before one that it needs, if one does.
/// Must be called when the passes have failed.
void noteOrder(ArrayRef<std::string> passes);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_OPT_PASSNAMES_H
