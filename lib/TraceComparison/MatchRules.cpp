//===- MatchRules.cpp - What names of a trace say of its work -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/MatchRules.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/LocatedJson.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
struct RuleFile {
  StringRef name, text;
};
} // namespace

static constexpr RuleFile builtInFiles[] = {
#include "RuleTexts.inc" // made from DefaultRules.json
};

StringRef MatchRules::getDefaultText() { return builtInFiles[0].text; }

/// Reads a list of words, which must not be empty.
static LogicalResult readWords(const LocatedJson &value,
                               std::vector<std::string> &words) {
  if (failed(value.expectArray()))
    return failure();
  if (value.elements().empty())
    return value.emitError() << "'" << value.path() << "' must not be empty";
  for (const LocatedJson &element : value.elements()) {
    FailureOr<std::string> word = element.asString();
    if (failed(word))
      return failure();
    words.push_back(std::move(*word));
  }
  return success();
}

static LogicalResult readFlag(const LocatedJson &value, bool &flag) {
  FailureOr<bool> read = value.asBoolean();
  flag = succeeded(read) && *read;
  return read;
}

static LogicalResult readText(const LocatedJson &value, std::string &text) {
  FailureOr<std::string> read = value.asString();
  if (succeeded(read))
    text = std::move(*read);
  return read;
}

static LogicalResult readMember(StringRef key, const LocatedJson &value,
                                MatchRule &rule) {
  if (key == "name")
    return readText(value, rule.text);
  if (key == "path")
    return readText(value, rule.path);
  if (key == "ops")
    return readWords(value, rule.ops);
  if (key == "kinds")
    return readWords(value, rule.kinds);
  if (key == "sequence")
    return readWords(value, rule.sequence);
  if (key == "continues")
    return readFlag(value, rule.continues);
  if (key == "several")
    return readFlag(value, rule.several);
  if (key == "part_of")
    return readWords(value, rule.partOf);
  return value.emitError() << "a rule has no '" << key
                           << "'; it has name and one of path, ops, kinds, "
                              "sequence, continues and part_of, and with kinds "
                              "several and part_of";
}

static FailureOr<MatchRule> readRule(const LocatedJson &value) {
  MatchRule rule;
  if (failed(value.expectObject()) || failed(value.require("name")))
    return failure();
  for (const auto &[key, member] : value.members())
    if (failed(readMember(key, member, rule)))
      return failure();
  rule.name = ::llvm::Regex(rule.text, ::llvm::Regex::IgnoreCase);
  std::string error;
  if (!rule.name.isValid(error))
    return value.emitError()
           << "'" << rule.text
           << "' is no extended regular expression of POSIX: " << error;
  bool isOnlyPart = rule.kinds.empty() && !rule.partOf.empty();
  int meanings = !rule.path.empty() + !rule.ops.empty() + !rule.kinds.empty() +
                 !rule.sequence.empty() + rule.continues + isOnlyPart;
  if (meanings != 1)
    return value.emitError() << "a rule must have one of path, ops, kinds, "
                                "sequence, continues and part_of, got "
                             << meanings << " of them";
  if (rule.several && rule.kinds.empty())
    return value.emitError() << "'several' is for rules with 'kinds'";
  return rule;
}

FailureOr<MatchRules> MatchRules::parse(StringRef text, StringRef bufferName,
                                        MLIRContext *context) {
  FailureOr<LocatedJson> root = LocatedJson::parse(text, bufferName, context);
  if (failed(root) || failed(root->expectObject()))
    return failure();
  for (const auto &[key, value] : root->members())
    if (key != "rules")
      return value.emitError()
             << "a file of rules has no '" << key << "', only 'rules'";
  FailureOr<const LocatedJson *> list = root->require("rules");
  if (failed(list) || failed((*list)->expectArray()))
    return failure();
  MatchRules rules;
  for (const LocatedJson &element : (*list)->elements()) {
    FailureOr<MatchRule> rule = readRule(element);
    if (failed(rule))
      return failure();
    rules.allRules.push_back(std::move(*rule));
  }
  return rules;
}

FailureOr<MatchRules> MatchRules::load(StringRef file, MLIRContext *context) {
  FailureOr<MatchRules> builtIn =
      parse(getDefaultText(), "<built in>", context);
  if (failed(builtIn) || file.empty())
    return builtIn;
  ::llvm::Expected<std::unique_ptr<::llvm::MemoryBuffer>> text =
      readInputFile(file);
  if (!text)
    return emitError(UnknownLoc::get(context))
           << "--rules: " << ::llvm::toString(text.takeError());
  FailureOr<MatchRules> rules = parse((*text)->getBuffer(), file, context);
  if (failed(rules))
    return failure();
  rules->allRules.insert(rules->allRules.end(),
                         std::make_move_iterator(builtIn->allRules.begin()),
                         std::make_move_iterator(builtIn->allRules.end()));
  return rules;
}
