//===- llm-run.cpp - Runs programs on this CPU ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "CommandLine.h"
#include "Inputs.h"
#include "StagePlace.h"
#include "llm/Console/Interrupts.h"
#include "llm/Console/ShowFile.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Execution/Npy.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Export/Report/ComparisonTable.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Profile/OpRows.h"
#include "llm/Support/Units.h"
#include "llm/Trace/TraceWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

/// Adds the results of the op with that name to those of the function.
static LogicalResult addResultsOf(func::FuncOp function, StringRef name) {
  if (name.empty())
    return success();
  Operation *found = nullptr;
  SmallVector<StringRef> known;
  for (Operation &op : function.front()) {
    auto opName = op.getAttrOfType<StringAttr>("name");
    if (!opName || !op.getNumResults())
      continue;
    known.push_back(opName.getValue());
    if (opName.getValue() == name)
      found = &op;
  }
  if (!found)
    return function.emitError()
           << "'--results-of': function '" << function.getName()
           << "' has no op '" << name << "' outside of its loops"
           << didYouMean(name, known);
  Operation *end = function.front().getTerminator();
  for (Value result : found->getResults()) {
    (void)function.insertResult(function.getNumResults(), result.getType(), {});
    end->insertOperands(end->getNumOperands(), result);
  }
  return success();
}

