//===- LayerRuns.h - Equal layers in a row ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LAYERRUNS_H
#define LLM_LIB_IMPORT_LAYERRUNS_H

#include "llm/Import/ModelConfig.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::llm {

/// Layers first .. first + period * repeats - 1, of which each is equal to the
/// one `period` before it.
struct LayerRun {
  int64_t first = 0, period = 1, repeats = 1;
};

/// Splits all layers into runs, so that few bodies stand for many layers. At
/// each layer it takes the run that covers most layers, and among these the one
/// with the shortest period.
std::vector<LayerRun> findLayerRuns(llvm::ArrayRef<LayerConfig> layers);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LAYERRUNS_H
