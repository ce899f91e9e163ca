//===- Terminal.cpp - What the reader of a stream can see -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Terminal.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace mlir::llm;
using ::llvm::StringRef;

/// Returns a variable; empty if it is not set.
static StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Whether the locale is UTF-8. The first of these variables with a value
/// decides, as in setlocale().
static bool localeIsUtf8() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (StringRef locale = environment(name); !locale.empty())
      return locale.contains_insensitive("utf-8") ||
             locale.contains_insensitive("utf8");
  return false;
}

Look Look::of(const ::llvm::raw_ostream &os) {
  Look look;
  look.hasColors = os.has_colors() && environment("NO_COLOR").empty();
  look.hasBlocks = os.is_displayed() && localeIsUtf8();
  return look;
}

void mlir::llm::obeyNoColor() {
  if (!environment("NO_COLOR").empty())
    ::llvm::errs().enable_colors(false);
}

//===----------------------------------------------------------------------===//
// The progress line
//===----------------------------------------------------------------------===//

bool mlir::llm::canShowProgress() {
  return ::llvm::errs().is_displayed() && environment("TERM") != "dumb";
}

static size_t columnsOfTerminal() {
  constexpr size_t usual = 80;
  struct winsize size = {};
  bool isKnown =
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : usual;
}

static std::chrono::duration<double> chosenPatience() {
  constexpr double usual = 1, most = 1e6;
  double seconds = usual;
  bool isWrong = environment("LLM_PROGRESS_SECONDS").getAsDouble(seconds) ||
                 !(seconds >= 0);
  return std::chrono::duration<double>(isWrong ? usual
                                               : std::min(seconds, most));
}

ProgressLine::ProgressLine()
    : canShow(canShowProgress()),
      patience(std::chrono::duration_cast<Clock::duration>(chosenPatience())),
      next(Clock::now() + patience) {}

void ProgressLine::show(
    ::llvm::function_ref<void(::llvm::raw_ostream &)> write) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!canShow || Clock::now() < next)
    return;
  next = Clock::now() + patience / 10;
  std::string text;
  ::llvm::raw_string_ostream os(text);
  write(os);
  if (!shown)
    shown.emplace();
  // This writes one piece. The last column stays free, because some terminals
  // begin another line behind it.
  ::llvm::errs() << clearLine.str() + text.substr(0, columnsOfTerminal() - 1);
}

void ProgressLine::takeBack() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!shown)
    return;
  ::llvm::errs() << clearLine;
  shown.reset();
}
