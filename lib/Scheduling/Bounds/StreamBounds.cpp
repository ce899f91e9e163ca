//===- StreamBounds.cpp - What fetching ahead can save at most ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundFinder.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <cmath>

namespace mlir::llm::scheduling {

/// The least T with engines x T >= the cycles that are left if the amount of a
/// limit, `held` + `perCycle` x T, is spent where it saves most. The result is
/// a little less, because of what doubles lose in it and in the terms of its
/// difference.
static double leastCycles(const std::vector<const FetchCurve *> &curves,
                          double engines, double perCycle, double held) {
  std::vector<FetchCurve::Piece> pieces;
  pieces.reserve(curves.size()); // of one source each, in most problems
  double cycles = 0, least = 0;
  for (const FetchCurve *curve : curves) {
    least += curve->start().bytes;
    cycles += curve->start().cycles;
    pieces.insert(pieces.end(), curve->pieces().begin(), curve->pieces().end());
  }
  std::sort(pieces.begin(), pieces.end(),
            [](FetchCurve::Piece a, FetchCurve::Piece b) {
              return a.savedPerByte > b.savedPerByte;
            });
  double sums =
      cycles / engines + (perCycle > 0 ? (held + least) / perCycle : 0);
  auto rounded = [&](double time) {
    return time - 1e-9 * (time + 1) - 1e-12 * sums;
  };
  // Goes from bend to bend. Both sides are straight between bends.
  double time = perCycle > 0 ? std::max(0.0, (least - held) / perCycle) : 0;
  held = std::max(0.0, held - least);
  for (FetchCurve::Piece piece : pieces) {
    double bytes = piece.savedCycles / piece.savedPerByte;
    double atOnce = std::min(bytes, held);
    held -= atOnce;
    cycles -= atOnce * piece.savedPerByte;
    if (engines * time >= cycles)
      break;
    if (perCycle == 0)
      continue;
    double rate = perCycle * piece.savedPerByte;
    double until = time + (bytes - atOnce) / perCycle;
    double met = time + (cycles - engines * time) / (engines + rate);
    if (met <= until)
      return rounded(met);
    cycles -= (bytes - atOnce) * piece.savedPerByte;
    time = until;
  }
  return rounded(std::max(time, cycles / engines));
}

std::optional<int64_t> BoundFinder::fetched(size_t limit,
                                            const GroupSet &groups,
                                            const Row &row,
                                            const HeldAhead &held) const {
  std::vector<const FetchCurve *> curves;
  curves.reserve(row.size());
  for (const TaskLimits *task : row)
    if (isConfined(*task, groups))
      curves.push_back(&task->fetching[limit]);
  double engines = double(enginesOf(groups));
  const FetchLimit &by = fetchLimits[limit];
  double cycles = std::ceil(leastCycles(curves, engines, by.perCycle(engines),
                                        by.heldAhead(held, engines)));
  if (cycles >= double(maxCount))
    return std::nullopt;
  return std::max<int64_t>(0, int64_t(cycles));
}

std::optional<int64_t> BoundFinder::fetched(bool isRoom,
                                            const GroupSet &groups) const {
  const Row all = rowOf(0, order.size());
  int64_t bound = 0;
  for (size_t limit = 0; limit < fetchLimits.size(); ++limit) {
    if (fetchLimits[limit].isRoom() != isRoom)
      continue;
    std::optional<int64_t> each = fetched(limit, groups, all, HeldAhead());
    if (!each)
      return std::nullopt;
    bound = std::max(bound, *each);
  }
  return bound;
}

std::optional<int64_t> BoundFinder::streams(const GroupSet &groups) const {
  return fetched(/*isRoom=*/false, groups);
}

bool BoundFinder::looksAtRoom() const {
  return std::any_of(fetchLimits.begin(), fetchLimits.end(),
                     [](const FetchLimit &limit) { return limit.isRoom(); });
}

std::optional<int64_t> BoundFinder::room(const GroupSet &groups) const {
  return fetched(/*isRoom=*/true, groups);
}

} // namespace mlir::llm::scheduling
