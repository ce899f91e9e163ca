//===- DotWriter.h - The data flow for Graphviz -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_GRAPH_DOTWRITER_H
#define LLM_LIB_EXPORT_GRAPH_DOTWRITER_H

#include "llm/Export/Passes.h"
#include "llm/Results/OpGraph.h"

namespace mlir::llm {

/// Modules are clusters down to `depth` levels. A module below these levels is
/// one node.
void writeDot(const OpGraph &graph, DotColor color, unsigned depth,
              ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_GRAPH_DOTWRITER_H
