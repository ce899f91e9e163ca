//===- llm-run.cpp - Runs programs on this CPU ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Execution/Npy.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::opt<std::string> program{cl::Positional, cl::init("-"),
                               cl::desc("<program.mlir>")};
  cl::opt<std::string> function{
      "function", cl::desc("Function to run (default: the only one)"),
      cl::value_desc("name")};
  cl::list<std::string> inputs{
      "input", cl::value_desc("file.npy"),
      cl::desc("An argument of the function, in order; random without")};
  cl::opt<std::string> tokens{
      "tokens", cl::value_desc("1,2,3"),
      cl::desc("Tokens of the prompt, the argument of a whole model")};
  cl::opt<int64_t> steps{
      "steps", cl::init(1), cl::value_desc("N"),
      cl::desc("Times to run; each takes the token that the one before gave, "
               "and its cache (a model with open seq and kv-len)")};
  cl::list<std::string> sizes{
      "size", cl::CommaSeparated, cl::value_desc("name=N"),
      cl::desc("An open size of the program, such as kv_len=8")};
  cl::opt<std::string> weights{
      "weights", cl::value_desc("path"),
      cl::desc("Weights by name: *.safetensors, an index, or their folder")};
  cl::opt<uint64_t> seed{"random-weights", cl::init(1), cl::value_desc("seed"),
                         cl::desc("Of random weights, and of inputs")};
  cl::opt<std::string> saveWeights{
      "save-weights", cl::value_desc("file.safetensors"),
      cl::desc("Write the weights that were used")};
  cl::opt<std::string> resultsOf{
      "results-of", cl::value_desc("name"),
      cl::desc("Give the results of this op, too, behind the function's")};
  cl::opt<std::string> output{
      "output", cl::value_desc("file"),
      cl::desc("Results: *.npy, the last one; *.safetensors, all as result0, "
               "result1, ..")};
  cl::opt<std::string> checkAgainst{
      "check-against", cl::value_desc("file.npy"),
      cl::desc("Fail where the last result differs from this one")};
  cl::opt<double> tolerance{
      "tolerance", cl::init(1e-5), cl::value_desc("number"),
      cl::desc("Largest difference, of the largest magnitude that is expected "
               "(default: 1e-5)")};
};
} // namespace

static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        (name.empty() ? function.isPublic() : function.getName() == name))
      functions.push_back(function);
  if (functions.size() == 1)
    return functions.front();
  if (!name.empty())
    return module.emitError() << "there is no function '" << name
                              << "' with a body; see '--function'";
  return module.emitError() << "there are " << functions.size()
                            << " public functions; say which one to run: "
                               "--function=NAME";
}

/// The results of the op of that name as results of the function.
static LogicalResult addResultsOf(func::FuncOp function, StringRef name) {
  if (name.empty())
    return success();
  Operation *found = nullptr;
  for (Operation &op : function.front())
    if (auto opName = op.getAttrOfType<StringAttr>("name");
        opName && opName.getValue() == name && op.getNumResults())
      found = &op;
  if (!found)
    return function.emitError()
           << "has no op '" << name
           << "' outside of its loops, of which '--results-of' could give the "
              "results";
  Operation *end = function.front().getTerminator();
  for (Value result : found->getResults()) {
    (void)function.insertResult(function.getNumResults(), result.getType(), {});
    end->insertOperands(end->getNumOperands(), result);
  }
  return success();
}

static LogicalResult writeResults(const CommandLine &options,
                                  ArrayRef<HostTensor> results, Location loc) {
  if (options.output.empty())
    return success();
  bool isNpy = StringRef(options.output).ends_with(".npy");
  std::map<std::string, HostTensor> named;
  for (auto [i, result] : llvm::enumerate(results))
    named["result" + std::to_string(i)] = result;
  llvm::Error error = writeOutputFile(options.output, [&](raw_ostream &os) {
    if (isNpy)
      writeNpy(results.back(), os);
    else
      writeSafetensors(named, os);
  });
  if (error)
    return emitError(loc) << llvm::toString(std::move(error));
  return success();
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
  if (options.saveWeights.empty())
    return success();
  llvm::Error error =
      writeOutputFile(options.saveWeights, [&](raw_ostream &os) {
        writeSafetensors(inputs.getWeights(), os);
      });
  if (error)
    return emitError(loc) << llvm::toString(std::move(error));
  return success();
}

static void printTokens(const HostTensor &tokens) {
  llvm::outs() << "tokens:";
  for (int64_t i = 0; i < tokens.getNumElements(); ++i)
    llvm::outs() << " " << static_cast<int64_t>(tokens.get(i));
  llvm::outs() << "\n";
}

/// Those of the function, without the states of caches.
static std::vector<HostTensor> plainResults(const Executable &executable,
                                            ArrayRef<HostTensor> all) {
  std::vector<HostTensor> plain;
  for (auto [result, tensor] : llvm::zip_equal(executable.getResults(), all))
    if (result.source.empty())
      plain.push_back(tensor);
  return plain;
}

/// What can be said before anything is compiled.
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
  return success();
}

static LogicalResult run(const CommandLine &options, MLIRContext &context) {
  Location loc = UnknownLoc::get(&context);
  if (failed(checkOptions(options, loc)))
    return failure();
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.program, config);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findFunction(*module, options.function);
  if (failed(function) || failed(addResultsOf(*function, options.resultsOf)))
    return failure();
  std::optional<int64_t> vocabulary = findVocabulary(*function);
  FailureOr<std::unique_ptr<Executable>> executable =
      Executable::compile(*function);
  if (failed(executable))
    return failure();
  InputOptions given{{options.inputs.begin(), options.inputs.end()},
                     options.tokens,
                     {options.sizes.begin(), options.sizes.end()},
                     options.weights,
                     options.seed,
                     options.steps};
  Inputs inputs(**executable, given, vocabulary, loc);
  if (failed(inputs.prepare()) || failed(saveWeights(options, inputs, loc)))
    return failure();
  std::vector<HostTensor> all, results;
  for (int64_t step = 0; step < options.steps; ++step) {
    if (step && failed(inputs.advance(all)))
      return failure();
    FailureOr<std::vector<HostTensor>> got =
        (*executable)->run(inputs.getValues());
    if (failed(got))
      return failure();
    all = std::move(*got);
    results = plainResults(**executable, all);
    if (!options.tokens.empty() && !results.empty())
      printTokens(results.front());
  }
  if (results.empty())
    return success();
  return success(succeeded(writeResults(options, results, loc)) &&
                 succeeded(check(options, results.back(), loc)));
}

int main(int argc, char **argv) {
  // What is there so far are the hundreds of options of libLLVM.
  cl::HideUnrelatedOptions(ArrayRef<const cl::OptionCategory *>());
  CommandLine options;
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  cl::ParseCommandLineOptions(argc, argv,
                              "llm-run: runs a program on this CPU\n");
  DialectRegistry registry;
  llm::registerAllDialects(registry);
  registerExecution(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  ToolDiagnostics diagnostics("llm-run", &context);
  return failed(run(options, context));
}
