//===- CommandLine.h - What llm-run is asked --------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_COMMANDLINE_H
#define LLM_TOOLS_LLM_RUN_COMMANDLINE_H

#include "Measurement.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {
namespace cl = ::llvm::cl;

/// What is said on the command line.
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
  /// Fails if options are wrong in themselves, or beside each other.
  LogicalResult check(Location loc) const;
  /// Fails if something is asked that stages of a pipeline cannot do.
  LogicalResult checkStages(Location loc) const;

  /// Where is printed. Of several chips one prints and writes files.
  raw_ostream &out() const { return isSilent ? llvm::nulls() : llvm::outs(); }
  bool saysNothing() const { return isSilent; }
  void silence() {
    isSilent = true;
    for (cl::opt<std::string> *file : {&output, &saveWeights, &checkAgainst,
                                       &trace, &html, &measured, &measureOps})
      file->setValue("");
    compare = open = false;
  }

  Repetition repetition() const {
    return {warmup, repeat, caches == Caches::Cold};
  }

private:
  LogicalResult checkOutputs(Location loc) const;

  bool isSilent = false;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_COMMANDLINE_H
