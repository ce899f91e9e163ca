//===- GgmlGraph.h - Captured graphs of ggml as programs --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph that a program has run becomes one of this compiler, so that what ran
// on one machine can be predicted on another.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_GRAPHIMPORT_GGMLGRAPH_H
#define LLM_GRAPHIMPORT_GGMLGRAPH_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/TraceImport/GgmlCapture.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::llm {

/// Loads the dialects of the IR that `buildCapturedGraph` makes.
void loadGraphDialects(MLIRContext *context);

/// Returns the graph that is taken if none is named. It is the one with the
/// most nodes and, among several, the one that ran most often. There is at
/// least one graph.
size_t findMainGraph(ArrayRef<CapturedGraph> graphs);

struct CapturedProgram {
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> losses;      ///< what is not as in the graph
  std::vector<std::string> assumptions; ///< for what is not in a capture
};

/// What may be chosen of a program that is made of a graph.
struct CapturedProgramForm {
  /// A capture has the sizes of a mask, and not which keys it shows.
  MaskKind mask = MaskKind::Full;
  /// The type that replaces f32, in which ggml computes. Null keeps f32.
  FloatType floatType;
  /// The run of the graph whose experts are taken, of those that the capture
  /// knows. If none is given, it is one that chose as many as most do.
  std::optional<size_t> run;
};

/// Returns a module with one function. Weights are sources, what the program
/// gave to the graph are arguments, and what no node reads is returned. Ops of
/// the llm dialect are recognised by structure; others become linalg ops that
/// move the same bytes. A capture does not have the positions of tokens, so new
/// ones stand at the end of the keys. Graphs that have tensors of unknown
/// types, or none at all, and runs that are not there, are an error at
/// `location`.
FailureOr<CapturedProgram> buildCapturedGraph(const CapturedGraph &graph,
                                              StringRef functionName,
                                              const CapturedProgramForm &form,
                                              Location location);

} // namespace mlir::llm

#endif // LLM_GRAPHIMPORT_GGMLGRAPH_H
