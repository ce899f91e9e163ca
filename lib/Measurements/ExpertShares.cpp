//===- ExpertShares.cpp - Rows of experts in measured routing -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpertShares.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

/// Returns the weights of experts, from large to small: the quantiles of a
/// power law between `least` and `most`.
static std::vector<double> powerLaw(size_t experts, double exponent,
                                    double least, double most) {
  double power = 1 - exponent;
  double low = std::pow(least, power), high = std::pow(most, power);
  std::vector<double> weights;
  for (size_t expert = experts; expert-- > 0;) {
    double quantile = (double(expert) + 0.5) / double(experts);
    weights.push_back(std::pow((high - low) * quantile + low, 1 / power));
  }
  return weights;
}

/// Adds `rows`, one by one, to the smallest of counts that fall.
static void addToSmallest(int64_t rows, std::vector<int64_t> &counts) {
  while (rows > 0) {
    auto equal = llvm::find(counts, counts.back());
    for (; equal != counts.end() && rows > 0; ++equal, --rows)
      ++*equal;
  }
}

/// Takes `rows`, one by one, from the largest of counts that fall.
static void takeFromLargest(int64_t rows, std::vector<int64_t> &counts) {
  while (rows > 0) {
    size_t equal = size_t(llvm::count(counts, counts.front()));
    for (; equal > 0 && rows > 0; --equal, --rows)
      --counts[equal - 1];
  }
}

/// Rounds the shares of `rows`, from large to small, such that none is above
/// `most`. What is missing goes to the smallest, so that few rows are of as
/// many experts as there are rows.
static std::vector<int64_t> share(int64_t rows, int64_t most,
                                  const std::vector<double> &weights) {
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> counts;
  for (double weight : weights)
    counts.push_back(
        std::min<int64_t>(most, std::llround(weight / sum * double(rows))));
  int64_t left =
      rows - std::accumulate(counts.begin(), counts.end(), int64_t(0));
  addToSmallest(left, counts);
  takeFromLargest(-left, counts);
  return counts;
}

static FailureOr<int64_t> numberIn(const MeasuredRow &row, StringRef column,
                                   Reasons reasons) {
  auto found = row.cells.find(column.str());
  int64_t number = 0;
  constexpr int64_t most = int64_t(1) << 30;
  if (found != row.cells.end() &&
      !StringRef(found->second).getAsInteger(10, number) && number >= 1 &&
      number <= most)
    return number;
  return reasons.refuse(row.location)
         << "'" << row.opKind << "' needs '" << column
         << "', a whole number of at least 1 and at most " << most;
}

FailureOr<std::vector<int64_t>> mlir::llm::rowsPerExpert(const MeasuredRow &row,
                                                         Reasons reasons) {
  FailureOr<int64_t> tokens = numberIn(row, "tokens", reasons),
                     topK = numberIn(row, "topk", reasons),
                     experts = numberIn(row, "experts", reasons),
                     own = numberIn(row, "experts_per_rank", reasons);
  if (failed(tokens) || failed(topK) || failed(experts) || failed(own))
    return failure();
  if (*own > *experts || *topK > *experts)
    return reasons.refuse(row.location)
           << "'experts' must be at least 'experts_per_rank' and 'topk'";
  std::vector<double> weights(*experts, 1);
  auto flag = row.cells.find("flag");
  StringRef routing = row.routing;
  double exponent = 0;
  if (routing.consume_front("power_law_")) {
    if (routing.getAsDouble(exponent) || exponent <= 0 || exponent == 1)
      return reasons.refuse(row.location)
             << "'routing' must be balanced or power_law_ and an exponent, "
                "got '"
             << row.routing << "'";
    bool areFew = *tokens * *topK <= *experts;
    weights = areFew ? powerLaw(*experts, exponent, 0.01, 2)
                     : powerLaw(*experts, exponent, 1,
                                std::max(1.5, 0.8 * double(*tokens)));
  } else if (flag != row.cells.end() &&
             StringRef(flag->second).contains("half_experts_read")) {
    weights.resize(std::max<int64_t>(*topK, *experts / 2));
  }
  std::vector<int64_t> counts = share(*tokens * *topK, *tokens, weights);
  // Ranks have every so manieth expert. The first rank has the largest of each,
  // and its experts are among those that are read, as long as there are so
  // many.
  if (*own > int64_t(counts.size()))
    counts.resize(*experts);
  std::vector<int64_t> ofRank;
  for (int64_t expert = 0; expert < *own; ++expert)
    ofRank.push_back(counts[expert * int64_t(counts.size()) / *own]);
  return ofRank;
}