/// Writes a file, which appears whole or not at all. Does nothing if the path
/// is empty.
static LogicalResult write(StringRef path, Location loc,
                           function_ref<void(raw_ostream &)> fill) {
  if (path.empty())
    return success();
  if (llvm::Error error = writeOutputFile(path, fill))
    return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

static LogicalResult writeResults(const CommandLine &options,
                                  ArrayRef<HostTensor> results, Location loc) {
  bool isNpy = StringRef(options.output).ends_with(".npy");
  std::map<std::string, HostTensor> named;
  for (auto [i, result] : llvm::enumerate(results))
    named["result" + std::to_string(i)] = result;
  return write(options.output, loc, [&](raw_ostream &os) {
    if (isNpy)
      writeNpy(results.back(), os);
    else
      writeSafetensors(named, os);
  });
}

static LogicalResult check(const CommandLine &options, const HostTensor &found,
                           Location loc) {
  if (options.checkAgainst.empty())
    return success();
  FailureOr<HostTensor> expected = readNpy(options.checkAgainst, loc);
  if (failed(expected))
    return failure();
  if (expected->getShape() != found.getShape())
    return emitError(loc) << "the result is " << describe(found) << ", and '"
                          << options.checkAgainst.getValue() << "' is "
                          << describe(*expected);
  Difference difference = compare(found, *expected);
  if (!difference.hasNonFinite && difference.worst <= options.tolerance) {
    options.out() << "agrees: largest difference "
                  << llvm::format("%.2e", difference.worst) << "\n";
    return success();
  }
  return emitError(loc) << "element " << difference.index << " is "
                        << found.get(difference.index) << ", expected "
                        << expected->get(difference.index)
                        << ": a difference of "
                        << llvm::formatv("{0:e2}", difference.worst).str()
                        << " of the largest; see '--tolerance'";
}

static LogicalResult saveWeights(const CommandLine &options,
                                 const Inputs &inputs, Location loc) {
  return write(options.saveWeights, loc, [&](raw_ostream &os) {
    writeSafetensors(inputs.getWeights(), os, inputs.hasInterleavedRows());
  });
}

static void printTokens(const HostTensor &tokens, raw_ostream &os) {
  os << "tokens:";
  for (int64_t i = 0; i < tokens.getNumElements(); ++i)
    os << " " << static_cast<int64_t>(tokens.get(i));
  os << "\n";
}

/// Returns the results of the function, without the states of caches.
static std::vector<HostTensor> plainResults(const Executable &executable,
                                            ArrayRef<HostTensor> all) {
  std::vector<HostTensor> plain;
  for (auto [result, tensor] : llvm::zip_equal(executable.getResults(), all))
    if (result.cache.empty())
      plain.push_back(tensor);
  return plain;
}

/// Warns of a result that is infinite or NaN, and of a weight or input that may
/// be the cause. Tokens are always numbers, so the cause alone is told for
/// them.
static void warnOfNonFinite(ArrayRef<HostTensor> results, const Inputs &inputs,
                            Location loc) {
  std::string cause;
  bool isSilent = llvm::all_of(results, [](const HostTensor &result) {
    return result.getElementType().isInteger();
  });
  if (isSilent && !(cause = inputs.describeNonFinite()).empty())
    emitWarning(loc) << "results may mean nothing, for no number is " << cause;
  for (auto [number, result] : llvm::enumerate(results)) {
    std::optional<int64_t> element = findNonFinite(result);
    if (!element)
      continue;
    InFlightDiagnostic warning = emitWarning(loc)
                                 << "element " << *element << " of result "
                                 << number << " is " << result.get(*element);
    cause = inputs.describeNonFinite();
    if (cause.empty())
      warning << ", though all weights and inputs are finite numbers";
    else
      warning << ", as is " << cause;
    return;
  }
}

/// Writes rows of the ops that rows can describe.
static LogicalResult writeRows(const CommandLine &options,
                               const Report &measured, Location loc) {
  std::vector<MeasuredRow> rows;
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
  return write(options.measureOps, loc,
               [&](raw_ostream &os) { writeMeasuredTable(rows, os); });
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

static LogicalResult report(const CommandLine &options,
                            const Executable &executable, const Chips &chips,
                            Measurement &measurement, Location loc) {
  if (failed(measurement.finish(chips)))
    return failure();
  const Report &measured = measurement.getMeasured();
  const Report &predicted = measurement.getPredicted();
  Comparison comparison = compareReports(measured, predicted);
  if (failed(write(options.html, loc,
                   [&](raw_ostream &os) {
                     writeComparedPage(measured, predicted, comparison, os);
                   })) ||
      failed(write(options.measured, loc,
                   [&](raw_ostream &os) {
                     measurement.getMeasuredModule()->print(os);
                     os << "\n";
                   })) ||
      failed(write(options.trace, loc, [&](raw_ostream &os) {
        TraceWriter writer(encodingOf(options.trace), os);
        recordBoth(measured, measurement.getMedianRun(), predicted)
            .write(writer.sink());
      })))
    return failure();
  if (!options.measureOps.empty() && failed(writeRows(options, measured, loc)))
    return failure();
  if (options.open)
    if (llvm::Error error = showFile(
            options.html.empty() ? options.trace : options.html, llvm::errs()))
      return emitError(loc) << "'--open': " << llvm::toString(std::move(error));
  if (!options.compare)
    return success();
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
  for (const std::string &remark : measured.remarks)
    options.out() << "Note: " << remark << ".\n";
  printChoices(options, executable);
  return success();
}

/// Measures the ops of some runs. `results` gets those of the last run.
static LogicalResult measureRuns(const CommandLine &options,
                                 Executable &executable, const Inputs &inputs,
                                 const Chips &chips, Measurement &measurement,
                                 Location loc,
                                 std::vector<HostTensor> &results) {
  std::optional<CpuCounters> counters;
  if (options.counters) {
    counters.emplace();
    std::string refused = counters->describeRefused();
    if (!refused.empty())
      emitWarning(loc) << "the system does not count " << refused;
    executable.count(&*counters);
  }
  results = runRepeatedly(
      executable, inputs.getValues(), options.repetition(), chips, [&](double) {
        std::vector<RecordedRun> runs = executable.takeRecordedRuns();
        measurement.add(std::move(runs), executable.getRecordingStart());
      });
  executable.count(nullptr);
  return report(options, executable, chips, measurement, loc);
}

/// Times runs in which nothing is recorded, and returns the last results.
static std::vector<HostTensor> timeRuns(const CommandLine &options,
                                        const Executable &executable,
                                        const Inputs &inputs,
                                        const Chips &chips, Location loc) {
  std::vector<double> microseconds;
  std::vector<HostTensor> results =
      runRepeatedly(executable, inputs.getValues(), options.repetition(), chips,
                    [&](double passed) { microseconds.push_back(passed); });
  size_t count = microseconds.size();
  options.out() << "The median of " << count << (count == 1 ? " run" : " runs")
                << llvm::format(" took %.3f us", takeMedian(microseconds));
  printSpread(options, microseconds, loc);
  printChoices(options, executable);
  return results;
}

/// Says what a run did whose time was not asked for (`seconds` is 0 if it was),
/// and that weights were made at random. Standard output has what is the same in
/// each run.
static void printWhatRan(const CommandLine &options, const Inputs &inputs,
                         size_t results, int64_t tokens, double seconds) {
  if (options.saysNothing())
    return;
  raw_ostream &os = llvm::errs();
  if (seconds > 0 && options.steps > 1)
    os << llvm::format("%lld tokens in %.3f s: %.1f tokens/s, with the time of "
                       "the prompt.\n",
                       static_cast<long long>(tokens), seconds,
                       double(tokens) / seconds);
  else if (seconds > 0 && !options.hasPrompt())
    os << llvm::format("It ran once, in %.3f ms, on ", 1e3 * seconds)
       << options.threads << (options.threads == 1 ? " thread" : " threads")
       << ", and gave " << results << (results == 1 ? " result" : " results")
       << (options.output.empty() ? " ('--output' writes it).\n" : ".\n");
  if (options.weights.empty() && !inputs.getWeights().empty())
    os << "Weights are random; '--weights' reads a checkpoint or a GGUF "
          "file.\n";
}

namespace {
/// A function that is ready to run: the program, or a stage of it.
struct Prepared {
  OwningOpRef<ModuleOp> module, asRead; // compiling changes the first one
  std::unique_ptr<Executable> executable;
  std::optional<Inputs> inputs;
  std::optional<Measurement> measurement; ///< if ops are recorded
  std::vector<HostTensor> results;        ///< of the last step, with caches
};

/// What this process runs: a function in each round.
struct PreparedProgram {
  std::optional<StagePlace> place;
  std::vector<Prepared> stages;
};
} // namespace

/// Removes the functions of other stages. One of them has the table of tokens.
static void leaveOneStage(ModuleOp module, func::FuncOp own,
                          ModelFacts &facts) {
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (other == own || !other->hasAttr(LlmDialect::stageAttrName))
      continue;
    if (!facts.vocabulary)
      facts.vocabulary = findFacts(other).vocabulary;
    other.erase();
  }
}

/// Compiles and prepares the function that this process runs in a round.
static LogicalResult prepareStage(const CommandLine &options,
                                  const Chips &chips, const StagePlace &place,
                                  int64_t round, Prepared &program) {
  Location loc = UnknownLoc::get(program.module->getContext());
  FailureOr<func::FuncOp> function =
      findFunction(*program.module, place.isSplit()
                                        ? place.getFunction(round)
                                        : StringRef(options.function));
  if (failed(function) || failed(addResultsOf(*function, options.resultsOf)))
    return failure();
  ModelFacts facts = findFacts(*function);
  if (place.isSplit())
    leaveOneStage(*program.module, *function, facts);
  std::string name = function->getName().str();
  if (options.records() || facts.hasOpenSizes)
    program.asRead = cast<ModuleOp>((*program.module)->clone());
  InputOptions given{{options.inputs.begin(), options.inputs.end()},
                     options.tokens,
                     options.promptFile,
                     {options.sizes.begin(), options.sizes.end()},
                     options.weights,
                     options.copyWeights,
                     options.seed,
                     options.samplingSeed,
                     options.steps};
  if (failed(checkRoomForWeights(*function, given)))
    return failure();
  Pieces pieces(GridAttr::ofModule(*function), chips.getNumber());
  FailureOr<std::unique_ptr<Executable>> executable = Executable::compile(
      *function, {options.optimize, options.records(), options.kernels,
                  options.threads, options.vectorBits});
  if (failed(executable))
    return failure();
  program.executable = std::move(*executable);
  func::FuncOp before = program.asRead
                            ? program.asRead->lookupSymbol<func::FuncOp>(name)
                            : nullptr;
  program.inputs.emplace(*program.executable, before, given, facts, pieces,
                         loc);
  if (failed(program.inputs->prepare()))
    return failure();
  if (!options.records())
    return success();
  FailureOr<Measurement> measurement = Measurement::prepare(
      before, program.inputs->getOpenSizes(), options.threads, chips.count());
  if (succeeded(measurement))
    program.measurement.emplace(std::move(*measurement));
  return measurement;
}

/// Reads, compiles and prepares a program. None of it needs the other chips.
static LogicalResult prepare(const CommandLine &options, const Chips &chips,
                             MLIRContext &context, PreparedProgram &program) {
  Location loc = UnknownLoc::get(&context);
  if (failed(options.check(loc)))
    return failure();
  if (chips.isFirst() && failed(checkProgramFile("llm-run", options.program)))
    return failure();
  ParserConfig config(&context);
  auto whole = parseSourceFile<ModuleOp>(options.program, config);
  if (!whole || failed(chips.check(*whole)))
    return failure();
  FailureOr<StagePlace> place = StagePlace::find(*whole, chips);
  if (failed(place))
    return failure();
  program.place = *place;
  if (place->isSplit() && failed(options.checkStages(loc)))
    return failure();
  if (chips.count() > 1 && !options.saveWeights.empty())
    return emitError(loc) << "'--save-weights' would write the pieces of one "
                             "chip; run the whole program for it";
  for (int64_t round = 0; round < place->countRounds(); ++round) {
    Prepared &stage = program.stages.emplace_back();
    stage.module = round + 1 < place->countRounds()
                       ? OwningOpRef<ModuleOp>(cast<ModuleOp>((*whole)->clone()))
                       : std::move(whole);
    if (failed(prepareStage(options, chips, *place, round, stage)))
      return failure();
  }
  return success();
}

/// Runs one step: the stages of this process, each on what the one before has
/// handed on. Returns the results of the last stage of all.
static FailureOr<std::vector<HostTensor>>
runStep(const CommandLine &options, const Chips &chips, bool isFirstStep,
        PreparedProgram &program, ArrayRef<HostTensor> before) {
  const StagePlace &place = *program.place;
  std::vector<HostTensor> results;
  for (auto [round, stage] : llvm::enumerate(program.stages)) {
    if (!isFirstStep && failed(stage.inputs->advance(stage.results, before)))
      return failure();
    if (place.isSplit())
      place.receive(stage.executable->getArguments(), chips,
                    stage.inputs->getValues());
    if (!options.measures())
      stage.results = stage.executable->run(stage.inputs->getValues());
    results = plainResults(*stage.executable, stage.results);
    if (place.isSplit())
      results = place.handOn(std::move(results), static_cast<int64_t>(round),
                             chips, /*toAll=*/options.steps > 1);
  }
  return results;
}

static LogicalResult run(CommandLine &options, MLIRContext &context) {
  Chips chips(&context);
  Location loc = UnknownLoc::get(&context);
  const bool records = options.records(), measures = options.measures();
  std::optional<InterruptNote> note;
  if (measures)
    note.emplace();
  PreparedProgram program;
  LogicalResult prepared = prepare(options, chips, context, program);
  if (!chips.haveAllSucceeded(succeeded(prepared)))
    return failure();
  if (measures)
    chips.warnOfFewCpus(options.threads, loc);
  if (!chips.isFirst())
    options.silence();
  Prepared &first = program.stages.front();
  Inputs &inputs = *first.inputs;
  Executable &executable = *first.executable;
  if (failed(saveWeights(options, inputs, loc)))
    return failure();
  if (records) {
    if (failed(measureRuns(options, executable, inputs, chips,
                           *first.measurement, loc, first.results)))
      return failure();
  } else if (measures) {
    first.results = timeRuns(options, executable, inputs, chips, loc);
  }
  std::vector<HostTensor> results;
  int64_t tokens = 0;
  auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < options.steps; ++step) {
    FailureOr<std::vector<HostTensor>> made =
        runStep(options, chips, /*isFirstStep=*/step == 0, program, results);
    if (failed(made))
      return failure();
    results = std::move(*made);
    if (options.hasPrompt() && !results.empty()) {
      printTokens(results.front(), options.out());
      tokens += results.front().getNumElements();
    }
  }
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  if (!results.empty()) {
    warnOfNonFinite(results, inputs, loc);
    if (failed(writeResults(options, results, loc)) ||
        failed(check(options, results.back(), loc)))
      return failure();
  }
  printWhatRan(options, inputs, results.size(), tokens,
               measures ? 0 : passed.count());
  return success();
}

/// Makes the C library keep freed memory for later ops and runs, as inference
/// engines keep it. Giving it back to the system costs more than the small ops
/// that write to it.
static void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int largest = 32 << 20; // more is refused
  (void)mallopt(M_MMAP_THRESHOLD, largest);
  (void)mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

int main(int argc, char **argv) {
  keepFreedMemory();
  // Only the hundreds of options of libLLVM are registered so far.
  cl::HideUnrelatedOptions(ArrayRef<const cl::OptionCategory *>());
  // LLVM has an option with the same name as one of ours.
  if (cl::Option *other = cl::getRegisteredOptions().lookup("threads"))
    other->removeArgument();
  CommandLine options;
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  parseCommandLine(argc, argv,
                   "llm-run: runs a program on this CPU\n\n"
                   "  llm-run model.mlir --weights=model --tokens=1,15043 "
                   "--steps=16 --threads=8\n"
                   "  llm-run block.mlir --warmup=1 --repeat=5 --compare\n",
                   "'llm-opt --help' passes and machines");
  DialectRegistry registry;
  llm::registerAllDialects(registry);
  registerExecution(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  ToolDiagnostics diagnostics("llm-run", &context);
  return failed(run(options, context));
}
