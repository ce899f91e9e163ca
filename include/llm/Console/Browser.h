//===- Browser.h - Something in a browser -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_BROWSER_H
#define LLM_CONSOLE_BROWSER_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::llm {

/// Returns the command that shows a URL. It is what $BROWSER says or, if there
/// is a display, the desktop's. It is empty if there is none, as over ssh.
std::vector<std::string> findBrowser();

/// Starts the browser and does not wait for it.
::llvm::Error showInBrowser(ArrayRef<std::string> browser, StringRef url);

} // namespace mlir::llm

#endif // LLM_CONSOLE_BROWSER_H
