//===- Recording.h - What ran when, in memory -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, counters and arrows of a schedule or of a measurement, in any order.
// A caller that knows the order of time, and has more than memory should hold,
// writes to a `TraceSink` at once.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_RECORDING_H
#define LLM_TRACE_RECORDING_H

#include "llm/Trace/TraceSink.h"

#include <nlohmann/json.hpp>

namespace mlir::llm {

/// Numbers name tracks, counters and slices. They must exist. Times are from 0
/// to 2^61 - 1, and no slice ends before it begins.
struct Recording {
  /// Args are objects of numbers, texts, flags, lists and objects. A number
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
    int64_t value = 0; ///< as `TraceCounter` says
  };
  struct Arrow {
    TraceArrow::Kind kind = TraceArrow::Kind::Dependence;
    size_t from = 0, into = 0; ///< numbers of slices
  };

  TraceLayout layout;
  Values about = Values::object(); ///< the whole
  std::vector<Slice> slices;
  std::vector<Sample> samples;
  std::vector<Arrow> arrows;

  /// Writes all in the order of time. Things at one time keep their order.
  /// Slices that overlap others of their track without lying in them get a
  /// track of their own. Takes O(n log n).
  void write(TraceSink &sink) const;
};

/// Visits the members of an object, or the elements of a list, one by one.
void writeMembers(TraceValues &to, const Recording::Values &values);

} // namespace mlir::llm

#endif // LLM_TRACE_RECORDING_H
