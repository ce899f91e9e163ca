//===- ImportOracle.h - What every importer promises ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_FUZZ_IMPORTORACLE_H
#define LLM_TEST_FUZZ_IMPORTORACLE_H

#include "Harness.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm::fuzz {

/// What is imported must be valid, come back from its text, and be a program
/// whose work can be counted or is refused with an error.
void checkImported(const FailureOr<OwningOpRef<ModuleOp>> &module,
                   DiagnosticJudge &judge);

} // namespace mlir::llm::fuzz

#endif // LLM_TEST_FUZZ_IMPORTORACLE_H
