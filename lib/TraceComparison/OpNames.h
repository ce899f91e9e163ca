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

/// What a name of a trace means when it is read as the path of a module.
struct NamedOps {
  PatternOps ops;     ///< the ops that it may name
  PatternOps inside;  ///< or else the ops of the module that it names
  unsigned parts = 0; ///< parts of the path that agree with the op's
};

class OpNames {
public:
  explicit OpNames(const ProgramPattern &pattern);

  /// Finds the ops and modules whose names end as the path does. Among those,
  /// it takes the ones that agree in most parts:
  /// "model.layers.3.self_attn.q_proj", "attn/q_proj", "q_proj".
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

/// Returns the number of the layer in a name of a trace, or -1.
int64_t findLayer(StringRef name);

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_OPNAMES_H
