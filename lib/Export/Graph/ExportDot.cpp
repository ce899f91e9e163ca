//===- ExportDot.cpp - The data flow for Graphviz -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotWriter.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTDOTPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct ExportDotPass : ExportPass<llm::impl::ExportDotPassBase<ExportDotPass>> {
  using ExportPass::ExportPass;
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override {
    if (failed(exportModule()))
      signalPassFailure();
  }

private:
  LogicalResult exportModule();
};
} // namespace

/// A picture is what Graphviz makes of the file.
LogicalResult ExportDotPass::initialize(MLIRContext *context) {
  auto [stem, suffix] = StringRef(file).rsplit('.');
  if (!::llvm::is_contained({"svg", "png", "pdf"}, suffix))
    return ExportPass::initialize(context);
  return emitError(UnknownLoc::get(context))
         << "--llm-export-dot: '" << file
         << "' would hold Graphviz' language and no picture; with file=" << stem
         << ".dot, 'dot -T" << suffix << " " << stem << ".dot' draws one";
}

LogicalResult ExportDotPass::exportModule() {
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there is no graph to write");
  FailureOr<std::vector<std::string>> paths =
      choosePaths(*this, functions, file, {"graph", ".dot"});
  if (failed(paths))
    return failure();
  FailureOr<std::vector<OpGraph>> graphs = createOpGraphs(getOperation());
  if (failed(graphs))
    return failure();
  for (auto [graph, path] : ::llvm::zip_equal(*graphs, *paths)) {
    auto write = [&](::llvm::raw_ostream &os) {
      writeDot(graph, color, depth, os);
    };
    if (failed(getAnalysis<ExportedFiles>().write(*this, path, write)))
      return failure();
  }
  return success();
}
