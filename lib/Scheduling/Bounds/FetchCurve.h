//===- FetchCurve.h - What fetching ahead saves, byte by byte ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDS_FETCHCURVE_H
#define LLM_LIB_SCHEDULING_BOUNDS_FETCHCURVE_H

#include <vector>

namespace mlir::llm::scheduling {

/// The least cycles that engines need if memory engines move so many bytes. The
/// curve falls and is convex, because those bytes come first that save most.
class FetchCurve {
public:
  struct Point {
    double bytes, cycles;
  };
  /// A stretch of the curve.
  struct Piece {
    double savedPerByte, savedCycles;
    bool operator==(Piece other) const {
      return savedPerByte == other.savedPerByte &&
             savedCycles == other.savedCycles;
    }
  };

  /// The largest convex curve that is above none of the points, from the one of
  /// the fewest bytes on. Leaves the points on the curve in `points`.
  explicit FetchCurve(std::vector<Point> &points);
  /// A curve of the same cycles, whatever is moved.
  explicit FetchCurve(double cycles) : first{0, cycles} {}
  FetchCurve() : FetchCurve(0) {}

  bool operator==(const FetchCurve &other) const {
    return first.bytes == other.first.bytes &&
           first.cycles == other.first.cycles && falling == other.falling;
  }

  /// The point of the fewest bytes, below which nothing runs.
  Point start() const { return first; }
  const std::vector<Piece> &pieces() const { return falling; }

  /// Raises the curve to at least so many cycles.
  void raiseTo(double cycles);
  /// Makes this the curve of a choice between both, whichever needs less.
  void lower(const FetchCurve &other);

private:
  friend class FetchCurveSum;
  void appendPoints(std::vector<Point> &points) const;

  Point first;
  std::vector<Piece> falling; ///< what saves most first
};

/// Adds up the curves of many parts.
class FetchCurveSum {
public:
  /// Adds one curve `count` times.
  void add(FetchCurve curve, double count);
  FetchCurve take();

private:
  FetchCurve sum; ///< its pieces are not sorted yet
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDS_FETCHCURVE_H
