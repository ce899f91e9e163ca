//===- FetchCurve.cpp - What fetching ahead saves, byte by byte -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FetchCurve.h"

#include <algorithm>

namespace mlir::llm::scheduling {

static FetchCurve::Piece between(FetchCurve::Point from, FetchCurve::Point to) {
  double saved = from.cycles - to.cycles;
  return {saved / (to.bytes - from.bytes), saved};
}

FetchCurve::FetchCurve(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.cycles < b.cycles;
  });
  // The lower hull, as far as it falls.
  std::vector<Point> hull;
  for (Point point : points) {
    if (!hull.empty() && point.cycles >= hull.back().cycles)
      continue;
    while (hull.size() >= 2 &&
           between(hull[hull.size() - 2], hull.back()).savedPerByte <=
               between(hull.back(), point).savedPerByte)
      hull.pop_back();
    hull.push_back(point);
  }
  first = hull.front();
  for (size_t i = 1; i < hull.size(); ++i)
    falling.push_back(between(hull[i - 1], hull[i]));
}

void FetchCurve::add(const FetchCurve &other, double count) {
  first.bytes += count * other.first.bytes;
  first.cycles += count * other.first.cycles;
  if (other.falling.empty())
    return;
  size_t own = falling.size();
  for (Piece piece : other.falling)
    falling.push_back({piece.savedPerByte, count * piece.savedCycles});
  std::inplace_merge(
      falling.begin(), falling.begin() + own, falling.end(),
      [](Piece a, Piece b) { return a.savedPerByte > b.savedPerByte; });
  // Equal parts have equal pieces.
  auto last = falling.begin();
  for (auto next = falling.begin(); next != falling.end(); ++next) {
    if (next == falling.begin())
      continue;
    if (next->savedPerByte == last->savedPerByte)
      last->savedCycles += next->savedCycles;
    else
      *++last = *next;
  }
  falling.erase(last + 1, falling.end());
}

void FetchCurve::appendPoints(std::vector<Point> &points) const {
  Point at = first;
  points.push_back(at);
  for (Piece piece : falling) {
    at.bytes += piece.savedCycles / piece.savedPerByte;
    at.cycles -= piece.savedCycles;
    points.push_back(at);
  }
}

void FetchCurve::lower(const FetchCurve &other) {
  std::vector<Point> points;
  appendPoints(points);
  other.appendPoints(points);
  *this = FetchCurve(std::move(points));
}

} // namespace mlir::llm::scheduling
