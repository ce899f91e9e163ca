//===- StagedFitter.h - Clocks and energies by their own rows ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_STAGEDFITTER_H
#define LLM_LIB_PROFILE_STAGEDFITTER_H

#include "Fitter.h"

namespace mlir::llm {

/// Finds the rows of a target with a power limit that multiply for so long that
/// they may meet it: 200 us or longer, and not bound by memory. Their loss does
/// not tell how much the clock has in it, and how much the limit.
llvm::BitVector findSustainedRows(const RowModels &models,
                                  const Target &target);

/// Fits figures in two stages if clocks or energies are among them. All but the
/// energies are fitted to the rows that are not sustained, and then the
/// energies to those that are. So giants that the power limit slows down do not
/// move the clock.
class StagedFitter {
public:
  /// All arguments must outlive this.
  StagedFitter(const RowModels &models, const Target &start,
               const std::vector<FigureRange> &figures,
               const llvm::BitVector &sustained);

  /// Does what `Fitter::fit` does, with rows of `indices`.
  std::vector<double> fit(ArrayRef<size_t> indices,
                          Fitter::Progress progress) const;
  /// Returns the better of that fit and of one that starts at `logs`, by
  /// stages.
  std::vector<double> improve(ArrayRef<double> logs, ArrayRef<size_t> indices,
                              Fitter::Progress progress) const;
  /// Returns the standard error of each figure's logarithm at `logs`.
  std::vector<double> uncertainty(ArrayRef<double> logs,
                                  ArrayRef<size_t> indices) const;

private:
  struct Stage {
    std::vector<size_t> places; ///< of its figures among all
    std::vector<FigureRange> figures;
    llvm::BitVector rows;
  };
  /// Calls `fit` with each stage. It gets a target with what the stages before
  /// have found, the logarithms of the stage's figures, and its rows of
  /// `indices`. Its result replaces these logarithms.
  using FitStage = llvm::function_ref<std::vector<double>(
      const Stage &, const Target &, std::vector<double>,
      const std::vector<size_t> &)>;
  std::vector<double> forEachStage(std::vector<double> logs,
                                   ArrayRef<size_t> indices,
                                   FitStage fit) const;

  const RowModels &models;
  const Target &start;
  const std::vector<FigureRange> &figures;
  std::vector<Stage> stages;
};

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_STAGEDFITTER_H
