//===- TraceArgs.h - What a click on a slice shows --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACEARGS_H
#define LLM_LIB_EXPORT_TRACEARGS_H

#include "FunctionExplanation.h"
#include "llm/Analysis/Timeline.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

/// Writes the members of a slice's "args". What equal parts have in common is
/// turned into text once: slices of one op come one after the other.
class TraceArgs {
public:
  /// `explanation`: null, or what is said of each op.
  TraceArgs(const Timeline &timeline, const FunctionExplanation *explanation)
      : timeline(timeline), explanation(explanation) {}
  void write(::llvm::json::OStream &json, const Slice &slice,
             ArrayRef<std::string> dependsOn);

private:
  void writeLanes(::llvm::json::OStream &json, DictionaryAttr lanes);
  void findOp(unsigned op);
  void findCost(int64_t part);

  const Timeline &timeline;
  const FunctionExplanation *explanation;
  DictionaryAttr knownLanes;
  std::string lanesText;
  std::optional<unsigned> knownOp;
  std::string in, out, tile; ///< of that op; no tile: empty
  CostAttr cost;
  size_t record = 0; ///< in the cost: of parts [firstPart, endPart)
  int64_t firstPart = 0, endPart = 0;
  std::string costText;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACEARGS_H
