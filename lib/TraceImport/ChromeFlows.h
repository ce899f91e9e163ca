//===- ChromeFlows.h - Arrows of a trace in Chrome's JSON -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_CHROMEFLOWS_H
#define LLM_TRACEIMPORT_CHROMEFLOWS_H

#include "ChromeLanes.h"

namespace mlir::llm {

/// Draws arrows. An arrow is a chain of ends with one category, name and id:
/// `s` starts it, each `t` goes on from the one before, each `f` ends there.
class ChromeFlows {
public:
  ChromeFlows(TraceBuilder &builder, ChromeLanes &lanes)
      : builder(builder), lanes(lanes) {}

  /// Adds the end that an event of phase s, t or f stands for.
  void addEnd(const ChromeEvent &event, int64_t nanoseconds);
  /// Adds an event that is itself an end, by "bind_id".
  void addBound(const ChromeEvent &event, uint32_t number);
  /// Draws the arrows. Must be called when all ends are there.
  void draw();

private:
  enum class Step : uint8_t { Start, Pass, End };
  struct End {
    uint32_t type; ///< number of a text of category and name
    Step step;
    ChromeId id;
    int64_t nanoseconds;
    ArrowEnd end;
    uint64_t offsetBytes;
  };

  uint32_t typeOf(StringRef category, StringRef name);
  void drawChain(ArrayRef<End> chain);
  void drawInOrder(ArrayRef<End> chain);

  TraceBuilder &builder;
  ChromeLanes &lanes;
  ::llvm::StringMap<uint32_t> types;
  std::vector<End> ends;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_CHROMEFLOWS_H
