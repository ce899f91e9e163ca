//===- TracedOps.h - What an op of a trace is as a measured row --*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_TRACEDOPS_H
#define LLM_PROFILE_TRACEDOPS_H

#include "llm/Measurements/MeasuredTable.h"

namespace mlir::llm {

/// What is known of an op by its name and its args in a trace.
struct TracedOp {
  enum class Kind {
    Other, ///< no op that rows can have
    Row,   ///< `row` has all but device and time
    NoRow, ///< `reason` says why
  };
  Kind kind = Kind::Other;
  MeasuredRow row;
  StringRef reason;

  static TracedOp read(StringRef name, StringRef args, Location location);
};

} // namespace mlir::llm

#endif // LLM_PROFILE_TRACEDOPS_H
