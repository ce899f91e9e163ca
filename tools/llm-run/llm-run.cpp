//===- llm-run.cpp - Runs programs on this CPU ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Measurement.h"
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

#include <limits>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  // --help is sorted by these names.
  cl::OptionCategory inputsTopic{"Inputs and weights"};
  cl::OptionCategory measuring{"Measuring, beside the prediction"};
  cl::OptionCategory running{"Program and threads"};
  cl::OptionCategory resultsTopic{"Results"};

  cl::opt<std::string> program{cl::Positional, cl::init("-"),
                               cl::desc("<program.mlir>")};
  cl::opt<std::string> function{
      "function", cl::cat(running), cl::value_desc("name"),
      cl::desc("Function to run (default: the only one)")};
  cl::list<std::string> inputs{
      "input", cl::cat(inputsTopic), cl::value_desc("file.npy"),
      cl::desc("Argument of the function, in order (default: random)")};
  cl::opt<std::string> tokens{
      "tokens", cl::cat(inputsTopic), cl::value_desc("1,2,3"),
      cl::desc("Tokens of the prompt, for a whole model")};
  cl::opt<std::string> promptFile{
      "prompt-file", cl::cat(inputsTopic), cl::value_desc("file"),
      cl::desc("Read the tokens of the prompt from a file")};
  cl::opt<int64_t> steps{
      "steps", cl::cat(running), cl::init(1), cl::value_desc("N"),
      cl::desc("Tokens to generate, if seq and kv-len are open (default: 1)")};
  cl::list<std::string> sizes{
      "size", cl::cat(inputsTopic), cl::CommaSeparated,
      cl::value_desc("name=N"),
      cl::desc("Value of an open size, such as kv_len=8")};
  cl::opt<std::string> weights{
      "weights", cl::cat(inputsTopic), cl::value_desc("path"),
      cl::desc("A GGUF file, safetensors, their index, or their folder")};
  cl::opt<bool> copyWeights{
      "copy-weights", cl::cat(inputsTopic),
      cl::desc("Copy weights to large pages: faster, takes more memory")};
  cl::opt<uint64_t> seed{
      "random-weights", cl::cat(inputsTopic), cl::init(1), cl::value_desc("N"),
      cl::desc("Seed of random weights and inputs (default: 1)")};
  cl::opt<uint64_t> samplingSeed{
      "sampling-seed", cl::cat(inputsTopic), cl::init(1), cl::value_desc("N"),
      cl::desc("Seed of 'llm.sample categorical' (default: 1)")};
  cl::opt<std::string> saveWeights{
      "save-weights", cl::cat(resultsTopic), cl::value_desc("file.safetensors"),
      cl::desc("Write the weights that were used")};
  cl::opt<std::string> resultsOf{
      "results-of", cl::cat(resultsTopic), cl::value_desc("name"),
      cl::desc("Add the results of this op to those of the function")};
  cl::opt<bool> optimize{
      "optimize", cl::init(true), cl::Hidden,
      cl::desc("=false: compile faster, and get slower code")};
  cl::opt<std::string> output{
      "output", cl::cat(resultsTopic), cl::value_desc("file"),
      cl::desc("Write the last result (.npy), or all (.safetensors)")};
  cl::opt<std::string> checkAgainst{
      "check-against", cl::cat(resultsTopic), cl::value_desc("file.npy"),
      cl::desc("Fail if the last result differs from this one")};
  cl::opt<double> tolerance{
      "tolerance", cl::cat(resultsTopic), cl::init(1e-5),
      cl::value_desc("number"),
      cl::desc("Largest difference over the largest value (default: 1e-5)")};
  cl::opt<Kernels> kernels{
      "kernels", cl::cat(running), cl::init(Kernels::Generated),
      cl::desc("Code that ops become"),
      cl::values(clEnumValN(Kernels::Generated, "generated",
                            "loops over several sums at once (default)"),
                 clEnumValN(Kernels::Reference, "reference",
                            "plain loops, which define the result"),
                 clEnumValN(Kernels::OneDnn, "onednn",
                            "generated, with matmuls by oneDNN"))};
  cl::opt<unsigned> threads{"threads", cl::cat(running), cl::init(1),
                            cl::value_desc("N"),
                            cl::desc("Threads that run it (default: 1)")};
  cl::opt<unsigned> vectorBits{
      "vectors", cl::cat(running), cl::init(0), cl::value_desc("bits"),
      cl::desc("Bits of a vector, 128, 256 or 512 (default: the CPU's)")};
  cl::opt<bool> compare{
      "compare", cl::cat(measuring),
      cl::desc("Print the time of each op beside the prediction")};
  cl::opt<std::string> measured{
      "measured", cl::cat(measuring), cl::value_desc("file.mlir"),
      cl::desc("Write the program with measured slots, for llm-opt")};
  cl::opt<std::string> measureOps{
      "measure-ops", cl::cat(measuring), cl::value_desc("file.csv"),
      cl::desc("Write the time of each op as rows for llm-prof")};
  cl::opt<std::string> trace{
      "trace", cl::cat(measuring), cl::value_desc("file"),
      cl::desc("Write run and prediction for ui.perfetto.dev (.json, "
               ".pftrace, either with .gz)")};
  cl::opt<std::string> html{
      "html", cl::cat(measuring), cl::value_desc("file.html"),
      cl::desc("Write run and prediction as a page for a browser")};
  cl::opt<bool> open{
      "open", cl::cat(measuring),
      cl::desc("Show in a browser what --html or --trace wrote")};
  cl::opt<bool> counters{"counters", cl::cat(measuring),
                         cl::desc("Add CPU counters of each op to --trace")};
  cl::opt<int64_t> repeat{
      "repeat", cl::cat(measuring), cl::init(1), cl::value_desc("N"),
      cl::desc("Measured runs, of which the median counts (default: 1)")};
  cl::opt<int64_t> warmup{"warmup", cl::cat(measuring), cl::init(0),
                          cl::value_desc("N"),
                          cl::desc("Runs before them (default: 0)")};
  enum class Caches { Cold, Warm };
  cl::opt<Caches> caches{
      "caches", cl::cat(measuring), cl::init(Caches::Cold),
      cl::desc("What measured runs find in the caches:"),
      cl::values(clEnumValN(Caches::Cold, "cold", "other data (default)"),
                 clEnumValN(Caches::Warm, "warm", "data of the run before"))};

  bool hasPrompt() const { return !tokens.empty() || !promptFile.empty(); }
  /// Whether the times of ops are asked for.
  bool records() const {
    return compare || !measured.empty() || !measureOps.empty() ||
           !trace.empty() || !html.empty();
  }
  /// Whether the time of a whole run is asked for.
  bool measures() const {
    return records() || repeat.getNumOccurrences() ||
           warmup.getNumOccurrences() || caches.getNumOccurrences();
  }
  Repetition repetition() const {
    return {warmup, repeat, caches == Caches::Cold};
  }
};
} // namespace

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
    llvm::outs() << "agrees: largest difference "
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

