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

/// A piece of measured work, and what is said of it.
struct WorkPiece {
  uint32_t event = 0; ///< of the trace
  int64_t nanoseconds = 0;
  /// What is left of an event around other pieces: it is no op.
  bool isAround = false;
  uint32_t namedBy = TraceEvent::none; ///< the event whose name says which op
  /// Of work that was recorded: the call that ran it with others.
  uint32_t replay = TraceEvent::none;
  int64_t layer = -1;
  PatternOps ops;        ///< by name
  bool isByRule = false; ///< of these
  /// Its name is of an op, in a layer that the program does not have.
  bool isOfOtherLayer = false;
  PatternOps inside; ///< else ops of this module, if it is not empty
  const MatchRule *rule = nullptr; ///< for its kind, if any
  std::optional<ProductSizes> product;
  /// Of the innermost op that says them; equal ones are one.
  const TracedOperands *operands = nullptr;
};

/// All pieces of work in the order in which they were launched.
class WorkMeanings {
public:
  WorkMeanings(const ImportedTrace &trace, const ProgramPattern &pattern,
               const MatchRules &rules);

  std::vector<WorkPiece> describe(ArrayRef<TraceWork> work);

private:
  /// What one text of the trace says.
  struct TextMeaning {
    bool isKnown = false;
    NamedOps named;
    bool isByRule = false;
    const MatchRule *kindRule = nullptr;
    int64_t layer = -1;
    bool hasProducts = false; ///< in events of that name
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
  /// What args say of operands, and the product that they are.
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
  /// By the sizes of all, with how many sizes each operand has before them.
  std::map<std::vector<int64_t>, TracedOperands> knownOperands;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_WORKMEANING_H
