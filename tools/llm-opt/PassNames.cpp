//===- PassNames.cpp - The passes on a command line -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassNames.h"
#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// The text of a pipeline
//===----------------------------------------------------------------------===//

namespace {
/// The names in the text of `--pass-pipeline`.
struct PipelineNames {
  SmallVector<StringRef> passes;
  SmallVector<StringRef> ops; ///< in which passes are nested
};
} // namespace

static PipelineNames findNames(StringRef text) {
  PipelineNames names;
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    char letter = at < text.size() ? text[at] : ',';
    if (depth == 0 && StringRef(",(){").contains(letter)) {
      StringRef name = text.slice(begin, at).trim();
      if (!name.empty())
        (letter == '(' ? names.ops : names.passes).push_back(name);
      begin = at + 1;
    }
    depth += letter == '{';
    if (letter == '}') {
      depth -= depth > 0;
      begin = at + 1;
    }
  }
  return names;
}

static LogicalResult fail(const Twine &why) {
  llvm::errs() << "llm-opt: error: --pass-pipeline: " << why << "\n";
  return failure();
}

static LogicalResult checkName(StringRef name, ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, name))
    return success();
  std::string why = ("there is no pass '" + name + "'").str();
  if (name.contains(' ') && !name.contains('='))
    return fail(why + "; separate passes by commas");
  auto [pass, options] = name.split('=');
  if (llvm::is_contained(known, pass))
    return fail(why + "; options of a pass stand in braces: " + pass + "{" +
                options + "}");
  if (name.contains('='))
    return fail(why + "; options of a pass stand in braces, as in "
                      "llm-schedule{engines=4 policy=exact}");
  return fail(why + llm::didYouMean(name, known));
}

/// Checks that an op exists, because MLIR silently runs nothing in one that
/// does not.
static LogicalResult checkOp(StringRef name) {
  SmallVector<StringRef> usual = {"builtin.module", "func.func", "any"};
  StringRef similar = llm::findSimilar(name, usual);
  // "gpu.func" is an op of another dialect.
  bool isOther = name.contains('.') && similar.edit_distance(name) > 2;
  if (llvm::is_contained(usual, name) || similar.empty() || isOther)
    return success();
  return fail("there is no op '" + name +
              "' to nest passes in; did you mean '" + similar + "'?");
}

LogicalResult llm::checkPipelineText(StringRef pipeline) {
  if (pipeline.count('(') != pipeline.count(')'))
    return fail("there are " + Twine(pipeline.count('(')) + " '(' and " +
                Twine(pipeline.count(')')) + " ')' in '" + pipeline + "'");
  PipelineNames names = findNames(pipeline);
  for (StringRef op : names.ops)
    if (failed(checkOp(op)))
      return failure();
  SmallVector<StringRef> known;
  for (auto [name, option] : cl::getRegisteredOptions())
    if (!option->hasArgStr()) // passes are words of one list
      known.push_back(name);
  llvm::sort(known);
  for (StringRef name : names.passes)
    if (failed(checkName(name, known)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Their order
//===----------------------------------------------------------------------===//

/// Returns the pass that writes what another one reads, or "".
static StringRef findNeeded(StringRef pass) {
  if (llvm::is_contained({"llm-tile", "llm-fuse"}, pass))
    return "llm-target";
  if (llvm::is_contained({"llm-schedule", "llm-cost", "llm-verify-cost",
                          "llm-export-problem", "llm-materialize-tiles"},
                         pass))
    return "llm-tile";
  if (llvm::is_contained({"llm-verify-schedule", "llm-export-report",
                          "llm-export-html", "llm-export-perfetto",
                          "llm-export-queues", "llm-export-chakra"},
                         pass))
    return "llm-schedule";
  return "";
}

void llm::noteOrder(ArrayRef<std::string> passes) {
  for (auto [at, pass] : llvm::enumerate(passes)) {
    StringRef needed = findNeeded(pass);
    if (needed.empty() || llvm::is_contained(passes.take_front(at), needed) ||
        !llvm::is_contained(passes.drop_front(at), needed))
      continue;
    llvm::errs() << "llm-opt: note: passes run in the order in which they are "
                    "written, and --"
                 << needed << " stands after --" << pass << "\n";
    return;
  }
}
