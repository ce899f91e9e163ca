//===- Recording.h - What ran when, in memory -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, counters and arrows of a schedule or of a measurement, in any order.
// A caller that knows the order of time, and has more than memory can hold,
// should write directly to a `TraceSink`.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_RECORDING_H
#define LLM_TRACE_RECORDING_H

#include "llm/Trace/TraceSink.h"

#include <nlohmann/json.hpp>

namespace mlir::llm {

/// Tracks, counters and slices are named by number, and must exist. Times are
/// from 0 to 2^61 - 1, and no slice ends before it begins.
struct Recording {
  /// Args are objects with numbers, texts, flags, lists and objects. A number
  /// that is not whole becomes a text.
  using Values = nlohmann::ordered_json;

  struct Slice {
    unsigned track = 0;
    int64_t startNanoseconds = 0, endNanoseconds = 0;
    std::string name, category;
    Values args = Values::object();
  };
  struct Sample {
    unsigned counter = 0;
    int64_t nanoseconds = 0;
    int64_t value = 0; ///< see `TraceCounter` for its unit
  };
  struct Arrow {
    TraceArrow::Kind kind = TraceArrow::Kind::Dependence;
    size_t from = 0, into = 0; ///< indices of slices
  };

  TraceLayout layout;
  Values about = Values::object(); ///< args of the whole trace
  std::vector<Slice> slices;
  std::vector<Sample> samples;
  std::vector<Arrow> arrows;

  /// Writes everything in the order of time. What happens at the same time
  /// keeps its order. Slices that overlap others of their track without nesting
  /// get another track. Takes O(n log n).
  void write(TraceSink &sink) const;
};

/// Writes the members of an object, or the elements of a list, to `to`.
void writeMembers(TraceValues &to, const Recording::Values &values);

} // namespace mlir::llm

#endif // LLM_TRACE_RECORDING_H
