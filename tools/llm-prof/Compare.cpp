//===- Compare.cpp - llm-prof compare -------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Open.h"
#include "Subcommand.h"
#include "TargetOptions.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Export/Report/ComparisonTable.h"
#include "llm/Results/PlannedFunction.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceComparison/CompareTrace.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
enum class Format { Table, Json, Csv };

struct CompareOptions {
  explicit CompareOptions(cl::SubCommand &command) : command(command) {}

  cl::SubCommand &command;
  cl::opt<std::string> program{cl::Positional, cl::Required, cl::sub(command),
                               cl::desc("<program.mlir>")};
  cl::opt<std::string> trace{cl::Positional, cl::Required, cl::sub(command),
                             cl::desc("<trace>")};
  cl::opt<std::string> function{
      "function", cl::sub(command), cl::value_desc("name"),
      cl::desc("Function to compare with (default: the only one)")};
  cl::opt<std::string> target{
      "target", cl::sub(command), cl::value_desc("name"),
      cl::desc("Preset, or a file of a target (.json), for a program that has "
               "no target")};
  cl::list<std::string> changes{
      "set", cl::CommaSeparated, cl::sub(command), cl::value_desc("path=value"),
      cl::desc("What if: fields of that target by their paths, such as\n"
               "memories.dram.bytes_per_second=4e12")};
  cl::list<std::string> sizes{
      "size", cl::CommaSeparated, cl::sub(command), cl::value_desc("name=N"),
      cl::desc("An open size of the program, such as kv_len=8")};
  cl::opt<std::string> rules{
      "rules", cl::sub(command), cl::value_desc("file.json"),
      cl::desc("What names of the trace mean, asked before what is built in")};
  cl::opt<int> pass{
      "pass", cl::sub(command), cl::init(-1), cl::value_desc("N"),
      cl::desc("Compare this run of the program, from 0 on (default: the "
               "median)")};
  cl::opt<std::string> range{
      "range", cl::sub(command), cl::value_desc("name"),
      cl::desc("Runs of the program are the ranges of that name")};
  cl::opt<Format> format{
      "format", cl::desc("What to print"),
      cl::values(clEnumValN(Format::Table, "table", "for people (default)"),
                 clEnumValN(Format::Json, "json", "all of it"),
                 clEnumValN(Format::Csv, "csv", "one line for each op")),
      cl::init(Format::Table), cl::sub(command)};
  cl::opt<std::string> output{"o", cl::init("-"), cl::sub(command),
                              cl::desc("Output file"),
                              cl::value_desc("filename")};
  cl::opt<std::string> perfetto{
      "perfetto", cl::sub(command), cl::value_desc("file"),
      cl::desc("Write the trace and the prediction for ui.perfetto.dev: *.json "
               "or *.pftrace, either with .gz")};
  cl::opt<std::string> html{"html", cl::sub(command),
                            cl::value_desc("file.html"),
                            cl::desc("Write both as a page for a browser")};
  OpenOption open{command};
};
} // namespace

namespace {
class Compare : public Subcommand {
public:
  Compare()
      : Subcommand("compare",
                   "Lay a trace of another tool beside a prediction") {}
  LogicalResult run(MLIRContext &context) override;

private:
  FailureOr<PlannedFunction> plan(MLIRContext &context) const;
  FailureOr<Target> loadTarget(MLIRContext &context) const;
  LogicalResult print(const Comparison &comparison, MLIRContext &context) const;
  LogicalResult writePage(const TraceAlignment &alignment,
                          const Comparison &comparison,
                          PlannedFunction &planned, MLIRContext &context) const;
  LogicalResult writeTrace(ImportedTrace trace, const TraceAlignment &alignment,
                           const Report &predicted, MLIRContext &context) const;

  LogicalResult checkOptions(MLIRContext &context) const;
  LogicalResult checkProgram(MLIRContext &context) const;

  CompareOptions options{command};
};
} // namespace

FailureOr<Target> Compare::loadTarget(MLIRContext &context) const {
  auto emitError = [&] { return emitToolError(context); };
  if (options.target.empty())
    return emitError() << "'" << options.program
                       << "' has no target; say which machine the trace is "
                          "of: --target=NAME, or host";
  std::vector<std::string> changes(options.changes.begin(),
                                   options.changes.end());
  return loadNamedTarget(options.target, /*column=*/"", changes, context);
}

/// Fails if the program is a trace. A file that is no MLIR is seldom a program
/// with a fault in its first letter.
LogicalResult Compare::checkProgram(MLIRContext &context) const {
  StringRef format = findTraceFormat(options.program);
  if (format.empty())
    return success();
  return emitToolError(context)
         << "'" << options.program << "' begins as a file of the form '"
         << format
         << "' and not as a program; the program comes first, the trace "
            "behind it (llm-translate makes a program of a config.json or a "
            "GGUF file)";
}

