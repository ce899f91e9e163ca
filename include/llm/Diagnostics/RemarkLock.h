//===- RemarkLock.h - One remark at a time ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_REMARKLOCK_H
#define LLM_DIAGNOSTICS_REMARKLOCK_H

#include <mutex>

namespace mlir::llm {

/// While an object lives, other threads that also use it emit no remark. MLIR's
/// remark engine has no lock of its own, and passes on functions run side by
/// side.
class RemarkLock {
public:
  RemarkLock() : lock(mutex) {}

private:
  static inline std::recursive_mutex mutex;
  std::lock_guard<std::recursive_mutex> lock;
};

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_REMARKLOCK_H
