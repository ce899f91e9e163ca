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

/// Shows an HTML page in the browser, or a trace in ui.perfetto.dev, which
/// fetches it from this process. If there is no display, it writes to `said`
/// what the user can do. `convert` turns a trace of another format into
/// compressed JSON; without it, the file is shown as a trace as it is.
::llvm::Error
showFile(StringRef path, raw_ostream &said, const ShowOptions &options = {},
         function_ref<::llvm::Expected<std::string>(StringRef)> convert = {});

} // namespace mlir::llm

#endif // LLM_CONSOLE_SHOWFILE_H
