//===- Interrupts.h - What Ctrl-C does while there is work ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_INTERRUPTS_H
#define LLM_CONSOLE_INTERRUPTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::llm {

/// Moves to the left edge of a terminal, and empties the line.
inline constexpr ::llvm::StringLiteral clearLine = "\r\033[K";

/// As long as an object lives, the first interrupt (Ctrl-C) does not end the
/// program but is noted. The next one acts as usual.
class InterruptNote {
public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote &) = delete;
  InterruptNote &operator=(const InterruptNote &) = delete;
  static bool isNoted();
};

/// As long as an object lives, an interrupt that ends the program first empties
/// the line on standard error.
class LineUntilInterrupt {
public:
  LineUntilInterrupt();
  ~LineUntilInterrupt();
  LineUntilInterrupt(const LineUntilInterrupt &) = delete;
  LineUntilInterrupt &operator=(const LineUntilInterrupt &) = delete;
};

} // namespace mlir::llm

#endif // LLM_CONSOLE_INTERRUPTS_H
