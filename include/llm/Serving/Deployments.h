//===- Deployments.h - All ways to use some chips ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SERVING_DEPLOYMENTS_H
#define LLM_SERVING_DEPLOYMENTS_H

#include "llm/Serving/ServedReport.h"

namespace mlir::llm {

/// Returns all ways to use exactly so many chips for requests at a time: copies
/// of the model, and how each is cut. A copy has one request or more, and a
/// stage one layer or more. The chips of `ep` divide the experts, and those of
/// `dp` share a model with experts only, and the requests of a copy evenly. (Of
/// others, more copies do the same.) Chips that have copies of a KV head keep
/// them, or all of them share its keys (`cp`).
std::vector<Deployment> listDeployments(const ModelConfig &model, int64_t chips,
                                        int64_t requests);

/// A deployment, and why it was not predicted.
struct RefusedDeployment {
  Deployment deployment;
  std::string reason;
};

/// Prints a line for each way to use chips for one load, with what it needs on
/// a chip. Those that fit come first, from most tokens per second on, and no
/// more than `most`. Those that no other one beats both for a user and for a
/// chip have a '*'. If none fits, all are printed, the smallest first.
void printServedCuts(::llvm::raw_ostream &os, StringRef target,
                     ArrayRef<ServedPrediction> predictions,
                     ArrayRef<RefusedDeployment> refused, size_t most);

} // namespace mlir::llm

#endif // LLM_SERVING_DEPLOYMENTS_H
