//===- ModelExplorer.h - Graphs for Google's Model Explorer -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is that of src/ui/src/components/visualizer/common/input_graph.ts
// (GraphCollection) and types.ts (NodeDataProviderGraphData) in
// https://github.com/google-ai-edge/model-explorer.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_GRAPH_MODELEXPLORER_H
#define LLM_LIB_EXPORT_GRAPH_MODELEXPLORER_H

#include "llm/Results/OpGraph.h"

namespace mlir::llm {

/// Writes one collection with a graph for each function.
void writeGraphCollection(ArrayRef<OpGraph> graphs, ::llvm::raw_ostream &os);
/// Writes data for the nodes of these graphs: microseconds of all runs.
void writeTimeOverlay(ArrayRef<OpGraph> graphs, ::llvm::raw_ostream &os);
/// Writes data for the nodes of these graphs: what bounds the ops.
void writeBoundOverlay(ArrayRef<OpGraph> graphs, ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_GRAPH_MODELEXPLORER_H
