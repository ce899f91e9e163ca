//===- OpKinds.h - What an op is, in a word and in a colour -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names and colours of kinds of ops, for tables, traces, graphs and pages.
// The colours are in lib/Results/KindColours.json, which the page also uses.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPKINDS_H
#define LLM_RESULTS_OPKINDS_H

#include "llm/Workload/Workload.h"

#include <string>

namespace mlir::llm {

/// Returns the ops inside a kernel of several ops, in their order. Other ops
/// have none.
SmallVector<WorkloadOpInterface> opsInside(Operation *op);

/// Returns the kind of an op in a word: "matmul". For a kernel of several ops,
/// it has the kinds of these ops, each once, in their order:
/// "rmsnorm+matmul+swiglu".
std::string kindOf(Operation *op);

/// Returns the colour of a kind, `#rrggbb`. A kernel of several ops has that of
/// its product or attention, or else of its first op.
std::string colorOfKind(StringRef kind);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPKINDS_H
