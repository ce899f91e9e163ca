//===- FetchCurve.h - What fetching ahead saves, byte by byte ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_FETCHCURVE_H
#define LLM_LIB_SCHEDULING_FETCHCURVE_H

#include <vector>

namespace mlir::llm::scheduling {

/// The least cycles that engines need when so many bytes are fetched ahead for
/// them: falling, and convex, as those bytes come first that save most.
class FetchCurve {
public:
  struct Point {
    double bytes, cycles;
  };
  /// A stretch of the curve.
  struct Piece {
    double savedPerByte, savedCycles;
  };

  /// The largest convex curve that is above none of the points, one of which
  /// is at 0 bytes.
  explicit FetchCurve(std::vector<Point> points);
  /// The same, whatever is fetched.
  explicit FetchCurve(double cycles) : without(cycles) {}
  FetchCurve() : FetchCurve(0) {}

  double cyclesWithout() const { return without; }
  const std::vector<Piece> &pieces() const { return falling; }

  /// Of this and `count` times the other together.
  void add(const FetchCurve &other, double count);
  /// Of either one, whichever needs less.
  void lower(const FetchCurve &other);

private:
  void appendPoints(std::vector<Point> &points) const;

  double without;
  std::vector<Piece> falling; ///< what saves most first
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_FETCHCURVE_H
