//===- Fitter.h - Figures that bring predictions near to rows ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_FITTER_H
#define LLM_LIB_PROFILE_FITTER_H

#include "FigureRanges.h"
#include "Minimize.h"
#include "llm/Profile/RowModel.h"

namespace mlir::llm {

/// The most that |ln(predicted / measured)| of a row counts, because outliers
/// are mistakes.
inline constexpr double mostLogError = 0.4;

/// Finds the logarithms of figures with the least mean of |ln(predicted /
/// measured)|, cut at `mostLogError`. A figure's inertia counts as rows do.
/// Figures that share no row are fitted apart: the time of a product does not
/// depend on the figures of attention.
class Fitter {
public:
  using Progress = llvm::function_ref<void(double)>;

  /// All arguments must outlive this.
  Fitter(const RowModels &models, const Target &start,
         const std::vector<FigureRange> &figures);

  /// Fits to the rows of `indices`, from where figures start. `progress` gets
  /// the share that is done.
  std::vector<double> fit(ArrayRef<size_t> indices, Progress progress) const;
  /// Fits the same, from a solution for nearly the same rows on.
  std::vector<double> refit(std::vector<double> logs, ArrayRef<size_t> indices,
                            Progress progress) const;
  /// Takes the better one of two solutions, for each set of figures that are
  /// fitted together.
  std::vector<double> takeBetter(std::vector<double> one,
                                 ArrayRef<double> other,
                                 ArrayRef<size_t> indices) const;

private:
  /// Figures, and all rows that any of them changes.
  struct Block {
    std::vector<size_t> figures;
    llvm::BitVector rows;
  };
  void findBlocks();
  SearchBox boxOf(const Block &block, ArrayRef<double> logs) const;
  std::vector<size_t> rowsOf(const Block &block,
                             ArrayRef<size_t> indices) const;
  std::vector<double> fitBlocks(std::vector<double> logs,
                                ArrayRef<size_t> indices, bool isNear,
                                Progress progress) const;
  void fitBlock(const Block &block, ArrayRef<size_t> indices, bool isNear,
                std::vector<double> &logs, Progress progress) const;
  /// Whether most rows are no outliers where figures start. Otherwise the start
  /// tells nothing.
  bool isStartPlausible(ArrayRef<size_t> indices) const;
  /// The mean error, and the median if that counts, too: what half of the rows
  /// stay below then counts as much as those that no figure brings near.
  double lossOf(ArrayRef<double> logs, ArrayRef<size_t> indices,
                double mostError, bool hasInertia,
                bool countsMedian = true) const;

  const RowModels &models;
  const Target &start;
  const std::vector<FigureRange> &figures;
  std::vector<Block> blocks;
};

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_FITTER_H
