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

/// Returns the least T with engines x T >= the `cycles` that are left if the
/// amount of a limit, `held` + `perCycle` x T, is spent where it saves most.
/// Nothing runs with less than the `least` amount. The result is a little less,
/// because of what doubles lose in it and in the terms of its difference.
static double leastCycles(double cycles, double least,
                          std::vector<FetchCurve::Piece> &pieces,
                          double engines, double perCycle, double held) {
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

BoundFinder::Row BoundFinder::confinedTo(const Groups &groups, const Row &row) {
  Row confined;
  confined.reserve(row.size());
  for (const TaskLimits *task : row)
    if (groups.confine(*task))
      confined.push_back(task);
  return confined;
}

std::optional<int64_t>
BoundFinder::fetched(size_t limit, const Row &confined, int64_t engines,
                     const HeldAhead &held,
                     std::vector<FetchCurve::Piece> &pieces) const {
  pieces.clear();
  double cycles = 0, least = 0;
  for (const TaskLimits *task : confined) {
    const FetchCurve &curve = task->fetching[limit];
    least += curve.start().bytes;
    cycles += curve.start().cycles;
    pieces.insert(pieces.end(), curve.pieces().begin(), curve.pieces().end());
  }
  const FetchLimit &by = fetchLimits[limit];
  double count = double(engines);
  double found =
      std::ceil(leastCycles(cycles, least, pieces, count, by.perCycle(count),
                            by.heldAhead(held, count)));
  if (found >= double(maxCount))
    return std::nullopt;
  return std::max<int64_t>(0, int64_t(found));
}

std::optional<int64_t> BoundFinder::fetched(bool isRoom,
                                            const Groups &groups) const {
  const Row confined = confinedTo(groups, rowOf(0, order.size()));
  std::vector<FetchCurve::Piece> pieces;
  int64_t bound = 0;
  for (size_t limit = 0; limit < fetchLimits.size(); ++limit) {
    if (fetchLimits[limit].isRoom() != isRoom)
      continue;
    std::optional<int64_t> each =
        fetched(limit, confined, groups.engines, HeldAhead(), pieces);
    if (!each)
      return std::nullopt;
    bound = std::max(bound, *each);
  }
  return bound;
}

std::optional<int64_t> BoundFinder::streams(const Groups &groups) const {
  return fetched(/*isRoom=*/false, groups);
}

bool BoundFinder::looksAtRoom() const {
  return std::any_of(fetchLimits.begin(), fetchLimits.end(),
                     [](const FetchLimit &limit) { return limit.isRoom(); });
}

std::optional<int64_t> BoundFinder::room(const Groups &groups) const {
  return fetched(/*isRoom=*/true, groups);
}

} // namespace mlir::llm::scheduling
