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
  // LLVM lists the words of an option only if it has no name of its own.
  SmallVector<StringRef> choices;
  StringRef name = std::exchange(option.ArgStr, "");
  option.getExtraOptionNames(choices);
  option.ArgStr = name;
  return choices;
}

static bool isWholeNumber(StringRef text) {
  return !text.empty() && all_of(text, isDigit);
}

/// What to say behind "a whole number" if a value has commas in it.
static StringRef hintOfCommas(StringRef value) {
  bool isList = value.contains(',') && all_of(split(value, ','), isWholeNumber);
  return isList ? " without a separator of thousands (4096, not 4,096)" : "";
}

/// Returns what a value should be if the help calls it `N`, `N[,N...]|?` or
/// `seconds`; "" if it is right.
static std::string findWantedNumber(StringRef inHelp, StringRef value) {
  double seconds;
  if (inHelp == "N" && !isWholeNumber(value))
    return ("a whole number of at least 0" + hintOfCommas(value)).str();
  if (inHelp == "seconds" && (value.getAsDouble(seconds) || seconds < 0))
    return "a number of seconds";
  bool isOpen = inHelp.consume_back("|?") && value == "?";
  bool isList = inHelp.consume_back("[,N...]");
  if (isOpen || inHelp != "N")
    return "";
  SmallVector<StringRef> numbers;
  value.split(numbers, ',');
  // "4,096" is meant to be 4096: nobody writes 96 as 096.
  auto startsWithZero = [](StringRef number) {
    return number.size() > 1 && number.starts_with("0");
  };
  if (all_of(numbers, isWholeNumber) && (isList || numbers.size() == 1) &&
      (numbers.size() == 1 || none_of(numbers, startsWithZero)))
    return "";
  if (isList && any_of(numbers, startsWithZero) &&
      all_of(numbers, isWholeNumber))
    return "whole numbers without a separator of thousands (4096, not 4,096): "
           "commas are between the numbers of several sequences";
  return isList ? std::string("a whole number, such numbers with commas "
                              "between them, or '?'")
                : ("a whole number" + hintOfCommas(value) + " or '?'").str();
}

std::string mlir::llm::findWrongValue(cl::Option &option, StringRef value) {
  SmallVector<StringRef> choices = findChoices(option);
  // Only LLVM's parser of booleans allows the value to be left out.
  if (choices.empty() && option.getValueExpectedFlag() == cl::ValueOptional &&
      !is_contained(
          {"true", "TRUE", "True", "1", "false", "FALSE", "False", "0", ""},
          value))
    choices = {"true", "false"};
  if (!choices.empty() && !is_contained(choices, value))
    return ("must be " + listChoices(choices) + ", got '" + value + "'" +
            didYouMean(value, choices))
        .str();
  std::string wanted = findWantedNumber(option.ValueStr, value);
  return wanted.empty() ? ""
                        : "must be " + wanted + ", got '" + value.str() + "'";
}

namespace {
/// Follows LLVM's parser through the command line. It leaves to LLVM what it
/// does not understand.
class CommandLineCheck {
public:
  CommandLineCheck(ArrayRef<const char *> words, StringRef hint,
                   StringRef elsewhere)
      : tool(sys::path::stem(words.front())), words(words.drop_front()),
        hint(hint.empty() ? "" : ("; " + hint).str()),
        elsewhere(elsewhere.empty() ? "" : (", " + elsewhere).str()) {}
  void run();

private:
  struct Input {
    StringRef word;
    StringRef passBefore; ///< "--llm-schedule", which may have these options
  };

  void chooseSubCommand();
  void checkOption(StringRef word);
  void checkValue(cl::Option &option, StringRef name, StringRef value) const;
  void checkInputs() const;
  void checkNeeded() const;
  [[noreturn]] void refuseName(StringRef name) const;
  [[noreturn]] void refuseInput(const Input &input) const;
  std::string findMeant(StringRef name) const;
  [[noreturn]] void fail(const Twine &why) const;

  std::string tool; ///< with the subcommand, if there is one
  ArrayRef<const char *> words;
  cl::SubCommand *command = &cl::SubCommand::getTopLevel();
  std::string hint, elsewhere;
  SmallVector<Input> inputs;
  StringRef lastPass; ///< the last word, if it is a pass
  SmallVector<const cl::Option *> given;
  bool knowsInputs = true; ///< whether it knows that some are needed
};
} // namespace

void CommandLineCheck::fail(const Twine &why) const {
  errs() << tool << ": error: " << why << "\n";
  std::exit(1);
}

/// Chooses the subcommand of "llm-prof validate", whose options follow.
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

