//===- Replay.cpp - Run harnesses on files --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs what a fuzzer found, in any build. Names each input before it runs, so
// that the last one named is the one that ended the process. -mutants gives
// each input some relatives, always the same ones; -v shows them, and
// diagnostics.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Mutator.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir::llm::fuzz;
namespace fs = llvm::sys::fs;

static constexpr llvm::StringLiteral usage =
    "usage: llm-fuzz-replay [-v] [-mutants=<number>] "
    "passes|hf-config|gguf|target|trace|capture "
    "<file or folder>...";

using Harness = void (*)(llvm::StringRef);

static Harness findHarness(llvm::StringRef name) {
  return llvm::StringSwitch<Harness>(name)
      .Case("passes", runPasses)
      .Case("hf-config", runHfConfig)
      .Case("gguf", runGguf)
      .Case("target", runTarget)
      .Case("trace", runTrace)
      .Case("capture", runCapture)
      .Default(nullptr);
}

/// The file itself, or the files of a folder, sorted: a crash must not depend
/// on the file system.
static std::vector<std::string> listInputs(llvm::StringRef path) {
  if (!fs::is_directory(path))
    return {path.str()};
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error))
    files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

namespace {
/// The inputs of one command line, one after the other.
class Replay {
public:
  Replay(Harness harness, unsigned mutants)
      : harness(harness), mutants(mutants) {}
  /// Whether the file could be read.
  bool run(const std::string &name);
  unsigned inputs = 0;

private:
  Harness harness;
  unsigned mutants;
  std::string previous; ///< input, of which mutants take pieces
};
} // namespace

bool Replay::run(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(name);
  if (!file) {
    llvm::errs() << "llm-fuzz-replay: cannot read '" << name
                 << "': " << file.getError().message() << "\n";
    return false;
  }
  std::string text = (*file)->getBuffer().str();
  llvm::errs() << name << "\n";
  harness(text);
  static constexpr llvm::StringRef words[] = {"0", "tile", "null"};
  for (unsigned seed = 1; seed <= mutants; ++seed) {
    std::string mutant = Mutator(text, previous, words, seed).mutate();
    llvm::errs() << name << ", mutant " << seed << "\n";
    if (isVerbose)
      llvm::errs() << mutant << "\n";
    harness(mutant);
  }
  previous = text;
  ++inputs;
  return true;
}

static int fail(llvm::StringRef message) {
  llvm::errs() << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::ArrayRef<const char *> arguments(argv + 1, argc - 1);
  unsigned mutants = 0;
  for (; !arguments.empty() && arguments.front()[0] == '-';
       arguments = arguments.drop_front()) {
    llvm::StringRef option = arguments.front();
    if (option == "-v")
      isVerbose = true;
    else if (!option.consume_front("-mutants=") ||
             option.getAsInteger(10, mutants))
      return fail(usage);
  }
  Harness harness = arguments.empty() ? nullptr : findHarness(arguments[0]);
  if (!harness || arguments.size() < 2)
    return fail(usage);
  Replay replay(harness, mutants);
  for (const char *path : arguments.drop_front())
    for (const std::string &name : listInputs(path))
      if (!replay.run(name))
        return 1;
  if (replay.inputs == 0)
    return fail("llm-fuzz-replay: no inputs");
  llvm::outs() << replay.inputs << " inputs\n";
  return 0;
}
