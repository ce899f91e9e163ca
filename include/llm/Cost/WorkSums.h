//===- WorkSums.h - All the work of an op, in real numbers ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_WORKSUMS_H
#define LLM_COST_WORKSUMS_H

#include "llm/Cost/UnitKernel.h"
#include "llm/Support/Units.h"

namespace mlir::llm {

/// Returns the count as a real number. If it does not fit into 64 bits, this is
/// `maxCount`; such an op has no cost anyway.
inline double toReal(Count count) {
  return succeeded(count) ? double(*count) : double(maxCount);
}

/// Returns the bytes of one element, with its share of the scales.
inline double bytesOfElement(const Buffer &buffer) {
  constexpr int64_t many = 4096;
  return toReal(storageBytes(buffer, many)) / many;
}

/// Adds the work of one stage to `sums`.
inline void addWork(WorkloadOpInterface op, const Workload &workload,
                    unsigned stage, WorkSums &sums) {
  double points = toReal(op.countPoints(workload, stage, workload.fullBox()));
  for (auto [kind, perPoint] : workload.stages[stage].workPerPoint) {
    WorkKind pipe = workload.stages[stage].pipeOf(kind);
    (pipe == WorkKind::Mac       ? sums.macs
     : pipe == WorkKind::Alu     ? sums.alu
     : pipe == WorkKind::Special ? sums.special
                                 : sums.compare) += points * double(perPoint);
  }
}

inline WorkSums sumWork(WorkloadOpInterface op, const Workload &workload) {
  WorkSums sums;
  for (unsigned stage = 0; stage < workload.stages.size(); ++stage)
    addWork(op, workload, stage, sums);
  return sums;
}

/// Returns the stages that multiply and accumulate.
inline SmallVector<const Stage *, 2>
findContractions(const Workload &workload) {
  SmallVector<const Stage *, 2> found;
  for (const Stage &stage : workload.stages)
    if (llvm::any_of(stage.workPerPoint, [&](auto work) {
          return stage.pipeOf(work.first) == WorkKind::Mac;
        }))
      found.push_back(&stage);
  return found;
}

/// Returns the product of the sizes of some loops, or `maxCount` if it is
/// larger.
template <typename SizeOf>
int64_t productOf(ArrayRef<unsigned> loops, SizeOf sizeOf) {
  if (loops.size() == 1) // nearly always, and called often
    return sizeOf(loops.front());
  int64_t product = 1;
  for (unsigned loop : loops)
    product = checkedMul(product, sizeOf(loop)).value_or(maxCount);
  return product;
}

} // namespace mlir::llm

#endif // LLM_COST_WORKSUMS_H
