//===- ExpertExchange.cpp - Rows that go to experts and come back ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/ExpertExchange.h"

#include <algorithm>

using namespace mlir::llm;

/// Multiplies and adds only, so that every machine computes the same.
double mlir::llm::chipsOfRandomExperts(int64_t chips, int64_t topK) {
  double missed = 1; // the share of tokens without an expert on a chip
  double factor = 1 - 1 / double(chips);
  for (int64_t left = topK; left > 0; left /= 2, factor *= factor)
    if (left % 2 == 1)
      missed *= factor;
  return double(chips) * (1 - missed);
}

double mlir::llm::chipsOfSpreadExperts(int64_t chips, int64_t topK) {
  return double(std::min(chips, topK));
}
