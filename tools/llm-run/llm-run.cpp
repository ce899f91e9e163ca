//===- llm-run.cpp - Runs programs on this CPU ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "CommandLine.h"
#include "Measuring.h"
#include "PreparedProgram.h"
#include "llm/Console/Interrupts.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Execution/Npy.h"
#include "llm/InitAll/InitAll.h"
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

static LogicalResult writeResults(const CommandLine &options,
                                  ArrayRef<HostTensor> results, Location loc) {
  bool isNpy = StringRef(options.output).ends_with(".npy");
  std::map<std::string, HostTensor> named;
  for (auto [i, result] : llvm::enumerate(results))
    named["result" + std::to_string(i)] = result;
  return writeFile(options.output, loc, [&](raw_ostream &os) {
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
  return writeFile(options.saveWeights, loc, [&](raw_ostream &os) {
    writeSafetensors(inputs.getWeights(), os, inputs.hasInterleavedRows());
  });
}

static void printTokens(const HostTensor &tokens, raw_ostream &os) {
  os << "tokens:";
  for (int64_t i = 0; i < tokens.getNumElements(); ++i)
    os << " " << static_cast<int64_t>(tokens.get(i));
  os << "\n";
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

/// Says what a run did whose time was not asked for (`seconds` is 0 if it was),
/// and that weights were made at random. Standard output has what is the same
/// in each run.
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
  FailureOr<func::FuncOp> function = findFunction(
      *program.module,
      place.isSplit() ? place.getFunction(round) : StringRef(options.function));
  if (failed(function) || failed(addResultsOf(*function, options.resultsOf)))
    return failure();
  ModelFacts facts = findFacts(*function);
  if (place.isSplit())
    leaveOneStage(*program.module, *function, facts);
  std::string name = function->getName().str();
  if (facts.hasOpenSizes)
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
  return program.inputs->prepare();
}

/// Predicts the functions of all stages, as they were read.
static LogicalResult prepareMeasurements(const CommandLine &options,
                                         const Chips &chips, ModuleOp asRead,
                                         PreparedProgram &program) {
  const StagePlace &place = *program.place;
  for (int64_t stage = 0; stage < place.countStages(); ++stage) {
    OwningOpRef<ModuleOp> module(cast<ModuleOp>(asRead->clone()));
    FailureOr<func::FuncOp> function =
        findFunction(*module, place.isSplit() ? place.getFunctionOf(stage)
                                              : StringRef(options.function));
    if (failed(function))
      return failure();
    ModelFacts facts;
    if (place.isSplit()) {
      leaveOneStage(*module, *function, facts);
      // It is predicted alone, without the microbatches of a pipeline.
      (*function)->removeAttr(LlmDialect::stageAttrName);
    }
    FailureOr<Measurement> measurement = Measurement::prepare(
        *function, program.stages.front().inputs->getOpenSizes(),
        options.threads, chips.count());
    if (failed(measurement))
      return failure();
    program.measurements.push_back(std::move(*measurement));
  }
  return success();
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
  program.recordsOps = options.records();
  if (place->isSplit() && failed(options.checkStages(loc)))
    return failure();
  if (chips.count() > 1 && !options.saveWeights.empty())
    return emitError(loc) << "'--save-weights' would write the pieces of one "
                             "chip; run the whole program for it";
  OwningOpRef<ModuleOp> asRead;
  if (options.records() && chips.isFirst())
    asRead = cast<ModuleOp>((*whole)->clone());
  for (int64_t round = 0; round < place->countRounds(); ++round) {
    Prepared &stage = program.stages.emplace_back();
    stage.module =
        round + 1 < place->countRounds()
            ? OwningOpRef<ModuleOp>(cast<ModuleOp>((*whole)->clone()))
            : std::move(whole);
    if (failed(prepareStage(options, chips, *place, round, stage)))
      return failure();
  }
  return asRead ? prepareMeasurements(options, chips, *asRead, program)
                : success();
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

std::vector<HostTensor> llm::runStages(PreparedProgram &program,
                                       const Chips &chips, bool toAll) {
  const StagePlace &place = *program.place;
  std::vector<HostTensor> results;
  for (auto [round, stage] : llvm::enumerate(program.stages)) {
    if (place.isSplit())
      place.receive(stage.executable->getArguments(), chips,
                    stage.inputs->getValues());
    stage.results = stage.executable->run(stage.inputs->getValues());
    results = plainResults(*stage.executable, stage.results);
    if (place.isSplit())
      results = place.handOn(std::move(results), static_cast<int64_t>(round),
                             chips, toAll);
  }
  return results;
}

/// Runs all steps, prints and counts their tokens, and returns the results of
/// the last one.
static FailureOr<std::vector<HostTensor>> runSteps(const CommandLine &options,
                                                   const Chips &chips,
                                                   PreparedProgram &program,
                                                   int64_t &tokens) {
  std::vector<HostTensor> results;
  for (int64_t step = 0; step < options.steps; ++step) {
    for (Prepared &stage : program.stages)
      if (step > 0 && failed(stage.inputs->advance(stage.results, results)))
        return failure();
    results = runStages(program, chips, /*toAll=*/options.steps > 1);
    if (options.hasPrompt() && !results.empty()) {
      printTokens(results.front(), options.out());
      tokens += results.front().getNumElements();
    }
  }
  return results;
}

static LogicalResult run(CommandLine &options, MLIRContext &context) {
  Chips chips(&context);
  Location loc = UnknownLoc::get(&context);
  const bool measures = options.measures();
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
  const Inputs &inputs = *program.stages.front().inputs;
  if (failed(saveWeights(options, inputs, loc)))
    return failure();
  int64_t tokens = 0;
  auto start = std::chrono::steady_clock::now();
  FailureOr<std::vector<HostTensor>> made =
      measures ? measureProgram(options, chips, program, loc)
               : runSteps(options, chips, program, tokens);
  if (failed(made))
    return failure();
  const std::vector<HostTensor> &results = *made;
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  if (measures && options.hasPrompt() && !results.empty())
    printTokens(results.front(), options.out());
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
