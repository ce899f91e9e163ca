//===- Assignment.h - Names and order together ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_ASSIGNMENT_H
#define LLM_LIB_TRACECOMPARISON_ASSIGNMENT_H

#include "OrderAlignment.h"
#include "llm/TraceComparison/TraceAlignment.h"

namespace mlir::llm {

/// The ops of the program that a piece is, and whether it begins a run of them.
struct AssignedPiece {
  PatternOps ops; ///< of the pattern; empty if it is no op
  std::vector<unsigned> programOps;
  MatchEvidence evidence = MatchEvidence::Order;
  const char *whyNot = ""; ///< if it is no op
  bool beginsRun = false;
  bool isOneOfRow = false; ///< known among ropes in a row by sizes
};

/// Assigns each piece. The result has as many entries.
std::vector<AssignedPiece> assignPieces(ArrayRef<WorkPiece> pieces,
                                        const ProgramPattern &pattern);

/// The pass of the program that each piece is in, from 0 on.
std::vector<unsigned> findPasses(ArrayRef<AssignedPiece> pieces,
                                 const Program &program);

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_ASSIGNMENT_H
