//===- Terminal.cpp - What the reader of a stream can see -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/Terminal.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>

using namespace mlir::llm;
using ::llvm::StringRef;

/// Empty where it is not set.
static StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The first of these variables that is set to something decides, as in
/// setlocale().
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

/// To the left edge, and the line is empty.
static constexpr StringRef clearLine = "\r\033[K";

ProgressLine::ProgressLine(double patienceSeconds)
    : isTerminal(::llvm::errs().is_displayed()),
      next(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(patienceSeconds))) {
}

void ProgressLine::show(
    ::llvm::function_ref<void(::llvm::raw_ostream &)> write) {
  if (!isTerminal || Clock::now() < next)
    return;
  next = Clock::now() + std::chrono::milliseconds(100);
  isShown = true;
  ::llvm::errs() << clearLine;
  write(::llvm::errs());
}

void ProgressLine::takeBack() {
  if (isShown)
    ::llvm::errs() << clearLine;
  isShown = false;
}
