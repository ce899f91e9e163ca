//===- CommandLine.cpp - Mistakes on the command line ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir::llm;

SmallVector<StringRef> mlir::llm::findChoices(cl::Option &option) {
  // LLVM gives the words of an option that has no name of its own.
  SmallVector<StringRef> choices;
  StringRef name = std::exchange(option.ArgStr, "");
  option.getExtraOptionNames(choices);
  option.ArgStr = name;
  return choices;
}

namespace {
/// Follows LLVM's parser through the command line. What it does not understand,
/// it leaves to that one.
class CommandLineCheck {
public:
  CommandLineCheck(ArrayRef<const char *> words, StringRef hint)
      : tool(sys::path::stem(words.front())), words(words.drop_front()),
        hint(hint.empty() ? "" : ("; " + hint).str()) {}
  void run();

private:
  void chooseSubCommand();
  void checkOption(StringRef word);
  void checkValue(cl::Option &option, StringRef name, StringRef value) const;
  void checkInputs() const;
  void checkNeeded() const;
  [[noreturn]] void refuseName(StringRef name) const;
  [[noreturn]] void fail(const Twine &why) const;

  std::string tool; ///< and the subcommand, where there is one
  ArrayRef<const char *> words;
  cl::SubCommand *command = &cl::SubCommand::getTopLevel();
  std::string hint;
  SmallVector<StringRef> inputs;
  SmallVector<const cl::Option *> given;
  bool knowsInputs = true; ///< and that some are needed
};
} // namespace

void CommandLineCheck::fail(const Twine &why) const {
  errs() << tool << ": error: " << why << "\n";
  std::exit(1);
}

/// "llm-prof validate": what follows are options of that subcommand.
void CommandLineCheck::chooseSubCommand() {
  SmallVector<StringRef> names;
  for (cl::SubCommand *each : cl::getRegisteredSubcommands())
    if (!each->getName().empty())
      names.push_back(each->getName());
  if (names.empty() || words.empty() || words.front()[0] == '-')
    return;
  StringRef word = words.front();
  for (cl::SubCommand *each : cl::getRegisteredSubcommands())
    if (each->getName() == word)
      command = each;
  sort(names);
  if (!is_contained(names, word))
    fail("there is no subcommand '" + word + "'" + didYouMean(word, names) +
         " (subcommands: " + join(names, ", ") + ")");
  tool += " " + word.str();
  words = words.drop_front();
}

void CommandLineCheck::refuseName(StringRef name) const {
  SmallVector<StringRef> known;
  for (auto [each, option] : cl::getRegisteredOptions(*command))
    if (option->getOptionHiddenFlag() == cl::NotHidden)
      known.push_back(each);
  sort(known);
  StringRef similar = findSimilar(name, known);
  fail(
      "there is no option '--" + name + "'" +
      (similar.empty() ? hint : ("; did you mean '--" + similar + "'?").str()) +
      " ('" + tool + " --help' lists the options)");
}

void CommandLineCheck::checkValue(cl::Option &option, StringRef name,
                                  StringRef value) const {
  // An option without a name of its own is a list of words, as passes are.
  if (!option.hasArgStr())
    return;
  SmallVector<StringRef> choices = findChoices(option);
  if (!choices.empty() && !is_contained(choices, value))
    fail("option '--" + name + "' must be " + listChoices(choices) + ", got '" +
         value + "'" + didYouMean(value, choices));
}

/// The value of an option stands behind `=`, or is the next word.
void CommandLineCheck::checkOption(StringRef word) {
  auto [name, value] = word.ltrim('-').split('=');
  auto &options = cl::getRegisteredOptions(*command);
  auto found = options.find(name);
  if (found == options.end() && word.starts_with("--"))
    refuseName(name);
  if (found == options.end()) {
    // MLIR makes its -o later; -j4 may be several options, or one with a value.
    knowsInputs &= name == "o" && !words.empty();
    words = words.drop_front(knowsInputs);
    return;
  }
  if (name.starts_with("help") || name == "h" || name == "version")
    knowsInputs = false; // none is needed
  given.push_back(found->second);
  bool hasValue = word.contains('=');
  bool takesNext =
      found->second->getValueExpectedFlag() == cl::ValueRequired && !hasValue;
  if (takesNext && !words.empty()) {
    value = words.front();
    words = words.drop_front();
  }
  if (hasValue || takesNext)
    checkValue(*found->second, name, value);
}

