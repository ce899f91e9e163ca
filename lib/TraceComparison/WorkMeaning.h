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

namespace mlir::llm {

/// A piece of measured work, and what is said of it.
struct WorkPiece {
  uint32_t event = 0;                  ///< of the trace
  uint32_t namedBy = TraceEvent::none; ///< the event whose name says which op
  int64_t layer = -1;
  PatternOps ops;        ///< by name
  bool isByRule = false; ///< of these
  /// Its name is of an op, in a layer that the program does not have.
  bool isOfOtherLayer = false;
  PatternOps inside; ///< else ops of this module, if it is not empty
  const MatchRule *rule = nullptr; ///< for its kind, if any
  std::optional<ProductShape> product;
};

/// All pieces of work in the order in which they were launched.
class WorkMeanings {
public:
  WorkMeanings(const ImportedTrace &trace, const ProgramPattern &pattern,
               const MatchRules &rules);

  std::vector<WorkPiece> describe(ArrayRef<uint32_t> work);

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
  void noteProducts(ArrayRef<uint32_t> chain);
  WorkPiece describeOne(ArrayRef<uint32_t> chain);
  bool isModule(const TextMeaning &meaning) const;
  void keepLayer(WorkPiece &piece) const;
  void chooseByModules(WorkPiece &piece, ArrayRef<uint32_t> outer);
  const std::optional<ProductShape> &productOf(const TraceEvent &event);

  const ImportedTrace &trace;
  const ProgramPattern &pattern;
  const MatchRules &rules;
  OpNames names;
  std::vector<TextMeaning> meanings; ///< by number of the text
  DenseMap<std::pair<uint32_t, uint32_t>, std::optional<ProductShape>>
      products; ///< by name and arguments
};

/// As `listWork`, but ops of the host count with all that they call: "aten::mm"
/// takes its time itself, and calls small ones. An op with a range of its own
/// in it does not count, but those in it do.
std::vector<uint32_t> listWholeWork(const ImportedTrace &trace);

/// The sizes of a product that its arguments say: "Input Dims" of PyTorch, or
/// the sizes of ggml's sources. `args`: the text of a JSON object.
std::optional<ProductShape> readProductShape(StringRef name, StringRef args);

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_WORKMEANING_H
