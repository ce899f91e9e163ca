//===- Readout.h - The schedule that a model stands for ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXACTSCHEDULING_READOUT_H
#define LLM_LIB_EXACTSCHEDULING_READOUT_H

#include "Model.h"

namespace mlir::llm::scheduling::exact {

/// Reads the slots from a model in which everything is decided, by task and
/// part. On machines of several places, each activity takes the first engine
/// that is free.
Solution readOut(const Model &model);

} // namespace mlir::llm::scheduling::exact

#endif // LLM_LIB_EXACTSCHEDULING_READOUT_H
