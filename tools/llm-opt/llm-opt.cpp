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

/// Whether a pass option in `argument` sends an export to standard output.
static bool exportsToStdout(StringRef argument) {
  size_t at = argument.contains("llm-export-") ? argument.find("file=-")
                                               : StringRef::npos;
  if (at == StringRef::npos)
    return false;
  StringRef rest = argument.substr(at + StringRef("file=-").size());
  return rest.empty() || rest.front() == ' ' || rest.front() == '}';
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
  size_t exports = llvm::count_if(arguments, exportsToStdout);
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
