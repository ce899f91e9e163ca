//===- CollectiveModel.cpp - The time of collectives over a link ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

const Link *mlir::llm::findLink(const Target &target, int64_t devices) {
  for (const Link &link : target.links)
    if (link.devices >= devices && !StringRef(link.name).contains('@'))
      return &link;
  return nullptr;
}

/// How often each piece passes a device's link.
static int64_t countPasses(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce ? 2 : 1;
}

FailureOr<int64_t> mlir::llm::countSentBytes(CollectiveKind kind,
                                             int64_t devices, int64_t bytes,
                                             bool isInSwitch) {
  int64_t shares = isInSwitch ? devices + 1 : countPasses(kind) * (devices - 1);
  std::optional<int64_t> sent = ceilMulDiv(bytes, shares, 1, devices);
  if (!sent)
    return failure();
  return *sent;
}

constexpr double perSecond = 1e9; // nanoseconds

/// Returns the time if the switch makes the sums; nothing if it makes none.
static std::optional<CollectiveTime> timeInSwitch(CollectiveKind kind,
                                                  int64_t devices,
                                                  int64_t bytes,
                                                  const Link &link) {
  if (kind != CollectiveKind::AllReduce || devices < 3 ||
      !link.inSwitchBytesPerSecond)
    return std::nullopt;
  int64_t start = link.inSwitchNanoseconds.value_or(0);
  double sent = double(bytes) * double(devices + 1) / double(devices);
  return CollectiveTime{
      start,
      double(start) + sent * perSecond / double(*link.inSwitchBytesPerSecond),
      /*isInSwitch=*/true};
}

/// The faster of the two protocols in which devices stand in a ring.
static CollectiveTime timeInRing(CollectiveKind kind, int64_t devices,
                                 int64_t bytes, const Link &link,
                                 double memoryBytesPerSecond) {
  double steps = double(countPasses(kind)) * double(devices - 1);
  double share = double(bytes) / double(devices);
  double passed = steps * share;
  int64_t start = link.bandwidthNanoseconds.value_or(0),
          lowStart = link.lowLatencyNanoseconds.value_or(0);
  double bandwidth =
      double(start) +
      passed * perSecond /
          double(link.sustainedBytesPerSecond.value_or(link.bytesPerSecond)) +
      2 * share * perSecond / memoryBytesPerSecond;
  if (!link.lowLatencyBytesPerSecond)
    return {start, bandwidth};
  double lowLatency =
      double(lowStart) + steps * double(link.stepNanoseconds.value_or(0)) +
      passed * perSecond / double(*link.lowLatencyBytesPerSecond);
  if (lowLatency < bandwidth)
    return {lowStart, lowLatency};
  return {start, bandwidth};
}

CollectiveTime mlir::llm::timeCollective(CollectiveKind kind, int64_t devices,
                                         int64_t bytes, const Link &link,
                                         double memoryBytesPerSecond) {
  CollectiveTime ring =
      timeInRing(kind, devices, bytes, link, memoryBytesPerSecond);
  std::optional<CollectiveTime> inSwitch =
      timeInSwitch(kind, devices, bytes, link);
  return inSwitch && inSwitch->nanoseconds < ring.nanoseconds ? *inSwitch
                                                              : ring;
}

CollectiveTime mlir::llm::timeCollective(const Collective &collective,
                                         const Target &target, int64_t faster) {
  Link link = *findLink(target, collective.span);
  link.bytesPerSecond *= faster;
  for (std::optional<int64_t> Link::*rate :
       {&Link::sustainedBytesPerSecond, &Link::lowLatencyBytesPerSecond,
        &Link::inSwitchBytesPerSecond})
    if (link.*rate)
      *(link.*rate) *= faster;
  return timeCollective(collective.kind, collective.chips, collective.bytes,
                        link, double(target.dram().usableBytesPerSecond()));
}
