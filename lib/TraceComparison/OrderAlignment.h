//===- OrderAlignment.h - Work beside ops by their order --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If no name tells which op a piece of work is, its kind, its sizes and its
// place among other pieces do. The pieces are a walk through the steps of the
// program, which repeats layers and passes. This finds the walk that explains
// most pieces, with Viterbi's algorithm in steps times pieces.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H
#define LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H

#include "WorkMeaning.h"

#include <map>

namespace mlir::llm {

/// The steps of the program that a piece of work is.
struct PlacedPiece {
  SmallVector<unsigned, 3> steps; ///< empty if it is no step of the program
  bool continues = false;         ///< same steps as the piece before
  bool isBySizes = false;         ///< its sizes agree with the steps'
};

class OrderAlignment {
public:
  /// `order` has the number of each step once, in the order in which they run.
  OrderAlignment(const ProgramPattern &pattern, ArrayRef<unsigned> order);

  /// Places the pieces. The result has as many entries, in their order.
  std::vector<PlacedPiece> place(ArrayRef<WorkPiece> pieces);
  /// Returns how well the best walk explains the pieces. Higher is better.
  int64_t scoreOf(ArrayRef<WorkPiece> pieces);

private:
  /// A way to explain a piece, by these steps, one behind the other.
  struct Option {
    SmallVector<unsigned, 3> steps;
    int score = 0;
    bool isBySizes = false;
  };
  /// The options of pieces about which the trace says the same.
  struct PieceClass {
    std::vector<Option> options;
    std::vector<bool> continuesAt; ///< by step
    int continueScore = 0;
    int extraScore = 0; ///< if it is no step
  };
  /// How the best walk came to a state: from which state, and by which option.
  struct Trail {
    uint32_t from = 0;
    int32_t option = 0; ///< or isExtra, or goesOn
  };
  static constexpr int32_t isExtra = -1, goesOn = -2;

  const PieceClass &classOf(const WorkPiece &piece);
  PieceClass makeClass(const WorkPiece &piece) const;
  void addNamed(const WorkPiece &piece, PieceClass &made) const;
  void addByKind(const WorkPiece &piece, PieceClass &made) const;
  void addProducts(const WorkPiece &piece, unsigned step,
                   PieceClass &made) const;
  void addSequence(ArrayRef<std::string> kinds, PieceClass &made) const;
  bool isAllowed(const WorkPiece &piece, unsigned step) const;
  bool areSizesAlike(const WorkPiece &piece, unsigned step) const;
  bool hasKind(unsigned step, StringRef kind) const;

  void placeWindow(ArrayRef<WorkPiece> pieces, size_t commit,
                   std::vector<int> &scores, std::vector<PlacedPiece> &placed);
  void skipSteps(std::vector<int> &scores, MutableArrayRef<uint32_t> skips);
  /// Returns by how much the best score rose.
  int takePiece(const PieceClass &piece, std::vector<int> &scores,
                MutableArrayRef<Trail> trails);
  /// Returns the scores before the first piece. A walk may begin anywhere.
  std::vector<int> startScores() const;

  const ProgramPattern &pattern;
  std::vector<unsigned> order;
  std::vector<SmallVector<unsigned, 2>> successors, predecessors; ///< by step
  std::map<std::vector<int64_t>, PieceClass> classes;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H
