//===- MatchRules.h - What names of a trace say of its work -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each framework has its own names for modules, nodes and kernels. A rule
// translates such a name to ops of programs. docs/traces.md has the form of the
// file.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACECOMPARISON_MATCHRULES_H
#define LLM_TRACECOMPARISON_MATCHRULES_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Regex.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// A regular expression, and the meaning of names that match it. A rule has one
/// of six meanings: `path`, `ops`, `kinds`, `sequence`, `continues` or
/// `part_of`. `part_of` may also stand beside `kinds`.
struct MatchRule {
  std::string text;   ///< the text of the expression
  ::llvm::Regex name; ///< it ignores case
  /// A better name, in which "\1" is the first group of the expression.
  std::string path;
  /// The work is these ops together, given by the ends of their names,
  /// "mlp.up_proj". Ops that a program does not have are ignored.
  std::vector<std::string> ops;
  /// The work is an op of one of these kinds: "matmul".
  std::vector<std::string> kinds;
  /// The work is all of these ops, which follow each other, given by their
  /// kinds.
  std::vector<std::string> sequence;
  /// The work belongs to the same op as the work before it.
  bool continues = false;
  /// With `kinds`: one op may be several pieces of such work.
  bool several = false;
  /// The work may be a later piece of an op of these kinds, but not its first:
  /// an addition within a norm.
  std::vector<std::string> partOf;

  bool saysWhichOp() const { return !ops.empty() || !path.empty(); }
};

class MatchRules {
public:
  /// Loads the rules of the file, if one is named, and puts the built-in rules
  /// after them. An error names the place in the file.
  static FailureOr<MatchRules> load(StringRef file, MLIRContext *context);
  /// Does the same from text alone, without the built-in rules.
  static FailureOr<MatchRules> parse(StringRef text, StringRef bufferName,
                                     MLIRContext *context);
  /// Returns the built-in rules, as their file has them.
  static StringRef getDefaultText();

  ArrayRef<MatchRule> rules() const { return allRules; }

private:
  std::vector<MatchRule> allRules;
};

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_MATCHRULES_H
