//===- ExportModelExplorer.cpp - Graphs for Model Explorer ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelExplorer.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTMODELEXPLORERPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct ExportModelExplorerPass
    : ExportPass<
          llm::impl::ExportModelExplorerPassBase<ExportModelExplorerPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override {
    if (failed(exportModule()))
      signalPassFailure();
  }

private:
  using WriteGraphs = void (*)(ArrayRef<OpGraph>, ::llvm::raw_ostream &);
  LogicalResult exportModule();
  LogicalResult write(StringRef path, ArrayRef<OpGraph> graphs,
                      WriteGraphs writeGraphs);
};
} // namespace

/// A collection finds graphs by the names of their functions, so these must
/// differ.
static LogicalResult checkNames(ArrayRef<FunctionOpInterface> functions) {
  ::llvm::StringSet<> known;
  for (FunctionOpInterface function : functions)
    if (!known.insert(symbolOf(function)).second)
      return emitError(function.getLoc())
             << "function '" << symbolOf(function)
             << "' has the name of another one, and graphs go by names: rename "
                "one, then run --llm-export-model-explorer";
  return success();
}

LogicalResult ExportModelExplorerPass::write(StringRef path,
                                             ArrayRef<OpGraph> graphs,
                                             WriteGraphs writeGraphs) {
  return getAnalysis<ExportedFiles>().write(
      *this, path, [&](::llvm::raw_ostream &os) { writeGraphs(graphs, os); });
}

LogicalResult ExportModelExplorerPass::exportModule() {
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there is no graph to write");
  if (functions.empty())
    return success();
  FailureOr<std::vector<OpGraph>> graphs = createOpGraphs(getOperation());
  if (failed(graphs) || failed(checkNames(functions)) ||
      failed(write(file, *graphs, writeGraphCollection)))
    return failure();
  bool hasTimes = ::llvm::any_of(*graphs, [](const OpGraph &graph) {
    return ::llvm::any_of(
        graph.ops, [](const OpGraph::Op &op) { return op.cycles && op.bound; });
  });
  // Beside a stream or a device there is no place for files.
  if (!::llvm::sys::fs::is_regular_file(file) || file == "-" || !hasTimes)
    return success();
  StringRef stem = file;
  stem.consume_back(".json");
  return failure(
      failed(write((stem + ".time.json").str(), *graphs, writeTimeOverlay)) ||
      failed(write((stem + ".bound.json").str(), *graphs, writeBoundOverlay)));
}
