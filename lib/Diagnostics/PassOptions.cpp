//===- PassOptions.cpp - Options of passes, as users write them -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

using OptionsByName = DenseMap<StringRef, cl::Option *>;

namespace {
/// Reads one `name=value` among the options of a pass.
class OptionReader {
public:
  OptionReader(const DescribedPass &pass,
               function_ref<LogicalResult(const Twine &)> emitError)
      : pass(pass), emitError(emitError) {
    if (pass.anyOption)
      options = (*pass.anyOption->Subs.begin())->OptionsMap;
  }

  LogicalResult read(StringRef text);

private:
  LogicalResult refuse(const Twine &why) const {
    return emitError("--" + pass.name + ": " + why);
  }
  LogicalResult refuseName(StringRef name, StringRef text) const;
  std::string findElsewhere(StringRef name) const;
  std::string findMeant(StringRef name, StringRef text) const;
  StringRef findOwner(StringRef name, StringRef text) const;
  LogicalResult readValue(StringRef name, StringRef value, StringRef text);
  std::string respace(StringRef text) const;

  const DescribedPass &pass;
  function_ref<LogicalResult(const Twine &)> emitError;
  OptionsByName options;
  llvm::SmallPtrSet<const cl::Option *, 8> given;
};
} // namespace

static bool takesSeveral(const cl::Option &option) {
  return option.getNumOccurrencesFlag() == cl::ZeroOrMore;
}

/// Returns the option that was probably meant, for a file, a field of a target,
/// or a name that no option has.
StringRef OptionReader::findOwner(StringRef name, StringRef text) const {
  bool isPath = name.contains('/') || name.contains('.');
  bool hasValue = name.size() < text.size();
  if (isPath && options.contains(hasValue ? "set" : "file"))
    return hasValue ? "set" : "file";
  // The value of a list has pairs: "sizes=batch=8".
  if (options.size() == 1 && takesSeveral(*options.begin()->second) == hasValue)
    return options.begin()->first;
  return "";
}

/// Finds the option that is meant by another common word.
static StringRef findSpokenOption(StringRef word) {
  return llvm::StringSwitch<StringRef>(word)
      .Cases({"compare", "against", "before", "reference"}, "baseline")
      .Cases({"out", "output", "path"}, "file")
      .Cases({"cores", "parallel"}, "engines")
      .Cases({"chips", "gpus", "devices", "tensor-parallel", "tensor_parallel",
              "tensor_parallel_size", "tp-size", "tp_size"},
             "tp")
      .Default("");
}

/// Says what to do where no spelling is near: what a program has, and ways to
/// cut one over chips that are not there.
std::string OptionReader::findElsewhere(StringRef name) const {
  constexpr StringRef ofPrograms[] = {"batch",  "seq",     "kv_len", "kv-len",
                                      "layers", "weights", "dtype",  "phase"};
  constexpr StringRef otherCuts[] = {"pcp", "dcp", "vpp", "etp"};
  if (options.contains("target") && llvm::is_contained(ofPrograms, name)) {
    std::string option = name.str();
    llvm::replace(option, '_', '-');
    return "; that is said of the program: llm-translate --" + option + "=...";
  }
  if (options.contains("tp") && llvm::is_contained(otherCuts, name))
    return "; a program is cut by tensors ('tp'), keys ('cp'), experts ('ep'), "
           "layers ('pp', 'pp-rounds') or sequences ('dp')";
  if (options.contains("tp") && name == "chunks")
    return "; chunks of sums are made behind it: "
           "--llm-partition=overlap-chunks=2";
  if (llvm::is_contained({"true", "on", "yes", "1"}, name))
    return ("; --" + pass.name + " alone runs the pass").str();
  return "";
}

