//===- OrderAlignment.h - Work beside ops by their order --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no name says which op a piece of work is, its kind, its sizes and its
// place among the others do. The pieces are a walk through the steps of the
// program, in which layers and passes come again; the walk is found that
// explains most of them. (Viterbi's algorithm: steps times pieces.)
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H
#define LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H

#include "WorkMeaning.h"

#include <map>

namespace mlir::llm {

/// The steps that a piece of work is.
struct PlacedPiece {
  SmallVector<unsigned, 3> steps; ///< none: it is no step of the program
  bool continues = false;         ///< with the steps of the one before
  bool isBySizes = false;         ///< which agree with those of the steps
};

class OrderAlignment {
public:
  explicit OrderAlignment(const ProgramPattern &pattern);

  /// In the order of the pieces, as many.
  std::vector<PlacedPiece> place(ArrayRef<WorkPiece> pieces);

private:
  /// A way to be explained: by the steps, one behind the other.
  struct Option {
    SmallVector<unsigned, 3> steps;
    int score = 0;
    bool isBySizes = false;
  };
  /// Pieces of which the same is said.
  struct PieceClass {
    std::vector<Option> options;
    std::vector<bool> continuesAt; ///< by step
    int continueScore = 0;
    int extraScore = 0; ///< for being no step
  };
  /// How the best walk came to a state: from which one, by which option.
  struct Trail {
    uint32_t from = 0;
    int32_t option = 0; ///< or one of the two below
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
  void takePiece(const PieceClass &piece, std::vector<int> &scores,
                 MutableArrayRef<Trail> trails);

  const ProgramPattern &pattern;
  std::vector<SmallVector<unsigned, 2>> successors, predecessors; ///< by step
  std::map<std::vector<int64_t>, PieceClass> classes;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_ORDERALIGNMENT_H
