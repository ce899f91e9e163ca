//===- OpNames.h - Which ops of a program a name is of ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_OPNAMES_H
#define LLM_LIB_TRACECOMPARISON_OPNAMES_H

#include "llm/TraceComparison/ProgramPattern.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

using PatternOps = SmallVector<unsigned, 4>; ///< sorted

/// What a name of a trace says when it is read as the path of a module.
struct NamedOps {
  PatternOps ops;     ///< it names these; several: it does not say which
  PatternOps inside;  ///< or a module that has these
  unsigned parts = 0; ///< of the path that agree with the name of the op
};

class OpNames {
public:
  explicit OpNames(const ProgramPattern &pattern);

  /// The ops and modules whose names end as the path does, as far as they agree
  /// most: "model.layers.3.self_attn.q_proj", "attn/q_proj", "q_proj".
  NamedOps find(StringRef path) const;

private:
  struct Named {
    SmallVector<std::string> parts;
    PatternOps ops;
  };
  using Index = llvm::StringMap<std::vector<Named>>; ///< by the last part
  static void add(Index &index, ArrayRef<std::string> parts, unsigned op);
  static PatternOps findIn(const Index &index, ArrayRef<std::string> parts,
                           unsigned &agreeing);

  Index opIndex, moduleIndex;
};

/// The number of the layer that a name of a trace has, or -1.
int64_t findLayer(StringRef name);

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_OPNAMES_H
