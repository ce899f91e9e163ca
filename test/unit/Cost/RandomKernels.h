//===- RandomKernels.h - Random ops, random machines ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the sizes of language models, and machines whose units share them,
// with figures from nowhere: what is true of all of them needs no example.
//
#ifndef LLM_TEST_UNIT_COST_RANDOMKERNELS_H
#define LLM_TEST_UNIT_COST_RANDOMKERNELS_H

#include "Oracle.h"

namespace mlir::llm {

/// --gtest_shuffle --gtest_random_seed=N asks for other ops and machines.
unsigned seedOf(unsigned test);

/// A number between the two, small ones as often as large ones.
int64_t between(Random &random, int64_t low, int64_t high);

/// Functions with one op each, parsed together.
class ParsedOps {
public:
  explicit ParsedOps(ArrayRef<std::string> texts);

  std::vector<std::string> texts;
  std::vector<WorkloadOpInterface> ops;

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  /// Ops that do not fit on a machine are passed over.
  ScopedDiagnosticHandler quiet{&context,
                                [](Diagnostic &) { return success(); }};
};

/// A function with one op.
std::string randomText(Random &random);
std::vector<std::string> randomTexts(Random &random, size_t count);

/// A machine whose units share ops as tiles, with figures from nowhere.
Target randomTarget(Random &random);

} // namespace mlir::llm

#endif
