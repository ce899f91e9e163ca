//===- Harness.cpp - What the fuzzing harnesses share ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>

/// As in test/lit.cfg.py: libMLIR.so keeps its registries until the process
/// ends, and allocates from slabs that our instrumented templates poisoned.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:allow_user_poisoning=0";
}

namespace mlir::llm::fuzz {

bool isWrittenOut(StringRef bytes, unsigned oneOf) {
#ifdef LLM_FUZZERS
  return ::llvm::xxh3_64bits(bytes) % oneOf == 0;
#else
  return true;
#endif
}

void require(bool isTrue, const Twine &message) {
  if (isTrue)
    return;
  ::llvm::errs() << "fuzz: " << message << "\n";
  std::abort();
}

Input::Input(StringRef text) : body(text) {
  if (!text.starts_with("//"))
    return;
  StringRef line = text.split('\n').first;
  body = text.drop_front(std::min(line.size() + 1, text.size()));
  line.drop_front(2).split(settings, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
}

StringRef Input::setting(StringRef key) const {
  for (StringRef word : settings)
    if (word.consume_front(key) && word.consume_front("="))
      return word;
  return {};
}

bool isVerbose = false;

/// Upstream prints all of the op that ends such a block.
static bool isOfUpstream(StringRef text) {
  return text.starts_with("block with no terminator, has ");
}

DiagnosticJudge::DiagnosticJudge(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        // Printing is part of what may crash.
        std::string text = diagnostic.str();
        if (isVerbose)
          ::llvm::errs() << diagnostic.getLocation() << ": " << text << "\n";
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        ++errors;
        lastText = text;
        if (text.empty())
          complaint = "an error without a text";
        else if (!mayBeUnknown && isa<UnknownLoc>(diagnostic.getLocation()))
          complaint = "an error without a place: " + text;
        else if (complaint.empty() && text.size() > 10000 &&
                 !isOfUpstream(text))
          complaint = "an error of " + std::to_string(text.size()) + " bytes";
        return success();
      }) {}

void DiagnosticJudge::judge(LogicalResult result, StringRef step) {
  require(complaint.empty(), step + ": " + complaint);
  if (failed(result))
    require(errors > 0, step + ": failed without an error");
  else
    require(errors == 0, step + ": succeeded with an error");
  errors = 0;
}

LogicalResult DiagnosticJudge::judgeParser(bool isParsed) {
  LogicalResult result = success(isParsed && errors == 0);
  judge(result, "parsing");
  return result;
}

std::string print(ModuleOp module) {
  std::string text;
  ::llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

OwningOpRef<ModuleOp> writeAndRead(ModuleOp module, DiagnosticJudge &judge) {
  std::string text = print(module);
  auto again = parseSourceString<ModuleOp>(text, module.getContext());
  judge.judge(success(bool(again)), "reading what was written");
  require(bool(again), "what was written cannot be read:\n" + text);
  std::string second = print(*again);
  require(text == second, "what was written is read as something else:\n" +
                              text + "\nis not\n" + second);
  return again;
}

} // namespace mlir::llm::fuzz
