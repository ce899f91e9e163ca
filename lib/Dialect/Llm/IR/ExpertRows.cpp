//===- ExpertRows.cpp - How many rows each expert gets --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/ExpertRows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mlir::llm {

/// Shares the rows among the first `met` experts. If that is not even, the
/// first of them have one row more.
static std::vector<int64_t> shareEvenly(int64_t experts, int64_t met,
                                        int64_t rows) {
  std::vector<int64_t> counts(experts, 0);
  for (int64_t expert = 0; expert < met; ++expert)
    counts[expert] = rows / met + (expert < rows % met);
  return counts;
}

/// Returns how many experts T tokens meet if each selects k of E, with all sets
/// equally likely.
static int64_t expectedExperts(int64_t experts, int64_t topK, int64_t tokens) {
  double missed = 1 - static_cast<double>(topK) / experts;
  double met = experts * (1 - std::pow(missed, tokens));
  return std::clamp<int64_t>(std::llround(met), topK, experts);
}

/// Shares rows in proportion to 1 / (e + 1). The first experts take all tokens
/// as long as their share is as large, and the others share what is left.
/// Fractions are cut off, and what that leaves goes to the first of these
/// others, one row each.
static std::vector<int64_t> shareByRank(int64_t experts, int64_t rows,
                                        int64_t tokens) {
  std::vector<int64_t> counts(experts, 0);
  double weights = 0; // of experts from `first` on
  for (int64_t expert = 0; expert < experts; ++expert)
    weights += 1.0 / (expert + 1);
  int64_t first = 0, left = rows;
  for (; first < experts && left / weights / (first + 1) >= tokens; ++first) {
    counts[first] = std::min(tokens, left);
    left -= counts[first];
    weights -= 1.0 / (first + 1);
  }
  int64_t shared = 0;
  for (int64_t expert = first; expert < experts; ++expert) {
    counts[expert] = static_cast<int64_t>(left / weights / (expert + 1));
    shared += counts[expert];
  }
  for (int64_t expert = first; shared < left && expert < experts;
       ++expert, ++shared)
    ++counts[expert];
  return counts;
}

std::vector<int64_t> countExpertRows(Routing routing, int64_t experts,
                                     int64_t topK, int64_t tokens) {
  int64_t rows = tokens * topK;
  switch (routing) {
  case Routing::Uniform:
    return shareEvenly(experts, expectedExperts(experts, topK, tokens), rows);
  case Routing::Balanced:
    return shareEvenly(experts, std::min(experts, rows), rows);
  case Routing::Zipf:
    return shareByRank(experts, rows, tokens);
  }
  return {};
}

} // namespace mlir::llm