static void printTokens(const HostTensor &tokens) {
  llvm::outs() << "tokens:";
  for (int64_t i = 0; i < tokens.getNumElements(); ++i)
    llvm::outs() << " " << static_cast<int64_t>(tokens.get(i));
  llvm::outs() << "\n";
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

/// Checks that each file can be written, and that no two are the same.
static LogicalResult checkOutputs(const CommandLine &options, Location loc) {
  llvm::StringMap<StringRef> optionOf;
  for (const cl::opt<std::string> *each :
       {&options.output, &options.saveWeights, &options.trace, &options.html,
        &options.measured, &options.measureOps}) {
    StringRef path = *each;
    if (path.empty())
      continue;
    if (llvm::Error error = checkOutputFile(path))
      return emitError(loc) << "'--" << each->ArgStr
                            << "': " << llvm::toString(std::move(error));
    std::string fault =
        each == &options.trace ? findFaultOfTraceName(path) : "";
    if (!fault.empty())
      return emitError(loc)
             << "'--trace': " << fault << ", got '" << path << "'";
    auto [known, isNew] = optionOf.try_emplace(path, each->ArgStr);
    if (!isNew)
      return emitError(loc)
             << "'--" << known->second << "' and '--" << each->ArgStr
             << "' both name '" << path << "'; give each a file of its own";
  }
  return success();
}

/// Checks what can be checked before anything is compiled.
static LogicalResult checkOptions(const CommandLine &options, Location loc) {
  StringRef output = options.output;
  if (!output.empty() && !output.ends_with(".npy") &&
      !output.ends_with(".safetensors"))
    return emitError(loc) << "'--output' must be a *.npy or *.safetensors "
                             "file, got '"
                          << output << "'";
  if (options.steps < 1)
    return emitError(loc) << "'--steps' must be 1 or more, got "
                          << options.steps.getValue();
  if (!options.tokens.empty() && !options.promptFile.empty())
    return emitError(loc) << "the prompt is said twice, by '--tokens' and by "
                             "'--prompt-file'";
  if (std::string fault = findPageFault(options.html); !fault.empty())
    return emitError(loc) << "'--html': " << fault;
  if (options.open && options.html.empty() && options.trace.empty())
    return emitError(loc) << "'--open' shows what '--html' or '--trace' "
                             "writes, and neither is given";
  if (options.counters && options.trace.empty())
    return emitError(loc) << "what '--counters' counts stands in a trace; say "
                             "where to write it: '--trace=FILE'";
  if (options.copyWeights && options.weights.empty())
    return emitError(loc) << "'--copy-weights' copies those of a file; say "
                             "which: '--weights=PATH'";
  constexpr unsigned mostThreads = 4096; // of OpenMP's runtime, too
  if (options.threads < 1 || options.threads > mostThreads)
    return emitError(loc) << "'--threads' must be in [1, " << mostThreads
                          << "], got " << options.threads.getValue();
  if (!llvm::is_contained({0, 128, 256, 512}, options.vectorBits))
    return emitError(loc) << "'--vectors' must be 128, 256 or 512, got "
                          << options.vectorBits.getValue();
  if (options.repeat < 1 || options.warmup < 0)
    return emitError(loc) << "'--repeat' must be 1 or more and '--warmup' 0 or "
                             "more, got "
                          << options.repeat.getValue() << " and "
                          << options.warmup.getValue();
  if (options.measures() && options.steps > 1)
    return emitError(loc) << "what is measured is one step, which is run "
                             "'--repeat' times; got '--steps="
                          << options.steps.getValue() << "'";
  return checkOutputs(options, loc);
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
  llvm::outs() << "It ran on " << options.threads
               << (options.threads == 1 ? " thread" : " threads")
               << " with vectors of " << vectors.bits << " bits"
               << (vectors.addsPairsOfBf16 ? " and AVX512-BF16" : "")
               << llvm::format(", compiled in %.2f s (%.2f s of CPU).\n",
                               executable.getCompileSeconds(),
                               executable.getCompileCpuSeconds());
}

static LogicalResult report(const CommandLine &options,
                            const Executable &executable,
                            Measurement &measurement, Location loc) {
  if (failed(measurement.finish()))
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
  writeComparisonTable(comparison, llvm::outs());
  llvm::outs() << llvm::format("The median run took %.3f us, %.3f us of it "
                               "between ops.\n",
                               measurement.getWallMicroseconds(),
                               measurement.getBetweenMicroseconds());
  printChoices(options, executable);
  return success();
}

/// Measures the ops of some runs. `results` gets those of the last run.
static LogicalResult measureRuns(const CommandLine &options,
                                 Executable &executable, const Inputs &inputs,
                                 Measurement &measurement, Location loc,
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
      executable, inputs.getValues(), options.repetition(),
      [&](double) { measurement.add(executable.takeRecordedRuns()); });
  executable.count(nullptr);
  return report(options, executable, measurement, loc);
}