/// Finds the option that is meant by what it is called elsewhere.
static StringRef findSpokenOption(StringRef word) {
  return StringSwitch<StringRef>(word)
      .Cases({"context", "context-length", "context_length", "ctx", "ctx-size",
              "max-model-len", "keys"},
             "kv-len")
      .Cases({"prompt", "prompt-length", "input-len", "input-length"}, "seq")
      .Cases({"bs", "sequences", "num-seqs"}, "batch")
      .Cases({"precision", "type"}, "dtype")
      .Cases({"quant", "quantization", "quantize"}, "weights")
      .Default("");
}

/// Does the same for options of what is served.
static StringRef findServedOption(StringRef word) {
  return StringSwitch<StringRef>(word)
      .Cases({"batch", "batch-size", "bs", "concurrency", "max-num-seqs",
              "num-requests"},
             "requests")
      .Cases({"input-len", "input-length", "prompt", "prompt-length", "seq"},
             "isl")
      .Cases({"output-len", "output-length", "max-tokens"}, "osl")
      .Cases({"tensor-parallel", "tensor-parallel-size", "chips", "gpus"}, "tp")
      .Cases({"dp", "data-parallel", "data-parallel-size", "replicas"},
             "workers")
      .Default("");
}

/// Says where else what an option of an importer of models would set is said.
static StringRef findOtherPlace(StringRef word) {
  return StringSwitch<StringRef>(word)
      .Cases({"tp", "tensor-parallel", "tensor-parallel-size", "chips", "gpus"},
             "llm-opt cuts programs over chips: --llm-pipeline=tp=N")
      .Cases({"target", "machine", "device", "gpu", "hardware"},
             "llm-opt knows machines: --llm-target=name=NAME")
      .Cases({"model", "model-type", "vocab-size", "hidden-size", "experts",
              "num-experts", "num-layers", "heads"},
             "the config.json says what the model is; edit a copy of it")
      .Default("");
}

/// Returns "; did you mean '--llm-schedule'?", or the hint.
std::string CommandLineCheck::findMeant(StringRef name) const {
  SmallVector<StringRef> known, ours;
  for (auto [each, option] : cl::getRegisteredOptions(*command)) {
    if (option->getOptionHiddenFlag() != cl::NotHidden)
      continue;
    known.push_back(each);
    if (each.contains("llm"))
      ours.push_back(each);
  }
  for (StringRef spoken : {findSpokenOption(name), findServedOption(name)})
    if (is_contained(known, spoken))
      return ("; did you mean '--" + spoken + "'?").str();
  bool isImporter = is_contained(known, "kv-len");
  if (StringRef place = findOtherPlace(name); isImporter && !place.empty())
    return ("; " + place).str();
  sort(known);
  sort(ours);
  // Most options of llm-opt are of MLIR and LLVM. So another option is
  // suggested only if it is almost spelled.
  StringRef similar = findSimilar(name, ours);
  if (similar.empty())
    similar = findSimilar(name, known);
  if (!ours.empty() && !similar.contains("llm") &&
      similar.edit_distance(name) > 2)
    similar = "";
  if (!similar.empty())
    return ("; did you mean '--" + similar + "'?").str();
  if (name == "o")
    return "; did you mean '-o'?";
  for (cl::SubCommand *each : cl::getRegisteredSubcommands())
    if (each->getName() == name)
      return ("; did you mean '" + tool + " " + name + "'?").str();
  return hint;
}

void CommandLineCheck::refuseName(StringRef name) const {
  std::string meant = findMeant(name);
  fail("there is no option '--" + name + "'" + meant + " ('" + tool +
       " --help' lists the options" + (meant.empty() ? elsewhere : "") + ")");
}

void CommandLineCheck::checkValue(cl::Option &option, StringRef name,
                                  StringRef value) const {
  // An option without a name of its own is a list of words, as passes are.
  if (!option.hasArgStr())
    return;
  if (option.getValueExpectedFlag() == cl::ValueDisallowed)
    fail("option '--" + name + "' takes no value, got '" + value + "'");
  if (std::string wrong = findWrongValue(option, value); !wrong.empty())
    fail("option '--" + name + "' " + wrong);
}

static bool isNeeded(const cl::Option &option) {
  return option.getNumOccurrencesFlag() == cl::Required ||
         option.getNumOccurrencesFlag() == cl::OneOrMore;
}

