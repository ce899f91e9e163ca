//===- Plan.cpp - llm-prof plan -------------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommand.h"
#include "TargetOptions.h"
#include "llm/Console/TextTable.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Profile/MeasurementPlan.h"
#include "llm/Profile/OpRows.h"
#include "llm/Measurements/RowOps.h"
#include "llm/Program/Program.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
struct PlanOptions {
  explicit PlanOptions(cl::SubCommand &command) : command(command) {}

  cl::SubCommand &command;
  TargetOptions machine{command};
  cl::opt<unsigned> budget{"budget", cl::init(8), cl::sub(command),
                           cl::desc("How many ops to measure (default: 8)"),
                           cl::value_desc("N")};
  cl::list<std::string> opKinds{"op-kind", cl::CommaSeparated,
                                cl::sub(command),
                                cl::desc("Only ops of these kinds"),
                                cl::value_desc("names")};
  cl::list<std::string> files{
      cl::Positional, cl::sub(command),
      cl::desc("[<shapes.csv or program.mlir> ...]  by default shapes of "
               "common models")};
  cl::opt<std::string> output{
      "o", cl::sub(command), cl::value_desc("measure.py"),
      cl::desc("Write a program of PyTorch that measures them (*.py), or "
               "their\ntable (*.csv)")};
};

class Plan : public Subcommand {
public:
  Plan()
      : Subcommand("plan", "Choose the ops that are most worth measuring") {}
  LogicalResult run(MLIRContext &context) override;

private:
  LogicalResult checkOptions(MLIRContext &context) const;
  FailureOr<std::vector<PlanCandidate>> listCandidates(const Target &target,
                                                       MLIRContext &context);
  LogicalResult addProgram(StringRef file, MLIRContext &context,
                           std::vector<PlanCandidate> &candidates);
  bool isProgram() const {
    return llvm::any_of(options.files, [](StringRef file) {
      return file.ends_with(".mlir");
    });
  }

  PlanOptions options{command};
};
} // namespace

LogicalResult Plan::checkOptions(MLIRContext &context) const {
  if (options.budget == 0)
    return emitToolError(context) << "--budget must be at least 1, got 0";
  StringRef output = options.output;
  if (!output.empty() && !output.ends_with(".py") && !output.ends_with(".csv"))
    return emitToolError(context)
           << "-o " << output
           << ": the name says what is written; expected *.py, a program that "
              "measures, or *.csv, a table of the shapes";
  std::vector<StringRef> kinds = RowOps::kinds();
  for (const std::string &kind : options.opKinds)
    if (!llvm::is_contained(kinds, kind))
      return emitToolError(context)
             << "--op-kind=" << kind << ": there is no op of this kind"
             << didYouMean(kind, kinds) << " (there are "
             << llvm::join(kinds, ", ") << ")";
  return success();
}

/// Adds the ops of all functions of a program that are rows of a known kind.
LogicalResult Plan::addProgram(StringRef file, MLIRContext &context,
                               std::vector<PlanCandidate> &candidates) {
  if (failed(checkProgramFile("llm-prof", file)))
    return failure();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(file, ParserConfig(&context));
  if (!module)
    return failure();
  return forEachProgram(*module, [&](const Program &program) {
    for (const ProgramOp &op : program.ops())
      if (std::optional<MeasuredRow> row = describeAsRow(op.op)) {
        row->timing = "cudagraph"; // engines that serve replay a step
        candidates.push_back({std::move(*row), double(op.count)});
      }
    return success();
  });
}

FailureOr<std::vector<PlanCandidate>>
Plan::listCandidates(const Target &target, MLIRContext &context) {
  std::vector<std::string> kinds(options.opKinds.begin(),
                                 options.opKinds.end());
  std::vector<PlanCandidate> candidates;
  if (options.files.empty())
    candidates = listCommonShapes(target, kinds, &context);
  for (const std::string &file : options.files) {
    if (StringRef(file).ends_with(".mlir")) {
      if (failed(addProgram(file, context, candidates)))
        return failure();
      continue;
    }
    FailureOr<std::vector<MeasuredRow>> rows =
        readMeasuredTable(file, &context, Times::Ignored);
    if (failed(rows))
      return failure();
    for (MeasuredRow &row : *rows)
      candidates.push_back({std::move(row)});
  }
  if (!kinds.empty())
    llvm::erase_if(candidates, [&](const PlanCandidate &candidate) {
      return !llvm::is_contained(kinds, candidate.row.opKind);
    });
  if (candidates.empty())
    return emitToolError(context)
           << "there is nothing to choose from: no shape "
           << (options.files.empty() ? "of common models" : "of the files")
           << (kinds.empty() ? " is of a kind that can be measured"
                             : " is of the kinds of --op-kind");
  return candidates;
}

static void printPlan(const MeasurementPlan &plan, raw_ostream &os) {
  auto format = [](double value, const char *form) {
    return ::llvm::formatv(form, value).str();
  };
  TextTable table(5);
  for (size_t column : {1, 2})
    table.setText(column);
  table.addRow({"", "op kind", "shape", "predicted us", "error left %"},
               /*isBold=*/true);
  table.addRule();
  table.addRow({"0", "", "", "", format(plan.errorPercentBefore, "{0:f1}")});
  for (auto [number, planned] : llvm::enumerate(plan.rows))
    table.addRow({std::to_string(number + 1), planned.row.opKind,
                  describeShape(planned.row),
                  format(planned.row.microseconds, "{0:f1}"),
                  format(planned.errorPercent, "{0:f1}")});
  table.print(os, /*width=*/100);
  os << "Chosen from " << plan.candidates
     << " shapes. \"Error left\" is what is expected of all of them once the "
        "ops down to\nthat row are measured.\n";
  printUnpredicted(os, plan.unpredicted);
}

LogicalResult Plan::run(MLIRContext &context) {
  registerEveryDialect(context);
  context.printOpOnDiagnostic(false);
  if (failed(checkOptions(context)))
    return failure();
  FailureOr<Target> target = options.machine.load(context);
  if (failed(target))
    return failure();
  FailureOr<std::vector<PlanCandidate>> candidates =
      listCandidates(*target, context);
  if (failed(candidates))
    return failure();
  FailureOr<MeasurementPlan> plan =
      planMeasurements(std::move(*candidates), isProgram(), options.budget,
                       *target, &context);
  if (failed(plan))
    return failure();
  printPlan(*plan, ::llvm::outs());
  if (options.output.empty())
    return success();
  std::vector<MeasuredRow> rows;
  for (const PlannedRow &planned : plan->rows)
    rows.push_back(planned.row);
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    if (StringRef(options.output).ends_with(".py"))
      writeMeasuringScript(rows, os);
    else
      writeMeasuredTable(rows, os, Times::Ignored);
  });
}

std::unique_ptr<Subcommand> mlir::llm::makePlan() {
  return std::make_unique<Plan>();
}
