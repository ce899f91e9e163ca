//===- Replay.cpp - Run harnesses on files --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llm-fuzz-replay [-v] passes|hf-config|target <file or folder>...
//
// Runs what a fuzzer found, in any build. Names each input before it runs, so
// that the last one named is the one that ended the process.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir::llm::fuzz;
namespace fs = llvm::sys::fs;

using Harness = void (*)(llvm::StringRef);

static Harness findHarness(llvm::StringRef name) {
  return llvm::StringSwitch<Harness>(name)
      .Case("passes", runPasses)
      .Case("hf-config", runHfConfig)
      .Case("target", runTarget)
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

int main(int argc, char **argv) {
  isVerbose = argc > 1 && llvm::StringRef(argv[1]) == "-v";
  argv += isVerbose;
  argc -= isVerbose;
  Harness harness = argc > 1 ? findHarness(argv[1]) : nullptr;
  if (!harness || argc < 3) {
    llvm::errs()
        << "usage: llm-fuzz-replay [-v] passes|hf-config|target <file or "
           "folder>...\n";
    return 1;
  }
  unsigned inputs = 0;
  for (const char *path : llvm::ArrayRef(argv + 2, argc - 2))
    for (const std::string &name : listInputs(path)) {
      auto file = llvm::MemoryBuffer::getFile(name);
      if (!file) {
        llvm::errs() << "llm-fuzz-replay: cannot read '" << name
                     << "': " << file.getError().message() << "\n";
        return 1;
      }
      llvm::errs() << name << "\n";
      harness((*file)->getBuffer());
      ++inputs;
    }
  if (inputs == 0) {
    llvm::errs() << "llm-fuzz-replay: no inputs\n";
    return 1;
  }
  llvm::outs() << inputs << " inputs\n";
  return 0;
}
