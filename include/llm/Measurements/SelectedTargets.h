//===- SelectedTargets.h - A target for each library of kernels -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_SELECTEDTARGETS_H
#define LLM_MEASUREMENTS_SELECTEDTARGETS_H

#include "llm/Measurements/MeasuredTable.h"
#include "llm/Target/Target.h"

#include <map>

namespace mlir::llm {

/// Variants of one target, with the kernels of each row's library and with
/// launches as the row was timed.
class SelectedTargets {
public:
  /// `target` must outlive this.
  explicit SelectedTargets(const Target &target) : target(target) {}

  const Target &of(const MeasuredRow &row) {
    auto [known, isNew] =
        selected.try_emplace({row.kernelLibrary(), row.isReplayed()}, target);
    if (isNew)
      selectKernels(known->second, row.kernelLibrary(), row.isReplayed());
    return known->second;
  }

private:
  const Target &target;
  std::map<std::pair<std::string, bool>, Target> selected;
};

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_SELECTEDTARGETS_H
