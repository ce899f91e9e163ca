//===- ExportQueues.cpp - What each engine does in turn -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionQueues.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Passes.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTQUEUESPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct ExportQueuesPass
    : ExportPass<llm::impl::ExportQueuesPassBase<ExportQueuesPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override;

private:
  LogicalResult exportFunctions(ArrayRef<FunctionOpInterface> functions);
};
} // namespace

LogicalResult
ExportQueuesPass::exportFunctions(ArrayRef<FunctionOpInterface> functions) {
  FailureOr<Target> target = readTarget(getOperation());
  if (failed(target))
    return failure();
  std::vector<FunctionQueues> queues;
  for (FunctionOpInterface function : functions) {
    FailureOr<FunctionQueues> each = FunctionQueues::create(function, *target);
    if (failed(each))
      return failure();
    queues.push_back(std::move(*each));
  }
  return getAnalysis<ExportedFiles>().write(
      *this, file,
      [&](llvm::raw_ostream &os) { writeQueuesJson(queues, *target, os); });
}

void ExportQueuesPass::runOnOperation() {
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there are no queues to write");
  if (functions.empty())
    return;
  if (failed(exportFunctions(functions)))
    signalPassFailure();
}
