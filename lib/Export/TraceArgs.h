//===- TraceArgs.h - What a click on a slice shows --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACEARGS_H
#define LLM_LIB_EXPORT_TRACEARGS_H

#include "llm/Analysis/Timeline.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

/// Writes the members of a slice's "args".
void writeSliceArgs(llvm::json::OStream &json, const Timeline &timeline,
                    const Slice &slice, ArrayRef<std::string> dependsOn);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACEARGS_H
