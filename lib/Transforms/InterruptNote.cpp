//===- InterruptNote.cpp - Ctrl-C ends a search, not the tool -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterruptNote.h"

#include <csignal>
#include <cstddef>
#include <mutex>

using namespace mlir::llm;

// Not llvm::sys::SetInterruptFunction: that removes the file of -o, which is
// open already and gets the schedule in the end.

static volatile std::sig_atomic_t interruptIsNoted = 0;
static struct sigaction actionBefore;

// Modules of one file may be scheduled on several threads.
static std::mutex notesMutex;
static size_t notes = 0;

static void noteInterrupt(int) {
  interruptIsNoted = 1;
  sigaction(SIGINT, &actionBefore, nullptr);
}

InterruptNote::InterruptNote() {
  std::lock_guard<std::mutex> lock(notesMutex);
  if (notes++ > 0)
    return;
  sigaction(SIGINT, nullptr, &actionBefore);
  if (actionBefore.sa_handler == SIG_IGN)
    return; // as in the background of a shell
  struct sigaction action = {};
  action.sa_handler = noteInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

InterruptNote::~InterruptNote() {
  std::lock_guard<std::mutex> lock(notesMutex);
  if (--notes > 0)
    return;
  sigaction(SIGINT, &actionBefore, nullptr);
  interruptIsNoted = 0; // of what comes next, nothing was interrupted
}

bool InterruptNote::isNoted() { return interruptIsNoted != 0; }