static bool isNeeded(const cl::Option &option) {
  return option.getNumOccurrencesFlag() == cl::Required ||
         option.getNumOccurrencesFlag() == cl::OneOrMore;
}

static bool takesSeveral(const cl::Option &option) {
  return option.getNumOccurrencesFlag() == cl::ZeroOrMore ||
         option.getNumOccurrencesFlag() == cl::OneOrMore;
}

void CommandLineCheck::checkInputs() const {
  const auto &slots = command->PositionalOpts;
  size_t needed = 0;
  for (const cl::Option *input : slots)
    if (isNeeded(*input) && ++needed > inputs.size())
      fail(input->HelpStr + " is missing ('" + tool +
           " --help' says what it reads)");
  // MLIR makes the only one later, too.
  size_t most = std::max<size_t>(1, slots.size());
  bool isLimited = none_of(
      slots, [](const cl::Option *each) { return takesSeveral(*each); });
  if (isLimited && inputs.size() > most)
    fail("'" + inputs[most] + "' is one input too many" + hint);
}

void CommandLineCheck::checkNeeded() const {
  for (auto [name, option] : cl::getRegisteredOptions(*command)) {
    if (!isNeeded(*option) || is_contained(given, option))
      continue;
    if (option->hasArgStr())
      fail("option '--" + name + "' is missing: " + option->HelpStr);
    SmallVector<std::string> words;
    for (StringRef word : findChoices(*option))
      words.push_back(("--" + word).str());
    sort(words);
    fail("one of these options is missing: " + join(words, ", "));
  }
}

void CommandLineCheck::run() {
  chooseSubCommand();
  while (!words.empty()) {
    StringRef word = words.front();
    words = words.drop_front();
    if (word == "--" || word.starts_with("@"))
      return; // inputs alone follow, or options come from a file
    if (word.starts_with("-") && word != "-")
      checkOption(word);
    else
      inputs.push_back(word);
  }
  if (!knowsInputs)
    return;
  checkInputs();
  checkNeeded();
}

void mlir::llm::checkCommandLine(int argc, const char *const *argv,
                                 StringRef hint) {
  CommandLineCheck(ArrayRef(argv, argc), hint).run();
}

void mlir::llm::parseCommandLine(int argc, const char *const *argv,
                                 StringRef overview) {
  checkCommandLine(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, overview);
}

/// What llm-translate makes a program of such a file with.
static StringRef findImporter(StringRef path) {
  return StringSwitch<StringRef>(path.rsplit('.').second)
      .Case("json", "--import-hf-config")
      .Case("gguf", "--import-gguf")
      .Case("safetensors", "--import-safetensors")
      .Default("");
}

mlir::LogicalResult mlir::llm::checkProgramFile(StringRef tool,
                                                StringRef path) {
  if (path == "-")
    return success();
  std::error_code error;
  if (sys::fs::is_directory(path))
    error = std::make_error_code(std::errc::is_a_directory);
  else
    error = sys::fs::access(path, sys::fs::AccessMode::Exist);
  StringRef importer = findImporter(path);
  if (error)
    errs() << tool << ": error: cannot read '" << path
           << "': " << error.message() << "\n";
  else if (!importer.empty())
    errs() << tool << ": error: '" << path
           << "' is no program in MLIR; llm-translate " << importer
           << " makes one of a model, llm-opt --llm-target=file= reads a "
              "machine\n";
  return failure(error || !importer.empty());
}
