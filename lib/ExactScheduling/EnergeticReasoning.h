//===- EnergeticReasoning.h - What must happen within a window --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_ENERGETICREASONING_H
#define LLM_LIB_EXACTSCHEDULING_ENERGETICREASONING_H

#include "Instance.h"

namespace mlir::llm::scheduling::exact {

class Model;

/// What activities share, a limited amount at a time: the lanes of a resource,
/// or the engines of some groups.
struct EnergyPool {
  int64_t capacity = 0;
  std::vector<std::vector<int64_t>> held; ///< by activity and way
};
struct EnergyPools {
  std::vector<EnergyPool> all;
};

EnergyPools makePools(const Instance &instance);

/// Posts energetic reasoning (Erschler and Lopez, 1990; Baptiste, Le Pape and
/// Nuijten, 1999): within no window of time do activities need more, at the
/// least, than there is. A part and its fetches are looked at together, since
/// bytes that are not fetched are streamed.
void postEnergy(Model &model, const EnergyPools &pools);

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_ENERGETICREASONING_H
