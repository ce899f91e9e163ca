//===- WorkMeaning.h - What a trace says of a piece of work -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_WORKMEANING_H
#define LLM_LIB_TRACECOMPARISON_WORKMEANING_H

#include "OpNames.h"
#include "llm/TraceComparison/MatchRules.h"
#include "llm/TraceImport/ImportedTrace.h"
#include "llm/TraceImport/TracedOperands.h"

#include <map>

namespace mlir::llm {

/// A piece of measured work, and what the trace says of it.
struct WorkPiece {
  uint32_t event = 0; ///< of the trace
  int64_t nanoseconds = 0;
  /// Whether this is the rest of an event around other pieces, which is no op.
  bool isAround = false;
  uint32_t namedBy = TraceEvent::none; ///< event whose name tells the op
  /// For work that was recorded, the call that ran it with other work.
  uint32_t replay = TraceEvent::none;
  int64_t layer = -1;
  PatternOps ops;        ///< that its name means
  bool isByRule = false; ///< a rule gives the ops
  /// Whether it has the name of an op, in a layer that the program does not
  /// have.
  bool isOfOtherLayer = false;
  PatternOps inside;               ///< or else ops of this module
  const MatchRule *rule = nullptr; ///< for its kind; may be null
  std::optional<ProductSizes> product;
  /// The operands of the innermost op that tells them. Equal ones are one
  /// object.
  const TracedOperands *operands = nullptr;
};

/// All pieces of work in the order in which they were launched.
class WorkMeanings {
public:
  WorkMeanings(const ImportedTrace &trace, const ProgramPattern &pattern,
               const MatchRules &rules);

  std::vector<WorkPiece> describe(ArrayRef<TraceWork> work);

private:
  /// What one text of the trace means.
  struct TextMeaning {
    bool isKnown = false;
    NamedOps named;
    bool isByRule = false;
    const MatchRule *kindRule = nullptr;
    int64_t layer = -1;
    bool hasProducts = false; ///< an event of that name has some
  };
  const TextMeaning &meaningOf(uint32_t text);
  void applyRules(StringRef name, TextMeaning &meaning) const;
  llvm::SmallVector<uint32_t> chainOf(uint32_t event) const;
  void noteProducts(ArrayRef<uint32_t> chain);
  WorkPiece describeOne(const TraceWork &work);
  bool isModule(const TextMeaning &meaning) const;
  void addMeaning(ArrayRef<uint32_t> chain, WorkPiece &piece);
  void keepLayer(WorkPiece &piece) const;
  void keepKinds(WorkPiece &piece) const;
  void leaveUnclear(WorkPiece &piece) const;
  void chooseByModules(WorkPiece &piece, ArrayRef<uint32_t> outer);
  /// What args say of operands, and the product with these sizes.
  struct OperandMeaning {
    const TracedOperands *operands = nullptr;
    std::optional<ProductSizes> product;
  };
  const OperandMeaning &operandsOf(const TraceEvent &event);
  const TracedOperands *intern(TracedOperands operands);

  const ImportedTrace &trace;
  const ProgramPattern &pattern;
  const MatchRules &rules;
  OpNames names;
  std::vector<TextMeaning> meanings; ///< by number of the text
  DenseMap<std::pair<uint32_t, uint32_t>, OperandMeaning>
      operandMeanings; ///< by name and arguments
  /// The key is all sizes, with the number of sizes of each operand before
  /// them.
  std::map<std::vector<int64_t>, TracedOperands> knownOperands;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_WORKMEANING_H
