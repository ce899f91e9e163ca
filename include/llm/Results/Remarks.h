//===- Remarks.h - What is to be known of the first figures -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_REMARKS_H
#define LLM_RESULTS_REMARKS_H

#include <string>
#include <vector>

namespace mlir::llm {

struct Report;

/// Returns sentences that a reader must know before the first figures: that
/// several devices share one memory, what is not cut over chips, that ops are
/// not fused, and that a run was faster than its target.
std::vector<std::string> findRemarks(const Report &report);

} // namespace mlir::llm

#endif // LLM_RESULTS_REMARKS_H