/// Returns "; did you mean 'strategy=theoretical'?" for a value without its
/// option, or with a wrong one.
std::string OptionReader::findMeant(StringRef name, StringRef text) const {
  if (std::string elsewhere = findElsewhere(name); !elsewhere.empty())
    return elsewhere;
  SmallVector<StringRef> known;
  KnownNames values = pass.names;
  for (auto [option, described] : options) {
    known.push_back(option);
    for (StringRef word : findChoices(*described))
      values.emplace_back(option, word.str());
  }
  StringRef owner = findOwner(name, text);
  StringRef value = name.size() < text.size() ? text.split('=').second : name;
  SmallVector<StringRef> words(llvm::make_second_range(values));
  StringRef similar =
      owner == "file" || owner == "set" ? "" : findSimilar(value, words);
  for (const auto &[option, word] : values)
    if (!similar.empty() && word == similar)
      owner = option, text = word;
  for (StringRef option : known)
    if (option == findSpokenOption(name))
      return ("; did you mean '" + option + "'?").str();
  std::string meant = didYouMean(name, known);
  if (meant.empty() && !owner.empty())
    return ("; did you mean '" + owner + "=" + text + "'?").str();
  return meant;
}

LogicalResult OptionReader::refuseName(StringRef name, StringRef text) const {
  SmallVector<StringRef> known(llvm::make_first_range(options));
  if (known.empty())
    return refuse("the pass has no options, got '" + name + "'");
  llvm::sort(known);
  return refuse("there is no option '" + name + "'" + findMeant(name, text) +
                " (options: " + llvm::join(known, ", ") + ")");
}

/// Returns "name=h100-sxm engines=4" for "name=h100-sxm,engines=4", because
/// commas separate values, and not options. Returns "" if no comma is wrong.
std::string OptionReader::respace(StringRef text) const {
  SmallVector<StringRef> pieces;
  text.split(pieces, ',');
  std::string spaced = pieces.front().str();
  for (StringRef piece : llvm::drop_begin(pieces)) {
    auto [name, value] = piece.split('=');
    bool isOption = piece.contains('=') && options.contains(name);
    spaced += (isOption ? " " : ",") + piece.str();
  }
  return spaced == text ? "" : spaced;
}

LogicalResult OptionReader::read(StringRef text) {
  auto [name, value] = text.split('=');
  auto found = options.find(name);
  if (found == options.end())
    return refuseName(name, text);
  cl::Option &option = *found->second;
  bool hasValue = name.size() < text.size();
  if (!hasValue && option.getValueExpectedFlag() != cl::ValueOptional)
    return refuse("option '" + name + "' needs a value, as in '" + name +
                  "=...': " + option.HelpStr);
  if (std::string spaced = respace(text); !spaced.empty())
    return refuse("separate options by spaces, and put quotes around all: "
                  "\"--" +
                  pass.name + "=" + spaced + "\"");
  if (text.ends_with(","))
    return refuse("separate options by spaces alone, got a comma after '" +
                  text.drop_back() + "'");
  if (!given.insert(&option).second && !takesSeveral(option))
    return refuse("option '" + name + "' is given twice, expected once");
  return readValue(name, value, text);
}

LogicalResult OptionReader::readValue(StringRef name, StringRef value,
                                      StringRef text) {
  cl::Option &option = *options.lookup(name);
  std::string wrong = findWrongValue(option, value.trim("'\"{} "));
  if (!wrong.empty())
    return refuse("option '" + name + "' " + wrong);
  // LLVM has then reported a wrong number, but not the option.
  if (failed(pass.set(text)))
    return refuse("option '" + name + "' cannot be '" + value + "' (" + name +
                  ": " + option.HelpStr + ")");
  return success();
}

/// Splits `text` at spaces outside of quotes and braces.
static SmallVector<StringRef> splitOptions(StringRef text) {
  SmallVector<StringRef> pieces;
  unsigned depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (auto [at, letter] : llvm::enumerate(text)) {
    if (quote) {
      quote = letter == quote ? 0 : quote;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
    } else if (letter == '{') {
      ++depth;
    } else if (letter == '}') {
      depth -= depth > 0;
    } else if (letter == ' ' && depth == 0) {
      pieces.push_back(text.slice(begin, at));
      begin = at + 1;
    }
  }
  pieces.push_back(text.drop_front(begin));
  llvm::erase_if(pieces, [](StringRef piece) { return piece.trim().empty(); });
  return pieces;
}

LogicalResult mlir::llm::readPassOptions(
    const DescribedPass &pass, StringRef text,
    function_ref<LogicalResult(const Twine &)> emitError) {
  OptionReader reader(pass, emitError);
  for (StringRef piece : splitOptions(text))
    if (failed(reader.read(piece)))
      return failure();
  return success();
}
