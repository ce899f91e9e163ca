//===- ProgramPattern.h - The ops of a program, layers once -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern with which a trace is compared: the ops of a program in their
// order. Equal layers are in it once, whether the program has them as a loop or
// one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACECOMPARISON_PROGRAMPATTERN_H
#define LLM_TRACECOMPARISON_PROGRAMPATTERN_H

#include "llm/Program/Program.h"
#include "llm/Support/IndexedNames.h"
#include "llm/TraceComparison/OpExtents.h"

namespace mlir::llm {

/// One op, for all layers that have it.
struct PatternOp {
  std::string name;                ///< "{}" stands for the layer
  SmallVector<StringRef, 2> kinds; ///< without dialect: "matmul"
  /// The numbers of the layers that have it. An op outside of layers has none.
  std::vector<int64_t> layers;
  /// Ops of the program: one, or one for each layer if layers are not in a
  /// loop.
  std::vector<unsigned> ops;
  unsigned step = 0; ///< its index in `steps`
  OpExtents extents;
  std::optional<ProductSizes> product;
  Value input; ///< the first input; products with the same one may be fused

  bool hasKind(StringRef kind) const { return llvm::is_contained(kinds, kind); }
};

/// Ops that run as one piece of work by default: one op, or several ropes in a
/// row.
struct PatternStep {
  unsigned firstOp = 0, endOp = 0;
};

/// Steps that run `trips` times, one iteration after the other.
struct PatternLoop {
  unsigned firstStep = 0, endStep = 0;
  int64_t trips = 1;
};

class ProgramPattern {
public:
  /// The program must outlive it.
  explicit ProgramPattern(const Program &program);

  const Program &program() const { return theProgram; }
  ArrayRef<PatternOp> ops() const { return patternOps; }
  ArrayRef<PatternStep> steps() const { return patternSteps; }
  /// Returns the loops, inner ones first.
  ArrayRef<PatternLoop> loops() const { return patternLoops; }
  /// Says whether all layers are alike. For a program of one layer, any layer
  /// of a model is a run.
  bool hasOneLayer() const { return oneLayer; }
  /// Says whether the layer of that number has the op. It may be -1 for an
  /// unknown layer.
  bool isIn(unsigned patternOp, int64_t layer) const;
  /// Returns the op of the program in that layer, which must have it. If the op
  /// is in no layer, or for -1, it is the op of that iteration.
  unsigned findOp(unsigned patternOp, int64_t layer, int64_t iteration) const;

private:
  void addItems(ArrayRef<ProgramItem> items, std::optional<IndexRange> loop);
  void addStretch(ArrayRef<unsigned> ops, std::optional<IndexRange> loop);
  void addOps(ArrayRef<unsigned> ops, std::optional<IndexRange> loop);
  void addSteps(unsigned firstOp);

  const Program &theProgram;
  std::vector<PatternOp> patternOps;
  std::vector<PatternStep> patternSteps;
  std::vector<PatternLoop> patternLoops;
  bool oneLayer = false;
};

/// A name without the numbers of layers and experts, and the first of these
/// numbers. It is -1 if there is none.
struct NameWithoutLayer {
  std::string name;
  int64_t layer = -1;
};
NameWithoutLayer takeLayer(StringRef name);

} // namespace mlir::llm

#endif // LLM_TRACECOMPARISON_PROGRAMPATTERN_H