FailureOr<PlannedFunction> Compare::plan(MLIRContext &context) const {
  if (failed(checkProgram(context)) ||
      failed(checkProgramFile("llm-prof", options.program)))
    return failure();
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.program, config);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findFunction(*module, options.function);
  if (failed(function))
    return failure();
  if (!options.target.empty() && hasTarget(*module))
    return emitToolError(context)
           << "--target is for a program without a target, and '"
           << options.program
           << "' has one: leave --target out, or give the program another by "
              "llm-opt --llm-target";
  std::vector<std::string> sizes(options.sizes.begin(), options.sizes.end());
  return PlannedFunction::create(*function, sizes,
                                 [&] { return loadTarget(context); });
}

LogicalResult Compare::print(const Comparison &comparison,
                             MLIRContext &context) const {
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    if (options.format == Format::Json)
      writeComparisonJson(comparison, os);
    else if (options.format == Format::Csv)
      writeComparisonCsv(comparison, os);
    else
      writeComparisonTable(comparison, os);
  });
}

LogicalResult Compare::writePage(const TraceAlignment &alignment,
                                 const Comparison &comparison,
                                 PlannedFunction &planned,
                                 MLIRContext &context) const {
  if (options.html.empty())
    return success();
  size_t passes = alignment.comparedPasses().size();
  std::string maker = "median of " + std::to_string(passes) +
                      (passes == 1 ? " pass of '" : " passes of '") +
                      options.trace + "'";
  if (failed(planned.setMeasured(
          measuredNanoseconds(alignment, planned.getPredicted()), maker)))
    return failure();
  return writeOutput(options.html, context, [&](raw_ostream &os) {
    writeComparedPage(planned.getMeasured(), planned.getPredicted(), comparison,
                      os);
  });
}

LogicalResult Compare::writeTrace(ImportedTrace trace,
                                  const TraceAlignment &alignment,
                                  const Report &predicted,
                                  MLIRContext &context) const {
  if (options.perfetto.empty())
    return success();
  ImportedTrace both = addPrediction(std::move(trace), alignment, predicted);
  return writeOutput(options.perfetto, context, [&](raw_ostream &os) {
    TraceWriter writer(encodingOf(options.perfetto), os);
    writeImportedTrace(both, writer.sink());
  });
}

LogicalResult Compare::checkOptions(MLIRContext &context) const {
  if (std::string fault = findPageFault(options.html); !fault.empty())
    return emitToolError(context) << "--html: " << fault;
  if (!options.changes.empty() && options.target.empty())
    return emitToolError(context) << "--set changes the machine of --target=, "
                                     "which is not given";
  if (options.pass.getNumOccurrences() && options.pass < 0)
    return emitToolError(context)
           << "--pass must be 0 or more, got " << options.pass.getValue();
  if (failed(checkTraceName(options.perfetto, context)))
    return failure();
  return options.open.check(options.html, options.perfetto, context);
}

LogicalResult Compare::run(MLIRContext &context) {
  registerEveryDialect(context);
  context.printOpOnDiagnostic(false);
  if (failed(checkOptions(context)))
    return failure();
  FailureOr<MatchRules> rules = MatchRules::load(options.rules, &context);
  if (failed(rules))
    return failure();
  FailureOr<PlannedFunction> planned = plan(context);
  if (failed(planned))
    return failure();
  llvm::Expected<ImportedTrace> trace = readTrace(options.trace);
  if (!trace)
    return emitToolError(context) << llvm::toString(trace.takeError());
  const Report &predicted = planned->getPredicted();
  AlignmentOptions which;
  which.range = options.range;
  if (options.pass >= 0)
    which.pass = options.pass;
  llvm::Expected<TraceAlignment> alignment =
      TraceAlignment::create(*trace, *predicted.program, *rules, which);
  if (!alignment)
    return emitToolError(context)
           << options.trace << ": " << llvm::toString(alignment.takeError());
  Comparison comparison = compareTrace(*trace, *alignment, predicted);
  if (failed(writePage(*alignment, comparison, *planned, context)) ||
      failed(writeTrace(std::move(*trace), *alignment, predicted, context)))
    return failure();
  if (failed(print(comparison, context)))
    return failure();
  return options.open.run(options.html, options.perfetto, context);
}

std::unique_ptr<Subcommand> mlir::llm::makeCompare() {
  return std::make_unique<Compare>();
}
