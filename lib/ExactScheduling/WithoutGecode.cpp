//===- WithoutGecode.cpp - A build that proves no schedules ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/ExactScheduling/Exact.h"

namespace mlir::llm::scheduling {

ExactResult scheduleExact(const Problem &, const ExactOptions &) {
  ExactResult result;
  result.reason = "this build has no Gecode, which searches for it "
                  "(LLM_ENABLE_GECODE)";
  return result;
}

} // namespace mlir::llm::scheduling
