//===- Help.cpp - What llm-opt --help says --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "llm/Diagnostics/Spelling.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {
struct Topic {
  StringRef title;
  std::vector<StringRef> passes;
};
} // namespace

/// The topics, in the order in which passes run.
static const std::vector<Topic> &topics() {
  static const std::vector<Topic> all = {
      {"The machine, and the program before it gets tiles",
       {"llm-target", "llm-bind-shapes", "llm-fuse-projections",
        "llm-decompose-attention", "llm-shard", "llm-partition", "llm-fuse"}},
      {"Tiles, costs and the schedule",
       {"llm-tile", "llm-cost", "llm-schedule", "llm-verify-cost",
        "llm-verify-schedule", "llm-pipeline"}},
      {"Files about the schedule",
       {"llm-export-report", "llm-export-html", "llm-export-perfetto",
        "llm-export-dot", "llm-export-model-explorer", "llm-export-problem",
        "llm-export-queues", "llm-export-chakra"}},
      {"Code", {"convert-llm-to-linalg", "llm-materialize-tiles"}}};
  return all;
}

static const PassRegistryEntry *findPass(StringRef name) {
  if (const PassRegistryEntry *pipeline = PassPipelineInfo::lookup(name))
    return pipeline;
  return PassInfo::lookup(name);
}

static void printLine(StringRef left, StringRef right) {
  llvm::outs() << "  " << llvm::left_justify(left, 28) << right << "\n";
}

static void printTopic(const Topic &topic) {
  llvm::outs() << "\n" << topic.title << "\n";
  for (StringRef name : topic.passes)
    if (const PassRegistryEntry *pass = findPass(name))
      printLine(("--" + name).str(), pass->getPassDescription());
}

/// Lists our passes that no topic names.
static Topic findOthers() {
  std::vector<StringRef> named;
  for (const Topic &topic : topics())
    llvm::append_range(named, topic.passes);
  Topic others = {"Others", {}};
  for (auto [name, option] : llvm::cl::getRegisteredOptions())
    if (name.starts_with("llm-") && findPass(name) &&
        !llvm::is_contained(named, name))
      others.passes.push_back(name);
  llvm::sort(others.passes);
  return others;
}

static void printHelp() {
  llvm::outs()
      << "llm-opt: tiles, costs and schedules of LLM blocks\n\n"
         "  llm-opt [passes] [options] [program.mlir]\n"
         "  llm-opt block.mlir --llm-target=name=h100-sxm --llm-tile "
         "--llm-schedule --llm-export-report -o out.mlir\n\n"
         "Passes run in the order in which they are written. Options of a pass "
         "are written after it:\n"
         "  --llm-schedule=engines=4    "
         "\"--llm-export-report=format=json file=report.json\"\n";
  for (const Topic &topic : topics())
    printTopic(topic);
  if (Topic others = findOthers(); !others.passes.empty())
    printTopic(others);
  llvm::outs() << "\nOptions\n";
  printLine("-o FILE", "Write the program to FILE, not to standard output");
  printLine("--llm-list-targets", "List the machines of --llm-target=name=");
  printLine("--llm-print-target-schema",
            "Print the JSON schema of files of machines");
  printLine(
      "--remarks-filter=llm-.*",
      "With --remark-format=emitRemark: say what passes decided, and why");
  llvm::outs() << "\nMore help\n";
  printLine("--help=PASS", "One pass and its options: --help=llm-schedule");
  printLine("--help=mlir", "All passes and options, those of MLIR, too");
  printLine("--help-hidden", "Those, and the hidden ones");
}

static int printPassHelp(StringRef name) {
  name.consume_front("--");
  if (const PassRegistryEntry *pass = findPass(name)) {
    pass->printHelpStr(/*indent=*/0, pass->getOptionWidth() + 4);
    return 0;
  }
  SmallVector<StringRef> known = {"mlir"};
  for (const Topic &topic : topics())
    llvm::append_range(known, topic.passes);
  llvm::errs() << "llm-opt: error: --help=" << name << ": no pass has that name"
               << llm::didYouMean(name, known)
               << " (--help lists our passes, --help=mlir all)\n";
  return 1;
}

std::optional<int> llm::answerHelp(int argc, char **argv) {
  for (auto [at, word] : llvm::enumerate(llvm::MutableArrayRef(argv, argc))) {
    StringRef text = word;
    bool isHelp = text.consume_front("--help") || text.consume_front("-help");
    StringRef next = int(at) + 1 < argc ? argv[at + 1] : "";
    next.consume_front("--");
    if (isHelp && text.empty() && findPass(next))
      return printPassHelp(next); // "--help llm-schedule"
    if (text == "-h" || (isHelp && text.empty())) {
      printHelp();
      return 0;
    }
    if (!isHelp || !text.consume_front("="))
      continue;
    if (text != "mlir")
      return printPassHelp(text);
    static char all[] = "--help";
    word = all;
  }
  return std::nullopt;
}
