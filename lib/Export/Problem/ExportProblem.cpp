//===- ExportProblem.cpp - What llm-schedule solves, as a text ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Passes.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Program/Program.h"
#include "llm/SchedulingText/SchedulingText.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTPROBLEMPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct ExportProblemPass
    : ExportPass<llm::impl::ExportProblemPassBase<ExportProblemPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override;

private:
  LogicalResult exportFunctions(ArrayRef<FunctionOpInterface> functions);
  LogicalResult exportFunction(FunctionOpInterface function,
                               const Target &target, StringRef path);
  /// Finds the ops that the option `stretch` names.
  FailureOr<ArrayRef<unsigned>> findStretch(const Program &program) const;
  FailureOr<scheduling::Problem> makeTheProblem(const Program &program,
                                                const Target &target) const;
};
} // namespace

static void collectStretches(ArrayRef<ProgramItem> items,
                             std::vector<ArrayRef<unsigned>> &stretches) {
  for (const ProgramItem &item : items) {
    if (item.isLoop())
      collectStretches(item.body, stretches);
    else
      stretches.push_back(item.ops);
  }
}

FailureOr<ArrayRef<unsigned>>
ExportProblemPass::findStretch(const Program &program) const {
  std::vector<ArrayRef<unsigned>> stretches;
  collectStretches(program.items(), stretches);
  if (stretches.empty())
    return ArrayRef<unsigned>();
  if (stretch < 0 && stretches.size() == 1)
    return stretches.front();
  if (stretch >= 0 && size_t(stretch) < stretches.size())
    return stretches[stretch];
  return emitFunctionError(program.function())
         << "has " << stretches.size()
         << " stretches of ops between loop boundaries, and each is a problem; "
            "option 'stretch' must be in [0, "
         << stretches.size() << ")";
}

FailureOr<scheduling::Problem>
ExportProblemPass::makeTheProblem(const Program &program,
                                  const Target &target) const {
  FailureOr<ArrayRef<unsigned>> ops = findStretch(program);
  if (failed(ops) || failed(checkCosts(program, target)))
    return failure();
  if (!alternatives)
    return makeProblem(program, *ops, target);
  FailureOr<SplitProblem> split =
      ProblemMaker(program, target).makeSplit(*ops, target);
  if (failed(split))
    return failure();
  return std::move(split->problem);
}

LogicalResult ExportProblemPass::exportFunction(FunctionOpInterface function,
                                                const Target &target,
                                                StringRef path) {
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  FailureOr<scheduling::Problem> problem = makeTheProblem(*program, target);
  if (failed(problem))
    return failure();
  return getAnalysis<ExportedFiles>().write(
      *this, path, [&](llvm::raw_ostream &os) { writeProblem(os, *problem); });
}

LogicalResult
ExportProblemPass::exportFunctions(ArrayRef<FunctionOpInterface> functions) {
  FailureOr<Target> target = readTarget(getOperation());
  FailureOr<std::vector<std::string>> paths =
      choosePaths(*this, functions, file, {"problem", ".problem.json"});
  if (failed(target) || failed(paths))
    return failure();
  for (auto [function, path] : llvm::zip_equal(functions, *paths))
    if (failed(exportFunction(function, *target, path)))
      return failure();
  return success();
}

void ExportProblemPass::runOnOperation() {
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there is no problem to write");
  if (functions.empty())
    return;
  if (failed(exportFunctions(functions)))
    signalPassFailure();
}
