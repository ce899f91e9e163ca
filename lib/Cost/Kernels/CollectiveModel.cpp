//===- CollectiveModel.cpp - The time of collectives over a link ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::llm;

std::optional<CollectiveKind> mlir::llm::parseCollectiveKind(StringRef name) {
  return llvm::StringSwitch<std::optional<CollectiveKind>>(name)
      .Case("all_reduce", CollectiveKind::AllReduce)
      .Case("all_gather", CollectiveKind::AllGather)
      .Case("reduce_scatter", CollectiveKind::ReduceScatter)
      .Case("all_to_all", CollectiveKind::AllToAll)
      .Default(std::nullopt);
}

const Link *mlir::llm::findLink(const Target &target, int64_t devices) {
  for (const Link &link : target.links)
    if (link.devices >= devices && !StringRef(link.name).contains('@'))
      return &link;
  return nullptr;
}

double mlir::llm::collectiveMicroseconds(CollectiveKind kind, int64_t devices,
                                         int64_t bytes, const Link &link,
                                         double memoryBytesPerSecond) {
  constexpr double nano = 1e-9, micro = 1e6;
  auto real = [](std::optional<int64_t> value) {
    return double(value.value_or(0));
  };
  double passes = kind == CollectiveKind::AllReduce ? 2 : 1;
  double steps = passes * double(devices - 1);
  double share = double(bytes) / double(devices);
  double passed = steps * share;
  double bandwidth =
      nano * real(link.bandwidthNanoseconds) +
      passed /
          double(link.sustainedBytesPerSecond.value_or(link.bytesPerSecond)) +
      2 * share / memoryBytesPerSecond;
  if (!link.lowLatencyBytesPerSecond)
    return micro * bandwidth;
  double lowLatency = nano * (real(link.lowLatencyNanoseconds) +
                              steps * real(link.stepNanoseconds)) +
                      passed / double(*link.lowLatencyBytesPerSecond);
  return micro * std::min(lowLatency, bandwidth);
}
