//===- CollectiveModel.h - The time of collectives over links ---*- C++ -*-===//
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
  /// What a chip sends over the link that joins all chips of the group:
  /// `sentShares` of its bytes, if these are cut into `shares`.
  int64_t sentShares, shares;

  /// Returns that in bytes, rounded up. Fails if it does not fit into 64 bits.
  FailureOr<int64_t> countSentBytes(int64_t bytes) const;
};

/// Times a collective of neighbouring chips over one link. Each chip holds
/// `bytes`, or ends with them in an all-gather. In a ring, each passes on
/// V = (n - 1) / n of the bytes in n - 1 steps, and twice that in an
/// all-reduce. The library takes the fastest protocol, as NCCL does:
///
///     low latency: a1 + b steps + V / r1
///     bandwidth:   a2 + V / r2 + 2 bytes / (n memory)
///     in switch:   a3 + (1 + 1 / n) bytes / r3
///     one shot:    a4 + b4 (n - 1) + (n - 1) bytes / r4
///     two shots:   a5 + b5 (n - 1) + 2 (n - 1) / n bytes / r5
///
/// The figures are those of the link (`Link`). The last term of the second is
/// the chip's own share, which is read and written in its memory. The others
/// are of an all-reduce, where the link has such a rate. In the third (NVLink
/// SHARP), of three chips or more, a chip sends its values to the switch, and
/// the sums of its share to the others. In the last two, of no more than
/// `shotMostBytes`, chips read each other's memory, as in the kernels of
/// serving stacks. Figures that are not given lose nothing: V passes at the
/// link's rate.
///
/// Rows that go to experts, and sums of them that come back, are `bytes` on the
/// chip that gets, or has got, most. Where the link has figures for them, they
/// take a + b (n - 1) + V / r, and otherwise as long as an all-to-all.
///
/// Links without switches have fewer wires for some groups. All bytes take
/// longer by that (`stretchOf`).
CollectiveTime timeCollective(CollectiveKind kind, int64_t chips, int64_t bytes,
                              const Link &link, double memoryBytesPerSecond);

/// Times a collective of a program over the links that join its chips. The
/// target has them. It takes what is faster: all in one over the link that
/// joins all chips, or by levels, from near to far. Then an all-reduce is a
/// reduce-scatter among near chips, an all-reduce of a share among far ones,
/// and an all-gather. An all-to-all goes over all links at once. All rates are
/// multiplied by `faster`; what starts and steps take stays as it is.
CollectiveTime timeCollective(const Collective &collective,
                              const Target &target, int64_t faster = 1);

/// Returns how many times as long bytes take as at the rate of all wires of a
/// chip: more than once if the group cannot use all of them, or if they pass
/// several wires.
double stretchOf(const Collective &collective, const Link &link);

/// Returns the link with all its rates multiplied by `factor`, rounded, and at
/// least 1.
Link withRates(Link link, double factor);

} // namespace mlir::llm

#endif // LLM_COST_KERNELS_COLLECTIVEMODEL_H
