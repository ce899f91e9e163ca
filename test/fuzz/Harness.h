//===- Harness.h - What the fuzzing harnesses share -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A harness is a function of one text that comes back or ends the process. An
// ordinary build links all of them into llm-fuzz-replay, a build with
// LLM_FUZZERS makes one libFuzzer program of each.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_FUZZ_HARNESS_H
#define LLM_TEST_FUZZ_HARNESS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir::llm::fuzz {

/// IR text, through the parser and the passes of the first line.
void runPasses(StringRef text);
/// A config.json, up to the built and verified IR.
void runHfConfig(StringRef text);
/// A GGUF file, the same.
void runGguf(StringRef bytes);
/// A capture of ggml, up to the programs of its graphs.
void runCapture(StringRef bytes);
/// A trace that another tool recorded, of any format.
void runTrace(StringRef bytes);
/// A target file, JSON or CSV.
void runTarget(StringRef text);

/// Longer inputs only cost time. run.sh tells libFuzzer the same number.
inline constexpr size_t maxInputBytes = 32768;

/// Show the diagnostics that are swallowed otherwise.
extern bool isVerbose;

/// Whether what is written of this input is checked, too. That takes many times
/// as long as to read it: a fuzzer does it for one input of so many, chosen by
/// its bytes, and a replay for all.
bool isWrittenOut(StringRef bytes, unsigned oneOf);

/// Ends the process with `message` unless `isTrue`: what a fuzzer can see of a
/// wrong answer.
void require(bool isTrue, const Twine &message);

/// An input is an optional first line `// word word ...`, which says what to do
/// with the rest.
struct Input {
  explicit Input(StringRef text);
  /// The value of the word `key=value`, or an empty one.
  StringRef setting(StringRef key) const;

  SmallVector<StringRef> settings;
  StringRef body;
};

/// Swallows diagnostics while it lives and holds the compiler to its word: a
/// failure has an error with a place and a text, a success has none.
class DiagnosticJudge {
public:
  explicit DiagnosticJudge(MLIRContext *context);
  /// Call after each step with what it returned.
  void judge(LogicalResult result, StringRef step);
  /// The same for upstream's parser, which may go on behind an error (dlti.map
  /// without brackets): fails then, too.
  LogicalResult judgeParser(bool isParsed);
  /// The last error, once it was judged.
  StringRef lastError() const { return lastText; }
  /// The input spells some of its locations itself, `loc(unknown)` among them.
  void allowUnknownLocations() { mayBeUnknown = true; }

private:
  bool mayBeUnknown = false;
  int errors = 0;
  std::string complaint, lastText;
  ScopedDiagnosticHandler handler;
};

std::string print(ModuleOp module);
/// What `module` becomes when it is written and read again, which must succeed
/// and give the same text.
OwningOpRef<ModuleOp> writeAndRead(ModuleOp module, DiagnosticJudge &judge);

} // namespace mlir::llm::fuzz

/// Makes a libFuzzer program of a harness; `words` are what the mutator may
/// write beside what it finds in inputs.
#ifdef LLM_FUZZERS
#define LLM_FUZZ_TARGET(run, words)                                            \
  llvm::ArrayRef<llvm::StringRef> mlir::llm::fuzz::mutatorWords() {            \
    return words;                                                              \
  }                                                                            \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {    \
    run(llvm::StringRef(reinterpret_cast<const char *>(data), size));          \
    return 0;                                                                  \
  }
#else
#define LLM_FUZZ_TARGET(run, words)                                            \
  static_assert(std::size(words) > 0, "words for the mutator");
#endif

namespace mlir::llm::fuzz {
ArrayRef<StringRef> mutatorWords();
} // namespace mlir::llm::fuzz

#endif // LLM_TEST_FUZZ_HARNESS_H
