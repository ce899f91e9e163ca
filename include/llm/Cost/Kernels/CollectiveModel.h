//===- CollectiveModel.h - The time of collectives over a link --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_KERNELS_COLLECTIVEMODEL_H
#define LLM_COST_KERNELS_COLLECTIVEMODEL_H

#include "llm/Target/Target.h"
#include "llm/Workload/Workload.h"

namespace mlir::llm {

/// The time of a collective.
struct CollectiveTime {
  int64_t startNanoseconds; ///< the time before anything is sent
  double nanoseconds;       ///< the whole time, with the start
  bool isInSwitch = false;  ///< the switch makes the sums
};

/// Times a collective over `devices` devices. Each device holds `bytes`, or
/// ends with them in an all-gather. The devices stand in a ring. Each passes on
/// V = (n - 1) / n of the bytes in n - 1 steps; in an all-reduce, both are
/// twice as much. The library takes the fastest protocol, as NCCL does:
///
///     low latency: a1 + b steps + V / r1
///     bandwidth:   a2 + V / r2 + 2 bytes / (n memory)
///     in switch:   a3 + (1 + 1 / n) bytes / r3
///
/// The figures are those of the link (`Link`). The last term of the second line
/// is the device's own share, which is read and written in its memory. The
/// third line (NVLink SHARP) is for an all-reduce of three devices or more, if
/// the link has such a rate: a device sends its values to the switch, and the
/// sums of its share to the others. A figure that is not given costs no time:
/// then V passes at the link's rate.
CollectiveTime timeCollective(CollectiveKind kind, int64_t devices,
                              int64_t bytes, const Link &link,
                              double memoryBytesPerSecond);

/// Times a collective of a program over the link that joins its chips. The
/// target has one. All rates of the link are multiplied by `faster`; the times
/// of starts and steps are not.
CollectiveTime timeCollective(const Collective &collective,
                              const Target &target, int64_t faster = 1);

/// Returns V as above, rounded up, or what a device sends if the switch makes
/// the sums. Fails if it does not fit into 64 bits.
FailureOr<int64_t> countSentBytes(CollectiveKind kind, int64_t devices,
                                  int64_t bytes, bool isInSwitch);

/// Returns the first link that joins so many devices, or null if there is none.
const Link *findLink(const Target &target, int64_t devices);

} // namespace mlir::llm

#endif // LLM_COST_KERNELS_COLLECTIVEMODEL_H
