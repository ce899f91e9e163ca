//===- Terminal.h - What the reader of a stream can see ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_TERMINAL_H
#define LLM_CONSOLE_TERMINAL_H

#include "llm/Console/Interrupts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <mutex>
#include <optional>

namespace mlir::llm {

/// How text may look. Files and pipes get plain ASCII, so that their content
/// does not depend on where a program runs.
struct Look {
  bool hasColors = false;
  bool hasBlocks = false; ///< bars may use Unicode's block elements

  /// A terminal has colours unless NO_COLOR is set to something
  /// (https://no-color.org), and blocks if the locale is UTF-8.
  static Look of(const ::llvm::raw_ostream &os);
};

/// Makes NO_COLOR hold for what others write to standard error, too, such as
/// diagnostics of MLIR. Call it at the beginning of `main`.
void obeyNoColor();

/// Says whether a line on standard error can be written over: it is a terminal
/// that knows how to (TERM=dumb does not).
bool canShowProgress();

/// A progress line on standard error, which each update overwrites. If the
/// terminal cannot do that, nothing is written. The line is cut to the width of
/// the terminal. It is erased at the end, and when an interrupt (Ctrl-C) ends
/// the program.
///
/// Nothing is shown in the first second, because most work is done by then.
/// After that, there is an update each tenth of a second. If
/// LLM_PROGRESS_SECONDS is a number, it takes the place of that second: 0 shows
/// every update, whatever the speed of the machine. Any thread may call the
/// functions.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { takeBack(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void show(::llvm::function_ref<void(::llvm::raw_ostream &)> write);
  void takeBack();

private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  bool canShow;
  Clock::duration patience;
  Clock::time_point next;
  std::optional<LineUntilInterrupt> shown;
};

/// Enables colours up to the end of the scope, if the look has any.
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

#endif // LLM_CONSOLE_TERMINAL_H
