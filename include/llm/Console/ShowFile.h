//===- ShowFile.h - A page or a trace in a browser --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_SHOWFILE_H
#define LLM_CONSOLE_SHOWFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::llm {

struct ShowOptions {
  /// This is the port of Perfetto's own script, because ui.perfetto.dev may
  /// read from no other.
  unsigned port = 9001;
  unsigned patienceSeconds = 120;
};

/// Shows a page as it is, and a trace in ui.perfetto.dev, which fetches it from
/// here. If there is no display, `said` gets how to do it. `convert` makes
/// compressed JSON of a file that neither can show; without it, the file is
/// taken for a trace.
::llvm::Error
showFile(StringRef path, raw_ostream &said, const ShowOptions &options = {},
         function_ref<::llvm::Expected<std::string>(StringRef)> convert = {});

} // namespace mlir::llm

#endif // LLM_CONSOLE_SHOWFILE_H
