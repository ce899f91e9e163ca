//===- Dependences.h - What runs of ops wait for ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROGRAM_DEPENDENCES_H
#define LLM_PROGRAM_DEPENDENCES_H

#include "llm/Program/Program.h"

namespace mlir::llm {

/// `consumer` waits for `producer`. The kind says for which run. If the
/// producer is in a loop that the consumer is not in, its last iteration
/// counts.
struct Dependence {
  enum class Kind {
    Same,     ///< in the same iterations of the loops around both
    Previous, ///< one iteration back in the innermost loop around both
    First,    ///< like Same, but only when the loops are entered
  };
  unsigned producer, consumer;
  Kind kind;
};

/// The loops around each op, outermost first. Loops are numbered in the order
/// of the program, outer before inner.
using LoopsOfOps = std::vector<SmallVector<unsigned, 2>>;
LoopsOfOps findLoops(const Program &program);

/// Returns the number of loops around both ops.
unsigned countCommonLoops(ArrayRef<unsigned> a, ArrayRef<unsigned> b);

/// Finds all dependences, sorted by consumer. No run waits for another run by
/// two of them.
std::vector<Dependence> findDependences(const Program &program,
                                        const LoopsOfOps &loops);

} // namespace mlir::llm

#endif // LLM_PROGRAM_DEPENDENCES_H