/// Checks an option. Its value is behind `=`, or is the next word.
void CommandLineCheck::checkOption(StringRef word) {
  auto [name, value] = word.ltrim('-').split('=');
  auto &options = cl::getRegisteredOptions(*command);
  auto found = options.find(name);
  if (found == options.end() && word.starts_with("--"))
    refuseName(name);
  if (found == options.end()) {
    // MLIR registers -o only later. -j4 may be several options, or one with a
    // value.
    knowsInputs &= name == "o" && !words.empty();
    words = words.drop_front(knowsInputs);
    return;
  }
  if (name.starts_with("help") || name == "h" || name == "version")
    knowsInputs = false; // none is needed
  given.push_back(found->second);
  // Importers are such a list, too, and one of them is needed.
  if (!found->second->hasArgStr() && !isNeeded(*found->second))
    lastPass = word;
  bool hasValue = word.contains('=');
  bool takesNext =
      found->second->getValueExpectedFlag() == cl::ValueRequired && !hasValue;
  if (takesNext && words.empty())
    fail("option '" + word + "' needs a value: " + found->second->HelpStr);
  if (takesNext) {
    value = words.front();
    words = words.drop_front();
  }
  if (hasValue || takesNext)
    checkValue(*found->second, name, value);
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
  // MLIR registers the only input later, too.
  size_t most = std::max<size_t>(1, slots.size());
  bool isLimited = none_of(
      slots, [](const cl::Option *each) { return takesSeveral(*each); });
  if (!isLimited)
    return;
  auto behindPass = find_if(
      inputs, [](const Input &each) { return !each.passBefore.empty(); });
  // With a program from standard input, an option would be read as a file.
  bool isOption = behindPass != inputs.end() &&
                  behindPass->word.contains('=') &&
                  !sys::fs::exists(behindPass->word);
  if (inputs.size() <= most && !isOption)
    return;
  refuseInput(behindPass == inputs.end() ? inputs[most] : *behindPass);
}

/// Refuses an input such as that of "--llm-schedule engines=4", where the space
/// should be '='.
void CommandLineCheck::refuseInput(const Input &input) const {
  std::string why =
      ("'" + input.word +
       (inputs.size() > 1 ? "' is one input too many" : "' is no file"))
          .str();
  if (input.passBefore.empty())
    fail(why);
  StringRef example = input.word.contains('=') ? input.word : "OPTION=VALUE";
  // Behind a pass with options, the shell has cut what should be one word.
  bool hasOptions = input.passBefore.contains('=');
  StringRef name = input.passBefore.ltrim('-').split('=').first;
  fail(why +
       (hasOptions ? "; quotes keep the options of a pass together, as in \""
                   : "; options of a pass are written after it, as in \"") +
       input.passBefore + (hasOptions ? " " : "=") + example + "\" ('" + tool +
       " --help=" + name + "' lists them)");
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
    StringRef passBefore = std::exchange(lastPass, "");
    words = words.drop_front();
    if (word == "--" || word.starts_with("@"))
      return; // only inputs follow, or options come from a file
    if (word.starts_with("-") && word != "-")
      checkOption(word);
    else
      inputs.push_back({word, passBefore});
  }
  if (!knowsInputs)
    return;
  checkInputs();
  checkNeeded();
}

void mlir::llm::checkCommandLine(int argc, const char *const *argv,
                                 StringRef hint) {
  CommandLineCheck(ArrayRef(argv, argc), hint, "").run();
}

void mlir::llm::parseCommandLine(int argc, const char *const *argv,
                                 StringRef overview, StringRef elsewhere) {
  CommandLineCheck(ArrayRef(argv, argc), "", elsewhere).run();
  cl::ParseCommandLineOptions(argc, argv, overview);
}

/// Returns what a file with that name is and what reads it, if it is no
/// program.
static StringRef describeByName(StringRef path) {
  return StringSwitch<StringRef>(path.rsplit('.').second)
      .Case("json", "llm-translate --import-hf-config makes one of a model, "
                    "llm-opt --llm-target=file= reads a machine")
      .Case("gguf", "llm-translate --import-gguf makes one of a model")
      .Case("safetensors",
            "llm-translate --import-safetensors makes one of a model's "
            "config.json and of what lies beside it")
      .Case("csv", "llm-opt --llm-target=file= reads machines, llm-prof "
                   "validate measured ops")
      .Cases({"pftrace", "sqlite", "gz"}, "llm-prof import reads traces")
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
  StringRef reader = describeByName(path);
  if (error)
    errs() << tool << ": error: cannot read '" << path
           << "': " << error.message() << "\n";
  else if (!reader.empty())
    errs() << tool << ": error: '" << path << "' is no program in MLIR; "
           << reader << "\n";
  return failure(error || !reader.empty());
}
