//===- Identify.cpp - How well residuals determine parameters -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Identify.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace {
using Matrix = std::vector<std::vector<double>>;
} // namespace

/// Returns a robust standard deviation: 1.4826 times the median magnitude,
/// which is that of a normal distribution.
static double spreadOf(std::vector<double> residuals) {
  for (double &residual : residuals)
    residual = std::abs(residual);
  llvm::sort(residuals);
  return residuals.empty() ? 0 : 1.4826 * residuals[residuals.size() / 2];
}

/// Returns the diagonal of the inverse of a small symmetric matrix, by Gauss
/// and Jordan with pivots. It is infinite where a pivot vanishes.
static std::vector<double> inverseDiagonal(Matrix matrix) {
  size_t size = matrix.size();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Matrix inverse(size, std::vector<double>(size, 0));
  double largest = 0;
  for (size_t row = 0; row < size; ++row) {
    inverse[row][row] = 1;
    largest = std::max(largest, matrix[row][row]);
  }
  std::vector<double> diagonal(size, infinity);
  std::vector<bool> isSingular(size, false);
  for (size_t column = 0; column < size; ++column) {
    double pivot = matrix[column][column];
    if (pivot <= 1e-12 * largest) {
      isSingular[column] = true;
      continue;
    }
    for (size_t other = 0; other < size; ++other) {
      matrix[column][other] /= pivot;
      inverse[column][other] /= pivot;
    }
    for (size_t row = 0; row < size; ++row) {
      double factor = matrix[row][column];
      if (row == column || factor == 0)
        continue;
      for (size_t other = 0; other < size; ++other) {
        matrix[row][other] -= factor * matrix[column][other];
        inverse[row][other] -= factor * inverse[column][other];
      }
    }
  }
  for (size_t row = 0; row < size; ++row)
    if (!isSingular[row])
      diagonal[row] = inverse[row][row];
  return diagonal;
}

Matrix mlir::llm::differentiate(
    ArrayRef<double> point,
    llvm::function_ref<std::vector<double>(ArrayRef<double>)> function) {
  // The step is wide enough to cross the steps of whole waves of tiles.
  constexpr double step = 0.05;
  Matrix jacobian;
  for (size_t index = 0; index < point.size(); ++index) {
    std::vector<double> above(point.begin(), point.end()), below = above;
    above[index] += step;
    below[index] -= step;
    std::vector<double> high = function(above), low = function(below);
    for (size_t row = 0; row < high.size(); ++row)
      high[row] = (high[row] - low[row]) / (2 * step);
    jacobian.push_back(std::move(high));
  }
  return jacobian;
}

std::vector<double> mlir::llm::standardErrors(
    ArrayRef<double> point,
    llvm::function_ref<std::vector<double>(ArrayRef<double>)> residuals) {
  Matrix jacobian = differentiate(point, residuals);
  Matrix gram(point.size(), std::vector<double>(point.size(), 0));
  for (size_t a = 0; a < point.size(); ++a)
    for (size_t b = 0; b < point.size(); ++b)
      for (size_t row = 0; row < jacobian[a].size(); ++row)
        gram[a][b] += jacobian[a][row] * jacobian[b][row];
  double spread = spreadOf(residuals(point));
  std::vector<double> errors = inverseDiagonal(std::move(gram));
  for (double &error : errors)
    error = spread * std::sqrt(std::max(0.0, error));
  return errors;
}
