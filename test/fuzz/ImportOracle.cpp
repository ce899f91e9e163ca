//===- ImportOracle.cpp - What every importer promises --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportOracle.h"
#include "llm/Program/Totals.h"
#include "mlir/IR/Verifier.h"

namespace mlir::llm::fuzz {

void checkImported(const FailureOr<OwningOpRef<ModuleOp>> &module,
                   DiagnosticJudge &judge) {
  judge.judge(module, "importing");
  if (failed(module))
    return;
  LogicalResult isValid = verify(**module);
  judge.judge(isValid, "verifying the program");
  require(succeeded(isValid), "the imported program is not valid");
  OwningOpRef<ModuleOp> again = writeAndRead(**module, judge);
  judge.judge(forEachProgram(*again,
                             [](const Program &program) -> LogicalResult {
                               return computeTotals(program);
                             }),
              "counting the work");
}

} // namespace mlir::llm::fuzz
