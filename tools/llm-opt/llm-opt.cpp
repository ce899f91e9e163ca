//===- llm-opt.cpp - The optimizer driver ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/InitAll/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

/// How many exports the pass options in `argument` send to standard output.
static size_t countStdoutExports(StringRef argument) {
  size_t exports = 0;
  if (!argument.contains("llm-export-"))
    return exports;
  constexpr StringLiteral option = "file=-";
  for (size_t at = argument.find(option); at != StringRef::npos;
       at = argument.find(option, at + 1)) {
    StringRef rest = argument.drop_front(at + option.size());
    exports += rest.empty() || rest.front() == ' ' || rest.front() == '}';
  }
  return exports;
}

/// The file that the IR goes to, as the last `-o` has it.
static StringRef outputOf(ArrayRef<const char *> arguments) {
  StringRef output = "-";
  for (auto [index, text] : llvm::enumerate(arguments)) {
    StringRef argument = text;
    if (!argument.consume_front("--o") && !argument.consume_front("-o"))
      continue;
    if (argument.empty() && index + 1 < arguments.size())
      output = arguments[index + 1];
    else if (argument.consume_front("="))
      output = argument;
  }
  return output;
}

/// Two texts in one stream are of no use to anyone; only the tool sees that it
/// happens.
static bool mixesOutputs(ArrayRef<const char *> arguments) {
  size_t exports = 0;
  for (const char *argument : arguments)
    exports += countStdoutExports(argument);
  return exports > 1 || (exports == 1 && outputOf(arguments) == "-");
}

int main(int argc, char **argv) {
  if (mixesOutputs(ArrayRef<const char *>(argv, argc).drop_front())) {
    llvm::errs()
        << "llm-opt: file=- sends an export to standard output, where the IR "
           "or "
           "another export goes too; write the IR elsewhere (-o file, -o "
           "/dev/null), or give the export a file\n";
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  llm::registerAllDialects(registry);
  registerAllPasses();
  llm::registerAllPasses();
  return asMainReturnCode(MlirOptMain(
      argc, argv, "llm-opt: tiles, costs and schedules of LLM blocks\n",
      registry));
}
