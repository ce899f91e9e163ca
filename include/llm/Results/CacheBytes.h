//===- CacheBytes.h - What KV caches hold -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_CACHEBYTES_H
#define LLM_RESULTS_CACHEBYTES_H

#include "llm/Program/Dependences.h"

namespace mlir::llm {

/// The KV caches that a program writes.
struct CacheBytes {
  /// The bytes that they hold when the program starts. There is no number if
  /// the program does not say.
  std::optional<int64_t> before;
};

/// Returns the bytes that one run of the op writes into caches.
int64_t countWrittenBytes(Operation *op);

/// Finds the caches. Returns nothing if no cache is written.
std::optional<CacheBytes> findCacheBytes(const Program &program);

} // namespace mlir::llm

#endif // LLM_RESULTS_CACHEBYTES_H
