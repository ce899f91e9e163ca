//===- llm-solve.cpp - Scheduling problems as texts -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Terminal.h"
#include "llm/ExactScheduling/Exact.h"
#include "llm/Files/OutputFile.h"
#include "llm/SchedulingText/SchedulingText.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::llm;
using scheduling::Bound;
using scheduling::Problem;
using scheduling::Solution;
namespace cl = llvm::cl;

namespace {
enum class Policy { List, Earliest, Exact };

struct Options {
  cl::opt<std::string> problem{cl::Positional, cl::Required,
                               cl::desc("<problem.json>")};
  cl::opt<std::string> verify{
      "verify", cl::desc("Check this schedule of the problem instead"),
      cl::value_desc("solution.json")};
  cl::opt<Policy> policy{
      "policy", cl::desc("How the schedule is made"), cl::init(Policy::List),
      cl::values(
          clEnumValN(Policy::List, "list",
                     "the part with the longest way to the end first"),
          clEnumValN(Policy::Earliest, "earliest", "in order, tasks whole"),
          clEnumValN(Policy::Exact, "exact",
                     "until it is proven that none is shorter"))};
  cl::opt<int64_t> nodes{
      "exact-nodes", cl::init(100000),
      cl::desc("Nodes that policy=exact searches (0: no limit)")};
  cl::opt<std::string> output{"o", cl::init("-"),
                              cl::desc("File to write (default: standard "
                                       "output)"),
                              cl::value_desc("file")};
};
} // namespace

static FailureOr<Solution> solve(const Options &options, const Problem &problem,
                                 Location loc) {
  if (options.policy == Policy::Exact) {
    scheduling::ExactOptions limits;
    limits.nodes = options.nodes;
    scheduling::ExactResult result = scheduling::scheduleExact(problem, limits);
    if (!result.hasSolution())
      return emitError(loc)
             << "no schedule with --policy=exact: " << result.reason;
    llvm::errs() << scheduling::describe(result) << "\n";
    return std::move(result.solution);
  }
  std::optional<Solution> solution =
      options.policy == Policy::List ? scheduling::scheduleList(problem)
                                     : scheduling::scheduleEarliest(problem);
  if (!solution)
    return emitError(loc) << "its cycles are more than can be counted";
  return std::move(*solution);
}

/// Where the schedule says something of the task, or its beginning.
static Location findPlace(const LocatedJson &json, const Solution &solution,
                          unsigned task) {
  if (const LocatedJson *slots = json.find("slots"))
    for (const auto &[slot, element] :
         llvm::zip_equal(solution.slots, slots->elements()))
      if (slot.task == task)
        return element.loc();
  return json.loc();
}

static LogicalResult verify(const Options &options, const Problem &problem,
                            MLIRContext &context) {
  FailureOr<LocatedJson> json =
      LocatedJson::parseFile(options.verify, &context);
  if (failed(json))
    return failure();
  FailureOr<Solution> solution = readSolution(*json, problem);
  if (failed(solution))
    return failure();
  std::vector<scheduling::Violation> broken =
      scheduling::verify(problem, *solution);
  for (const scheduling::Violation &violation : broken)
    emitError(findPlace(*json, *solution, violation.task))
        << "rule " << violation.rule << ": " << violation.message;
  if (!broken.empty())
    return failure();
  llvm::outs() << "valid: " << solution->makespan << " cycles\n";
  return success();
}

static LogicalResult run(const Options &options, MLIRContext &context) {
  FailureOr<LocatedJson> json =
      LocatedJson::parseFile(options.problem, &context);
  if (failed(json))
    return failure();
  FailureOr<Problem> problem = readProblem(*json);
  if (failed(problem))
    return failure();
  if (!options.verify.empty())
    return verify(options, *problem, context);
  FailureOr<Solution> solution = solve(options, *problem, json->loc());
  std::optional<std::vector<Bound>> bounds = scheduling::lowerBounds(*problem);
  if (failed(solution))
    return failure();
  llvm::Error error =
      writeOutputFile(options.output, [&](llvm::raw_ostream &os) {
        writeSolution(os, *problem, *solution,
                      bounds.value_or(std::vector<Bound>()));
      });
  if (error)
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(std::move(error));
  return success();
}

int main(int argc, char **argv) {
  Options options;
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  cl::ParseCommandLineOptions(
      argc, argv,
      "llm-solve: schedules of problems that are written as JSON\n");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  // What is wrong with the arguments has no place in a file.
  ScopedDiagnosticHandler withoutPlace(&context, [](Diagnostic &diagnostic) {
    if (!isa<UnknownLoc>(diagnostic.getLocation()))
      return failure();
    llvm::errs() << "llm-solve: error: " << diagnostic << "\n";
    return success();
  });
  return failed(run(options, context));
}
