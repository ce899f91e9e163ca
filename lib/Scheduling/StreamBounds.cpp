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

namespace {

/// Cycles that engines save when so many bytes are fetched: those first that
/// save most.
class Savings {
public:
  void add(FetchCurve::Piece piece) { pieces.push_back(piece); }
  /// When all are added.
  void sort() {
    std::sort(pieces.begin(), pieces.end(),
              [](FetchCurve::Piece a, FetchCurve::Piece b) {
                return a.savedPerByte > b.savedPerByte;
              });
    double bytes = 0, cycles = 0;
    for (FetchCurve::Piece piece : pieces) {
      sums.push_back({bytes, cycles});
      bytes += piece.savedCycles / piece.savedPerByte;
      cycles += piece.savedCycles;
    }
  }
  double of(double bytes) const {
    auto behind = std::upper_bound(
        sums.begin(), sums.end(), bytes,
        [](double wanted, const auto &sum) { return wanted < sum.first; });
    if (behind == sums.begin())
      return 0;
    size_t piece = behind - sums.begin() - 1;
    auto [before, cycles] = sums[piece];
    return cycles + std::min((bytes - before) * pieces[piece].savedPerByte,
                             pieces[piece].savedCycles);
  }

private:
  std::vector<FetchCurve::Piece> pieces;
  std::vector<std::pair<double, double>> sums; ///< bytes and cycles before each
};

} // namespace

std::optional<int64_t> BoundFinder::streams(const GroupSet &groups,
                                            size_t resource, size_t first,
                                            size_t last, int64_t held) const {
  Savings savings;
  double streamed = 0;
  for (size_t at = first; at < last; ++at) {
    if (!isConfined(order[at], groups))
      continue;
    const FetchCurve &curve = limits[order[at]].streams[resource].curve;
    streamed += curve.cyclesWithout();
    for (FetchCurve::Piece piece : curve.pieces())
      savings.add(piece);
  }
  savings.sort();
  const Resource &from = problem->resources[resource];
  double queueLanes = 0;
  for (const EngineGroup &engine : problem->engines)
    if (engine.kinds.contains(EngineKind::Memory))
      queueLanes += double(engine.count) * double(engine.portLanes[resource]);
  double share = std::min(1.0, queueLanes / double(from.lanes));
  double bytesPerCycle =
      share * double(from.bytesPerSecond) / double(problem->clockHz);
  double engines = double(enginesOf(groups));
  // The least T that is long enough; a little less, for what doubles lose.
  double low = 0, high = streamed / engines;
  for (int step = 0; step < 100; ++step) {
    double middle = (low + high) / 2;
    double saved = savings.of(double(held) + bytesPerCycle * middle);
    (engines * middle >= streamed - saved ? high : low) = middle;
  }
  constexpr double slack = 1e-9;
  double cycles = std::ceil(low * (1 - slack) - slack);
  return cycles < double(maxCount)
             ? std::optional<int64_t>(std::max<int64_t>(0, int64_t(cycles)))
             : std::nullopt;
}

std::optional<int64_t> BoundFinder::streams(const GroupSet &groups) const {
  int64_t bound = 0;
  for (size_t m = 0; m < problem->resources.size(); ++m) {
    std::optional<int64_t> each =
        streams(groups, m, /*first=*/0, order.size(), /*held=*/0);
    if (!each)
      return std::nullopt;
    bound = std::max(bound, *each);
  }
  return bound;
}

} // namespace mlir::llm::scheduling
