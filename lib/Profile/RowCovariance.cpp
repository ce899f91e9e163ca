//===- RowCovariance.cpp - How errors of rows vary together ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCovariance.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Standard deviations of ln(predicted / measured). Presets that were not
/// fitted on a chip are 5 to 17 % off there (docs/accuracy.md), half of it in
/// the same direction.
static constexpr double offsetOfKind = 0.15, offsetOfShape = 0.1;
/// How many doublings of one size make the errors of two shapes differ.
static constexpr double doublings = 4;

static std::vector<double> placeOf(const MeasuredRow &row) {
  std::vector<double> place;
  for (std::optional<int64_t> size :
       {row.m, row.n, row.k, row.batch, row.heads, row.kvHeads, row.headDim,
        row.qLen, row.kvLen, row.rows, row.cols, row.devices, row.messageBytes,
        row.topK})
    place.push_back(size && *size > 0 ? std::log2(double(*size)) : 0);
  return place;
}

RowCovariance::RowCovariance(ArrayRef<const MeasuredRow *> rows,
                             std::vector<std::vector<double>> derivatives,
                             std::vector<double> deviations)
    : derivatives(std::move(derivatives)), deviations(std::move(deviations)) {
  for (const MeasuredRow *row : rows) {
    kinds.push_back(row->opKind + " " + row->dtype);
    places.push_back(placeOf(*row));
  }
}

double RowCovariance::between(size_t one, size_t other) const {
  double sum = 0;
  for (size_t figure = 0; figure < deviations.size(); ++figure)
    sum += deviations[figure] * deviations[figure] * derivatives[figure][one] *
           derivatives[figure][other];
  if (kinds[one] != kinds[other])
    return sum;
  double distance = 0;
  for (size_t size = 0; size < places[one].size(); ++size) {
    double apart = (places[one][size] - places[other][size]) / doublings;
    distance += apart * apart;
  }
  return sum + offsetOfKind * offsetOfKind +
         offsetOfShape * offsetOfShape * std::exp(-distance / 2);
}
