//===- LinkModel.cpp - Times of collectives -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkModel.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

CollectiveTime LinkModel::timeWhole() const {
  return timeCollective(*context.workload.collective, *context.target);
}

FailureOr<Movement> LinkModel::move(TileAttr tile) const {
  if (!tile.getLevels().empty() || tile.getSplit())
    return context.refuse() << "exchanges values with other chips, and has "
                               "neither tile levels nor a split";
  FailureOr<Movement> movement = moveCompulsory(context);
  const Collective &collective = *context.workload.collective;
  Count sent = timeWhole().countSentBytes(collective.bytes);
  if (failed(movement) || failed(sent))
    return context.refuseOverflow();
  movement->sentBytes = *sent;
  return movement;
}

FailureOr<Cycles> LinkModel::timeOf(TileAttr, const Traffic &traffic) const {
  CollectiveTime time = timeWhole();
  constexpr int64_t nanosecondsPerSecond = 1000000000;
  std::optional<int64_t> start = ceilMulDiv(
      time.startNanoseconds, context.target->clockHz, 1, nanosecondsPerSecond);
  double whole = std::ceil(time.nanoseconds * double(context.target->clockHz) /
                           double(nanosecondsPerSecond));
  if (!start || !(whole <= double(maxCount)))
    return context.refuseOverflow();
  Cycles cycles = Cycles::overlapped(*start, 0, traffic.memoryCycles);
  // Steps, and what a protocol moves beside the bytes of the link.
  cycles.serial =
      std::max<int64_t>(0, int64_t(whole) - *start - traffic.memoryCycles);
  if (*start + cycles.serial >= traffic.memoryCycles)
    cycles.bound = CostBound::Overhead;
  return cycles;
}