/// Times runs in which nothing is recorded, and returns the last results.
static std::vector<HostTensor> timeRuns(const CommandLine &options,
                                        const Executable &executable,
                                        const Inputs &inputs) {
  std::vector<double> microseconds;
  std::vector<HostTensor> results =
      runRepeatedly(executable, inputs.getValues(), options.repetition(),
                    [&](double passed) { microseconds.push_back(passed); });
  size_t count = microseconds.size();
  llvm::outs() << "The median of " << count << (count == 1 ? " run" : " runs")
               << llvm::format(" took %.3f us.\n",
                               takeMedian(std::move(microseconds)));
  printChoices(options, executable);
  return results;
}

static LogicalResult run(const CommandLine &options, MLIRContext &context) {
  Location loc = UnknownLoc::get(&context);
  if (failed(checkOptions(options, loc)))
    return failure();
  std::optional<InterruptNote> note;
  if (options.measures())
    note.emplace();
  if (failed(checkProgramFile("llm-run", options.program)))
    return failure();
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.program, config);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findFunction(*module, options.function);
  if (failed(function) || failed(addResultsOf(*function, options.resultsOf)))
    return failure();
  ModelFacts facts = findFacts(*function);
  std::string name = function->getName().str();
  OwningOpRef<ModuleOp> asRead; // compiling changes the other one
  if (options.records() || facts.hasOpenSizes)
    asRead = cast<ModuleOp>((*module)->clone());
  FailureOr<std::unique_ptr<Executable>> executable = Executable::compile(
      *function, {options.optimize, options.records(), options.kernels,
                  options.threads, options.vectorBits});
  if (failed(executable))
    return failure();
  InputOptions given{{options.inputs.begin(), options.inputs.end()},
                     options.tokens,
                     options.promptFile,
                     {options.sizes.begin(), options.sizes.end()},
                     options.weights,
                     options.copyWeights,
                     options.seed,
                     options.samplingSeed,
                     options.steps};
  func::FuncOp before =
      asRead ? asRead->lookupSymbol<func::FuncOp>(name) : nullptr;
  Inputs inputs(**executable, before, given, facts, loc);
  if (failed(inputs.prepare()) || failed(saveWeights(options, inputs, loc)))
    return failure();
  std::vector<HostTensor> all, results;
  if (options.records()) {
    FailureOr<Measurement> measurement =
        Measurement::prepare(before, inputs.getOpenSizes(), options.threads);
    if (failed(measurement) || failed(measureRuns(options, **executable, inputs,
                                                  *measurement, loc, all)))
      return failure();
  } else if (options.measures()) {
    all = timeRuns(options, **executable, inputs);
  }
  for (int64_t step = 0; step < options.steps; ++step) {
    if (step && failed(inputs.advance(all)))
      return failure();
    if (!options.measures())
      all = (*executable)->run(inputs.getValues());
    results = plainResults(**executable, all);
    if (options.hasPrompt() && !results.empty())
      printTokens(results.front());
  }
  if (results.empty())
    return success();
  warnOfNonFinite(results, inputs, loc);
  return success(succeeded(writeResults(options, results, loc)) &&
                 succeeded(check(options, results.back(), loc)));
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
