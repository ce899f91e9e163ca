//===- CollectiveRow.cpp - The time of a measured collective --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveRow.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<double> mlir::llm::collectiveTime(const MeasuredRow &row,
                                            CollectiveKind kind,
                                            const Target &target,
                                            Reasons reasons) {
  int64_t devices = row.devices.value_or(0),
          bytes = row.messageBytes.value_or(0);
  if (devices < 2 || bytes < 1)
    return reasons.refuse(row.location)
           << "'" << row.opKind
           << "' needs 'n_devices' of at least 2 and "
              "'message_bytes' of at least 1";
  const Link *link = findLink(target, devices);
  if (!link)
    return reasons.refuse(row.location)
           << "target '" << target.name << "' has no link that joins "
           << devices << " devices; give it one (links)";
  constexpr double nanosecondsPerMicrosecond = 1000;
  return timeCollective(kind, devices, bytes, *link,
                        double(target.dram().usableBytesPerSecond()))
             .nanoseconds /
         nanosecondsPerMicrosecond;
}
