//===- OpUses.h - Which results arrive at which inputs ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPUSES_H
#define LLM_RESULTS_OPUSES_H

#include "llm/Program/Dependences.h"

namespace mlir::llm {

/// A use of a result of an op that takes time by another such op, directly or
/// through views.
struct OpUse {
  unsigned producer, consumer; ///< ops of the program
  unsigned result;             ///< its number among the producer's results
  unsigned input;              ///< its number in `inputsOf` the consumer
  Dependence::Kind kind;
};

/// Returns the uses from which these dependences follow, sorted by consumer and
/// then by input. Each dependence has at least one.
std::vector<OpUse> findUses(const Program &program,
                            ArrayRef<Dependence> dependences);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPUSES_H
