//===- Measuring.cpp - Measures runs, and writes what was found -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measuring.h"
#include "llm/Console/ShowFile.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Export/Report/ComparisonTable.h"
#include "llm/Files/OutputFile.h"
#include "llm/Profile/OpRows.h"
#include "llm/Support/Units.h"
#include "llm/Trace/TraceWriter.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult llm::writeFile(StringRef path, Location loc,
                             function_ref<void(raw_ostream &)> fill) {
  if (path.empty())
    return success();
  if (llvm::Error error = writeOutputFile(path, fill))
    return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

//===----------------------------------------------------------------------===//
// What is printed and written
//===----------------------------------------------------------------------===//

/// Adds rows of the ops that rows can describe.
static void addRows(const Report &measured, std::vector<MeasuredRow> &rows) {
  for (auto [entry, op] :
       llvm::zip_equal(measured.ops, measured.program->ops())) {
    std::optional<MeasuredRow> row = describeAsRow(op.op);
    double microseconds = cyclesToMicroseconds(
        entry.endCycle - entry.startCycle, measured.target->clockHz);
    if (!row || microseconds == 0)
      continue;
    row->id = entry.name.str();
    row->source = "llm-run";
    row->device = "host"; // even if the target is another one
    row->microseconds = microseconds;
    rows.push_back(std::move(*row));
  }
}

/// Prints the choices that a time depends on.
static void printChoices(const CommandLine &options,
                         const Executable &executable) {
  CpuVectors vectors = executable.getVectors();
  options.out() << "It ran on " << options.threads
                << (options.threads == 1 ? " thread" : " threads")
                << " with vectors of " << vectors.bits << " bits"
                << (vectors.addsPairsOfBf16 ? " and AVX512-BF16" : "")
                << llvm::format(", compiled in %.2f s (%.2f s of CPU).\n",
                                executable.getCompileSeconds(),
                                executable.getCompileCpuSeconds());
}

/// Ends a sentence on the median run with the fastest and the slowest one, and
/// warns if they are far apart.
static void printSpread(const CommandLine &options, ArrayRef<double> runs,
                        Location loc) {
  constexpr double mostApart = 1.25;
  if (runs.size() < 2) {
    options.out() << ".\n";
    return;
  }
  auto [fastest, slowest] = std::minmax_element(runs.begin(), runs.end());
  options.out() << llvm::format(
      "; the fastest of %zu took %.3f us, the slowest "
      "%.3f us.\n",
      runs.size(), *fastest, *slowest);
  if (*slowest > mostApart * *fastest && !options.saysNothing())
    emitWarning(loc) << llvm::formatv(
                            "the slowest run took {0:f1} times as long as the "
                            "fastest: the machine was busy, or caches were "
                            "cold at first; see '--warmup' and '--repeat'",
                            *slowest / *fastest)
                            .str();
}

/// Says which stage the lines behind are of, if there are several.
static void printStage(const CommandLine &options, const StagePlace &place,
                       size_t stage) {
  if (!place.isSplit())
    return;
  auto [first, count] = place.chipsOf(static_cast<int64_t>(stage));
  options.out() << (stage ? "\n" : "") << "Stage " << stage << " of "
                << place.countStages() << ", on "
                << (count == 1 ? "chip " : "chips ") << first;
  if (count > 1)
    options.out() << " to " << first + count - 1;
  options.out() << ":\n";
}

/// Prints the ops of a function beside their predictions.
static void printComparison(const CommandLine &options,
                            const Measurement &measurement,
                            const Comparison &comparison, Location loc) {
  writeComparisonTable(comparison, options.out());
  options.out() << llvm::format("The median run took %.3f us, %.3f us of it "
                                "between ops",
                                measurement.getWallMicroseconds(),
                                measurement.getBetweenMicroseconds());
  std::vector<double> ofRuns = measurement.getAllMicroseconds();
  printSpread(options, ofRuns, loc);
  if (ofRuns.size() > 1)
    options.out() << "Each row is the median of its op over all runs, so that "
                     "their total is that of no run.\n";
}

/// Writes the files of one function alone, which checkStages() refuses for
/// stages.
static LogicalResult writeOfFunction(const CommandLine &options,
                                     Measurement &measurement,
                                     const Comparison &comparison,
                                     Location loc) {
  auto writePage = [&](raw_ostream &os) {
    writeComparedPage(measurement.getMeasured(), measurement.getPredicted(),
                      comparison, os);
  };
  if (failed(writeFile(options.html, loc, writePage)))
    return failure();
  return writeFile(options.measured, loc, [&](raw_ostream &os) {
    measurement.getMeasuredModule()->print(os);
    os << "\n";
  });
}

/// Writes the trace and the rows of all functions.
static LogicalResult writeOfProgram(const CommandLine &options,
                                    const PreparedProgram &program,
                                    Location loc) {
  std::vector<RecordedFunction> functions;
  std::vector<MeasuredRow> rows;
  for (auto [stage, measurement] : llvm::enumerate(program.measurements)) {
    addRows(measurement.getMeasured(), rows);
    functions.push_back(
        {measurement.getMeasured(), measurement.getPredicted(),
         measurement.getMedianRun(),
         program.place->chipsOf(static_cast<int64_t>(stage)).first});
  }
  if (failed(writeFile(options.trace, loc, [&](raw_ostream &os) {
        TraceWriter writer(encodingOf(options.trace), os);
        recordBoth(functions).write(writer.sink());
      })))
    return failure();
  return writeFile(options.measureOps, loc,
                   [&](raw_ostream &os) { writeMeasuredTable(rows, os); });
}

/// Prints and writes what the recorded runs give.
static LogicalResult report(const CommandLine &options,
                            PreparedProgram &program, Location loc) {
  size_t median = findMedianRun(program.measurements);
  for (Measurement &measurement : program.measurements)
    if (failed(measurement.finish(median)))
      return failure();
  std::vector<Comparison> comparisons;
  for (Measurement &measurement : program.measurements) {
    comparisons.push_back(
        compareReports(measurement.getMeasured(), measurement.getPredicted()));
    if (failed(writeOfFunction(options, measurement, comparisons.back(), loc)))
      return failure();
  }
  if (failed(writeOfProgram(options, program, loc)))
    return failure();
  if (options.open)
    if (llvm::Error error = showFile(
            options.html.empty() ? options.trace : options.html, llvm::errs()))
      return emitError(loc) << "'--open': " << llvm::toString(std::move(error));
  if (!options.compare)
    return success();
  for (auto [stage, measurement] : llvm::enumerate(program.measurements)) {
    printStage(options, *program.place, stage);
    printComparison(options, measurement, comparisons[stage], loc);
    if (!program.place->isSplit()) // of one stage, they would be wrong
      for (const std::string &remark : measurement.getMeasured().remarks)
        options.out() << "Note: " << remark << ".\n";
  }
  printChoices(options, *program.stages.front().executable);
  return success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Gives the first chip what was recorded in a run: of each stage, the runs on
/// its chips. All chips must come here.
static void gatherRun(const Chips &chips, PreparedProgram &program) {
  const StagePlace &place = *program.place;
  for (auto [round, stage] : llvm::enumerate(program.stages)) {
    const Executable &executable = *stage.executable;
    std::vector<std::vector<RecordedRun>> ofChips = chips.gatherRuns(
        executable.takeRecordedRuns(), executable.getRecordingStart());
    if (!chips.isFirst())
      continue;
    for (int64_t number : place.stagesOf(static_cast<int64_t>(round))) {
      auto [first, count] = place.chipsOf(number);
      program.measurements[static_cast<size_t>(number)].add(
          {ofChips.begin() + first, ofChips.begin() + first + count});
    }
  }
}

/// Measures the ops of some runs.
static FailureOr<std::vector<HostTensor>>
measureRuns(const CommandLine &options, const Chips &chips,
            PreparedProgram &program, Location loc) {
  std::optional<CpuCounters> counters;
  if (options.counters) {
    counters.emplace();
    std::string refused = counters->describeRefused();
    if (!refused.empty())
      emitWarning(loc) << "the system does not count " << refused;
  }
  auto countBy = [&](const CpuCounters *each) {
    for (Prepared &stage : program.stages)
      stage.executable->count(each);
  };
  countBy(counters ? &*counters : nullptr);
  std::vector<HostTensor> results = runRepeatedly(
      [&] { return runStages(program, chips, /*toAll=*/false); },
      options.repetition(), chips, [&](double) { gatherRun(chips, program); });
  countBy(nullptr);
  if (chips.isFirst() && failed(report(options, program, loc)))
    return failure();
  return results;
}

/// Times runs in which nothing is recorded.
static std::vector<HostTensor> timeRuns(const CommandLine &options,
                                        const Chips &chips,
                                        PreparedProgram &program,
                                        Location loc) {
  std::vector<double> microseconds;
  std::vector<HostTensor> results =
      runRepeatedly([&] { return runStages(program, chips, /*toAll=*/false); },
                    options.repetition(), chips,
                    [&](double passed) { microseconds.push_back(passed); });
  size_t count = microseconds.size();
  options.out() << "The median of " << count << (count == 1 ? " run" : " runs")
                << llvm::format(" took %.3f us", takeMedian(microseconds));
  printSpread(options, microseconds, loc);
  printChoices(options, *program.stages.front().executable);
  return results;
}

FailureOr<std::vector<HostTensor>>
llm::measureProgram(const CommandLine &options, const Chips &chips,
                    PreparedProgram &program, Location loc) {
  if (program.recordsOps)
    return measureRuns(options, chips, program, loc);
  return timeRuns(options, chips, program, loc);
}
