//===- InterruptNote.h - Ctrl-C ends a search, not the tool -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_INTERRUPTNOTE_H
#define LLM_LIB_TRANSFORMS_INTERRUPTNOTE_H

namespace mlir::llm {

/// As long as it lives, an interrupt (Ctrl-C) does not end the program but is
/// noted. Only the first one: the next acts as ever.
class InterruptNote {
public:
  InterruptNote();
  ~InterruptNote();
  InterruptNote(const InterruptNote &) = delete;
  InterruptNote &operator=(const InterruptNote &) = delete;
  static bool isNoted();
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_INTERRUPTNOTE_H
