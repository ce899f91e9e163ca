//===- ExpertExchange.cpp - Rows that go to experts and come back ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/ExpertExchange.h"

using namespace mlir;
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

namespace {
/// The figures of a link for one way.
struct WayFigures {
  std::optional<int64_t> startNanoseconds, peerNanoseconds, bytesPerSecond;
};
} // namespace

static WayFigures figuresOf(ExpertWay way, const Link &link) {
  if (way == ExpertWay::Dispatch)
    return {link.expertDispatchNanoseconds, link.expertDispatchPeerNanoseconds,
            link.expertDispatchBytesPerSecond};
  return {link.expertCombineNanoseconds, link.expertCombinePeerNanoseconds,
          link.expertCombineBytesPerSecond};
}

CollectiveTime mlir::llm::timeExpertExchange(const ExpertExchange &exchange,
                                             const Link &given,
                                             double memoryBytesPerSecond) {
  int64_t chips = exchange.chips;
  Collective group{CollectiveKind::AllToAll, chips, chips, 0};
  Link link = withRates(given, 1 / stretchOf(group, given));
  double bytes = double(exchange.tokens) * double(exchange.rowBytes) *
                 exchange.chipsPerToken,
         peers = double(chips - 1), passed = bytes * peers / double(chips);
  WayFigures figures = figuresOf(exchange.way, link);
  CollectiveTime time{};
  if (figures.bytesPerSecond) {
    constexpr double perSecond = 1e9; // nanoseconds
    time.startNanoseconds = figures.startNanoseconds.value_or(0);
    time.nanoseconds = double(time.startNanoseconds) +
                       peers * double(figures.peerNanoseconds.value_or(0)) +
                       passed * perSecond / double(*figures.bytesPerSecond);
  } else {
    time = timeInRing(passed, peers, bytes / double(chips), link,
                      memoryBytesPerSecond);
  }
  time.sentShares = chips - 1;
  time.shares = chips;
  return time;
}
