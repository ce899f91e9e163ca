//===- ExpertExchange.h - Rows that go to experts and come back -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_KERNELS_EXPERTEXCHANGE_H
#define LLM_COST_KERNELS_EXPERTEXCHANGE_H

#include "llm/Cost/Kernels/CollectiveModel.h"

namespace mlir::llm {

/// Which way rows go.
enum class ExpertWay { Dispatch, Combine };

/// Tokens of each chip whose experts lie on all chips of a group.
struct ExpertExchange {
  ExpertWay way;
  int64_t chips;    ///< two or more
  int64_t tokens;   ///< of each chip
  int64_t rowBytes; ///< of a token, with its scales
  /// The chips that the experts of a token lie on, this one included.
  double chipsPerToken;
};

/// Returns on how many of `chips` the `topK` experts of a token lie on average,
/// if each may lie on any: n (1 - (1 - 1 / n)^k).
double chipsOfRandomExperts(int64_t chips, int64_t topK);
/// The same if routing spreads them over as many chips as it can.
double chipsOfSpreadExperts(int64_t chips, int64_t topK);

/// Times the exchange over a link: the row of a token goes once to each chip
/// that has experts for it, and one sum of rows comes back from there:
///
///     a + b (n - 1) + tokens rowBytes chipsPerToken (n - 1) / n / r
///
/// The figures are those of the link for this way. If it has none, the bytes
/// pass as those of an all-to-all do.
CollectiveTime timeExpertExchange(const ExpertExchange &exchange,
                                  const Link &link,
                                  double memoryBytesPerSecond);

} // namespace mlir::llm

#endif // LLM_COST_KERNELS_EXPERTEXCHANGE_H
