//===- RopeConfig.cpp - Rotary embedding by the length of the context -----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/ModelConfig.h"

#include <cmath>

using namespace mlir::llm;

RopeConfig RopeConfig::atLength(int64_t positions, int64_t features) const {
  RopeConfig result = *this;
  if (!shortPositions || positions <= shortPositions)
    return result;
  if (longScaling)
    result.scaling = longScaling;
  if (dynamicFactor > 0 && features > 2) {
    double grown = dynamicFactor * static_cast<double>(positions) /
                       static_cast<double>(shortPositions) -
                   (dynamicFactor - 1);
    auto dim = static_cast<double>(features);
    result.theta = theta * std::pow(grown, dim / (dim - 2));
  }
  return result;
}
