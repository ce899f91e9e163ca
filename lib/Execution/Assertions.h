//===- Assertions.h - What programs assert when they run --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_ASSERTIONS_H
#define LLM_LIB_EXECUTION_ASSERTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <deque>

namespace mlir::llm {

/// An assertion of a program, such as a frontend's of an index.
struct Assertion {
  Location loc;
  std::string message;
};

/// The assertions of a program. Compiled code has their addresses.
using Assertions = std::deque<Assertion>;

/// What compiled code calls where an assertion does not hold.
constexpr char assertionFailedSymbol[] = "llm_assertion_failed";

/// Says which assertion does not hold, at its place, and ends the process:
/// compiled code cannot be left before its end.
[[noreturn]] void assertionFailed(int64_t assertion);

/// Makes calls of that of `cf.assert`, which may stand in no loop but those of
/// blocks. (Upstream's lowering calls abort(), and says neither where nor, if
/// output is no terminal, why.)
std::unique_ptr<Pass> createAssertionsPass(Assertions &assertions);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_ASSERTIONS_H
