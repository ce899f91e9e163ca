//===- Interrupts.cpp - What Ctrl-C does while there is work --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Interrupts.h"

#include <csignal>
#include <cstddef>
#include <mutex>
#include <unistd.h>

using namespace mlir::llm;

// Not llvm::sys::SetInterruptFunction: that removes the file of -o, which is
// open already and gets the schedule in the end.
//
// One handler for all: two that each put back what was there before would call
// each other where modules are worked on by several threads.

static std::mutex mutex;
static size_t notes = 0, lines = 0;
static bool isHandled = false;
static struct sigaction actionBefore;

// The handler reads and writes these.
static volatile std::sig_atomic_t takesNote = 0, isTaken = 0, hasLine = 0;

/// Calls nothing that a signal handler may not.
static void onInterrupt(int) {
  if (takesNote && !isTaken) {
    isTaken = 1;
    return;
  }
  if (hasLine) [[maybe_unused]]
    ssize_t written =
        ::write(STDERR_FILENO, clearLine.data(), clearLine.size());
  sigaction(SIGINT, &actionBefore, nullptr);
  raise(SIGINT);
}

static void handleInterrupts() {
  sigaction(SIGINT, nullptr, &actionBefore);
  if (actionBefore.sa_handler == SIG_IGN)
    return; // as in the background of a shell
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  isHandled = true;
}

/// Adds to the number of notes or lines that live.
static void change(size_t &count, int by) {
  std::lock_guard<std::mutex> lock(mutex);
  count += by;
  takesNote = notes > 0;
  hasLine = lines > 0;
  if (notes == 0)
    isTaken = 0; // of what comes next, nothing was interrupted
  bool isWanted = notes + lines > 0;
  if (isWanted && !isHandled)
    handleInterrupts();
  if (isWanted || !isHandled)
    return;
  sigaction(SIGINT, &actionBefore, nullptr);
  isHandled = false;
}

InterruptNote::InterruptNote() { change(notes, 1); }
InterruptNote::~InterruptNote() { change(notes, -1); }
bool InterruptNote::isNoted() { return isTaken != 0; }

LineUntilInterrupt::LineUntilInterrupt() { change(lines, 1); }
LineUntilInterrupt::~LineUntilInterrupt() { change(lines, -1); }
