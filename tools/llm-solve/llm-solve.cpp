//===- llm-solve.cpp - Scheduling problems as texts -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/ExactScheduling/Exact.h"
#include "llm/Files/OutputFile.h"
#include "llm/SchedulingText/RecordSolution.h"
#include "llm/SchedulingText/SchedulingText.h"
#include "llm/Trace/TraceWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

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
      "exact-nodes", cl::init(100000), cl::value_desc("N"),
      cl::desc("Nodes that policy=exact searches (0: no limit)")};
  cl::opt<std::string> output{"o", cl::init("-"),
                              cl::desc("File to write (default: standard "
                                       "output)"),
                              cl::value_desc("file")};
  cl::opt<std::string> trace{
      "trace",
      cl::desc("Draw the schedule, or that to verify, for ui.perfetto.dev: "
               "*.json or *.pftrace, either with .gz"),
      cl::value_desc("file")};
};
} // namespace

/// The most parts, because schedules have a slot for each.
static constexpr int64_t mostParts = 10'000'000;

static LogicalResult checkSize(const Problem &problem, Location loc) {
  int64_t parts = 0;
  for (const scheduling::Task &task : problem.tasks)
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
      parts += scheduling::countParts(task.partsOf(choice));
  if (parts > mostParts)
    return emitError(loc) << "the problem has " << parts
                          << " parts, expected at most " << mostParts;
  return success();
}

namespace {
struct Solved {
  Solution solution;
  std::vector<Bound> bounds;
};
} // namespace

static InFlightDiagnostic emitOverflow(Location loc) {
  return emitError(loc) << "its cycles are more than can be counted";
}

static FailureOr<Solved> solveExactly(const Problem &problem, int64_t nodes,
                                      std::vector<Bound> bounds, Location loc) {
  scheduling::ExactOptions limits;
  limits.nodes = nodes;
  scheduling::ExactResult result = scheduling::scheduleExact(problem, limits);
  if (!result.hasSolution())
    return emitError(loc) << "no schedule with --policy=exact: "
                          << result.reason;
  llvm::errs() << scheduling::describe(result) << "\n";
  bounds.push_back({"proven", result.lowerBoundCycles});
  return Solved{std::move(result.solution), std::move(bounds)};
}

static FailureOr<Solved> solve(const Options &options, const Problem &problem,
                               Location loc) {
  std::optional<std::vector<Bound>> bounds = scheduling::lowerBounds(problem);
  if (!bounds)
    return emitOverflow(loc);
  if (options.policy == Policy::Exact)
    return solveExactly(problem, options.nodes, std::move(*bounds), loc);
  std::optional<Solution> solution =
      options.policy == Policy::List ? scheduling::scheduleList(problem)
                                     : scheduling::scheduleEarliest(problem);
  if (!solution)
    return emitOverflow(loc);
  return Solved{std::move(*solution), std::move(*bounds)};
}

/// Returns the place of the task in the schedule, or the beginning.
static Location findPlace(const LocatedJson &json, const Solution &solution,
                          unsigned task) {
  if (const LocatedJson *slots = json.find("slots"))
    for (const auto &[slot, element] :
         llvm::zip_equal(solution.slots, slots->elements()))
      if (slot.task == task)
        return element.loc();
  return json.loc();
}

static LogicalResult write(StringRef path, MLIRContext &context,
                           function_ref<void(llvm::raw_ostream &)> fill) {
  llvm::Error error = writeOutputFile(path, fill);
  if (error)
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(std::move(error));
  return success();
}

/// Draws the solution if that is asked for, even if it breaks rules.
static LogicalResult draw(const Options &options, const Problem &problem,
                          const Solution &solution, Location loc) {
  if (options.trace.empty())
    return success();
  std::optional<Recording> recording = recordSolution(problem, solution);
  if (!recording)
    return emitError(loc) << "the schedule has no trace: its times or lanes "
                             "are more than can be drawn";
  return write(options.trace, *loc.getContext(), [&](llvm::raw_ostream &os) {
    TraceWriter writer(encodingOf(options.trace), os);
    recording->write(writer.sink());
  });
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
  if (broken.empty())
    llvm::outs() << "valid: " << solution->makespan << " cycles\n";
  LogicalResult drawn = draw(options, problem, *solution, json->loc());
  return success(broken.empty() && succeeded(drawn));
}

static LogicalResult run(const Options &options, MLIRContext &context) {
  if (options.trace == "-" && options.output == "-")
    return emitError(UnknownLoc::get(&context))
           << "'-o' and '--trace' both write to standard output; give one of "
              "them a file";
  StringRef trace = options.trace;
  if (std::string fault = trace.empty() ? "" : findFaultOfTraceName(trace);
      !fault.empty())
    return emitError(UnknownLoc::get(&context))
           << "'--trace': " << fault << ", got '" << trace << "'";
  FailureOr<LocatedJson> json =
      LocatedJson::parseFile(options.problem, &context);
  if (failed(json))
    return failure();
  FailureOr<Problem> problem = readProblem(*json);
  if (failed(problem) || failed(checkSize(*problem, json->loc())))
    return failure();
  if (!options.verify.empty())
    return verify(options, *problem, context);
  FailureOr<Solved> solved = solve(options, *problem, json->loc());
  if (failed(solved))
    return failure();
  const auto &[solution, bounds] = *solved;
  if (largestBound(bounds) > solution.makespan)
    return json->emitError()
           << "this schedule takes " << solution.makespan
           << " cycles, and none could take less than " << largestBound(bounds)
           << ": 'least' of a task says more than its parts do";
  auto fill = [&](llvm::raw_ostream &os) {
    writeSolution(os, *problem, solution, bounds);
  };
  if (failed(write(options.output, context, fill)))
    return failure();
  return draw(options, *problem, solution, json->loc());
}

int main(int argc, char **argv) {
  // Only the hundreds of options of libLLVM are registered so far.
  cl::HideUnrelatedOptions(ArrayRef<const cl::OptionCategory *>());
  Options options;
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  parseCommandLine(
      argc, argv,
      "llm-solve: schedules of problems that are written as JSON\n");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ToolDiagnostics diagnostics("llm-solve", &context);
  return failed(run(options, context));
}
