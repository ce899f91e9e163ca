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

// This does not use llvm::sys::SetInterruptFunction, which removes the file of
// -o. That file is open already, and gets the schedule in the end.
//
// There is one handler for all. If modules are worked on by several threads,
// two handlers that each restore what was there before could call each other.

static std::mutex mutex;
static size_t notes = 0, lines = 0;
static bool isHandled = false;
static struct sigaction actionBefore;

// These are all that the handler reads and writes.
static volatile std::sig_atomic_t takesNote = 0, isTaken = 0, hasLine = 0;

/// Handles an interrupt. Calls nothing that a signal handler may not call.
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
    return; // a shell does so in the background
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  isHandled = true;
}

/// Changes the number of living notes or lines.
static void change(size_t &count, int by) {
  std::lock_guard<std::mutex> lock(mutex);
  count += by;
  takesNote = notes > 0;
  hasLine = lines > 0;
  if (notes == 0)
    isTaken = 0; // later notes are not interrupted yet
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
