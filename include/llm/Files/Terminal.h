//===- Terminal.h - What the reader of a stream can see ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_TERMINAL_H
#define LLM_FILES_TERMINAL_H

#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// How text may look. Files and pipes get plain ASCII, so that what is in them
/// does not depend on where a program runs.
struct Look {
  bool hasColors = false;
  bool hasBlocks = false; ///< Unicode's block elements

  /// Of a terminal: colours unless NO_COLOR is set to something
  /// (https://no-color.org), blocks where the locale is UTF-8.
  static Look of(const ::llvm::raw_ostream &os);
};

/// Colours from here to the end of the scope, if the look has any.
class ColorScope {
public:
  ColorScope(::llvm::raw_ostream &os, Look look)
      : os(os), wasEnabled(os.colors_enabled()) {
    os.enable_colors(look.hasColors);
  }
  ~ColorScope() { os.enable_colors(wasEnabled); }
  ColorScope(const ColorScope &) = delete;
  ColorScope &operator=(const ColorScope &) = delete;

private:
  ::llvm::raw_ostream &os;
  bool wasEnabled;
};

} // namespace mlir::llm

#endif // LLM_FILES_TERMINAL_H
