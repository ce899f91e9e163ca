//===- FetchCurve.cpp - What fetching ahead saves, byte by byte -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FetchCurve.h"

#include <algorithm>
#include <utility>

namespace mlir::llm::scheduling {

static FetchCurve::Piece between(FetchCurve::Point from, FetchCurve::Point to) {
  double saved = from.cycles - to.cycles;
  return {saved / (to.bytes - from.bytes), saved};
}

FetchCurve::FetchCurve(std::vector<Point> &points) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.cycles < b.cycles;
  });
  // Puts the lower hull, as far as it falls, at the front.
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

void FetchCurve::raiseTo(double cycles) {
  double at = first.cycles = std::max(first.cycles, cycles);
  for (size_t i = 0; i < falling.size(); ++i) {
    if (at - falling[i].savedCycles > cycles) {
      at -= falling[i].savedCycles;
      continue;
    }
    falling[i].savedCycles = at - cycles;
    falling.resize(at > cycles ? i + 1 : i);
    return;
  }
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

void FetchCurveSum::add(FetchCurve curve, double count) {
  sum.first.bytes += count * curve.first.bytes;
  sum.first.cycles += count * curve.first.cycles;
  for (FetchCurve::Piece &piece : curve.falling)
    piece.savedCycles *= count;
  if (sum.falling.empty()) // true of the only part of an uncut op
    sum.falling.swap(curve.falling);
  else
    sum.falling.insert(sum.falling.end(), curve.falling.begin(),
                       curve.falling.end());
}

FetchCurve FetchCurveSum::take() {
  std::vector<FetchCurve::Piece> &pieces = sum.falling;
  // A sort asks for memory, however few there are.
  if (pieces.size() < 2)
    return std::exchange(sum, FetchCurve());
  // The sort is stable because the order of the additions changes their sum.
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](FetchCurve::Piece a, FetchCurve::Piece b) {
                     return a.savedPerByte > b.savedPerByte;
                   });
  // Equal parts have equal pieces.
  size_t count = 0;
  for (FetchCurve::Piece piece : pieces)
    if (count > 0 && pieces[count - 1].savedPerByte == piece.savedPerByte)
      pieces[count - 1].savedCycles += piece.savedCycles;
    else
      pieces[count++] = piece;
  pieces.resize(count);
  return std::exchange(sum, FetchCurve());
}

} // namespace mlir::llm::scheduling
