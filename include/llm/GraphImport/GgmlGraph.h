//===- GgmlGraph.h - Captured graphs of ggml as programs --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a graph that a program of ggml has run into a program of this compiler,
// so that what ran on one machine can be predicted for another.
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

/// Returns the graph that is taken if the user names none. It is the one with
/// the most nodes, and of several such graphs the one that ran most often.
/// `graphs` must not be empty.
size_t findMainGraph(ArrayRef<CapturedGraph> graphs);

struct CapturedProgram {
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> losses;      ///< what differs from the graph
  std::vector<std::string> assumptions; ///< about what a capture does not have
};

/// Choices for a program that is made from a graph.
struct CapturedProgramForm {
  /// The mask. A capture has only its sizes, not which keys it shows.
  MaskKind mask = MaskKind::Full;
  /// The type that replaces f32, in which ggml computes. Null keeps f32.
  FloatType floatType;
  /// The run of the graph whose chosen experts are used, of those that the
  /// capture has. If none is given, it is the run with the median number of
  /// experts.
  std::optional<size_t> run;
};

/// Returns a module with one function. Weights are sources, what the program
/// gave to the graph are arguments, and what no node reads is returned. Ops of
/// the llm dialect are recognised by structure; others become linalg ops that
/// move the same bytes. A capture does not have the positions of tokens, so new
/// tokens are assumed to be the last keys. It is an error at `location` if a
/// graph has no tensors or tensors of unknown types, or if `form.run` does not
/// exist.
FailureOr<CapturedProgram> buildCapturedGraph(const CapturedGraph &graph,
                                              StringRef functionName,
                                              const CapturedProgramForm &form,
                                              Location location);

} // namespace mlir::llm

#endif // LLM_GRAPHIMPORT_GGMLGRAPH_H
