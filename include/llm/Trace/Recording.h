//===- Recording.h - What ran when, in memory -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, counters and arrows in any order, of a schedule or of a measurement.
// Who knows the order of time, and has more than memory should hold, writes to
// a `TraceSink` at once.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_RECORDING_H
#define LLM_TRACE_RECORDING_H

#include "llm/Trace/TraceSink.h"

#include <nlohmann/json.hpp>

namespace mlir::llm {

/// Tracks, counters and slices are named by their numbers, which there are.
/// Times are from 0 to 2^61 - 1, and no slice ends before it begins.
struct Recording {
  /// Objects of numbers, texts, flags, lists and objects. What is no whole
  /// number becomes a text.
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

  /// In the order of time; of what is at one time, as it stands. Slices that
  /// overlap others of their track without lying in them come on a track of
  /// their own. O(n log n).
  void write(TraceSink &sink) const;
};

/// The members of an object, or the elements of a list, one by one.
void writeMembers(TraceValues &to, const Recording::Values &values);

} // namespace mlir::llm

#endif // LLM_TRACE_RECORDING_H
