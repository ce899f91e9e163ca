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

FetchCurve::FetchCurve(std::vector<Point> &points) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.cycles < b.cycles;
  });
  // The lower hull, as far as it falls, at the front.
  size_t count = 0;
  for (Point point : points) {
    if (count > 0 && point.cycles >= points[count - 1].cycles)
      continue;
    while (count >= 2 &&
           between(points[count - 2], points[count - 1]).savedPerByte <=
               between(points[count - 1], point).savedPerByte)
      --count;
    points[count++] = point;
  }
  points.resize(count);
  first = points.front();
  falling.reserve(count - 1);
  for (size_t i = 1; i < count; ++i)
    falling.push_back(between(points[i - 1], points[i]));
}

void FetchCurve::add(FetchCurve other, double count) {
  first.bytes += count * other.first.bytes;
  first.cycles += count * other.first.cycles;
  for (Piece &piece : other.falling)
    piece.savedCycles *= count;
  if (falling.empty())
    falling.swap(other.falling);
  if (other.falling.empty())
    return;
  size_t own = falling.size();
  falling.insert(falling.end(), other.falling.begin(), other.falling.end());
  std::inplace_merge(
      falling.begin(), falling.begin() + own, falling.end(),
      [](Piece a, Piece b) { return a.savedPerByte > b.savedPerByte; });
  // Equal parts have equal pieces.
  auto last = falling.begin();
  for (auto next = falling.begin() + 1; next != falling.end(); ++next)
    if (next->savedPerByte == last->savedPerByte)
      last->savedCycles += next->savedCycles;
    else
      *++last = *next;
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
  *this = FetchCurve(points);
}

} // namespace mlir::llm::scheduling
