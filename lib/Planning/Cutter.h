//===- Cutter.h - The best way to cut an op into parts ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PLANNING_CUTTER_H
#define LLM_LIB_PLANNING_CUTTER_H

#include "llm/Planning/Split.h"

#include <map>

namespace mlir::llm {

/// Iterations of each loop in a part.
using Sizes = SmallVector<int64_t, 6>;

/// Looks for the best way to cut an op into so many parts. What it finds does
/// not depend on how many engines there are, and is kept.
class Cutter {
public:
  /// `context` must outlive it.
  Cutter(const OpOnTarget &context, int64_t computeCycles);

  /// Nothing if the op cannot be cut into more than one part.
  const std::optional<Sizes> &cut(int64_t parts) { return cutInto(parts).best; }
  /// Does the same with a reduction cut, too, and with what joining its parts
  /// takes.
  std::optional<Sizes> cutReduction(int64_t parts);
  /// Whether these sizes are clearly faster than every way without a cut
  /// reduction that has so many parts, half as many, ... if so many parts run
  /// at once.
  bool isClearlyFaster(ArrayRef<int64_t> sizes, int64_t parts, int64_t atOnce);
  /// The bytes of all that can be fetched ahead for a part of these sizes.
  double slicesOf(ArrayRef<int64_t> sizes) const;
  int64_t countParts(ArrayRef<int64_t> sizes) const;
  bool canCutReductions() const { return !reductions.empty(); }
  /// The largest number of parts, without a reduction or with one.
  int64_t mostParts(bool reduced) const;

private:
  /// The length of the longest part, the number of parts, and what all of them
  /// touch together.
  struct Estimate {
    double cycles = 0, parts = 0, bytes = 0;
    bool operator<(const Estimate &other) const {
      // Lengths that differ by less than a thousandth are equal.
      if (cycles < other.cycles * 0.999 || other.cycles < cycles * 0.999)
        return cycles < other.cycles;
      return bytes < other.bytes;
    }
  };
  /// For each buffer, the loops of which a part touches the product of its
  /// sizes. There are none for buffers whose elements must be counted.
  struct Touched {
    Touched(WorkloadOpInterface op, const Workload &workload);
    const Workload &workload;
    SmallVector<std::optional<SmallVector<unsigned, 4>>, 4> loopsOf;
    SmallVector<int64_t, 4> bytesPerElement; ///< see wholeBytesOf()
    /// What was counted of buffers whose elements must be counted.
    mutable std::vector<std::map<Sizes, double>> counted;
  };
  /// The best way without a cut reduction, and what is known of any such way
  /// if there are reductions to compare with.
  struct Plain {
    std::optional<Sizes> best;
    SmallVector<Estimate, 0> all;
  };
  const Plain &cutInto(int64_t parts);
  Estimate estimate(const Touched &touched) const;
  /// The time of all parts, with as much of the memories' bandwidth as so many
  /// at once can use.
  double cyclesOfAll(const Estimate &estimate, int64_t atOnce) const;
  double cyclesOfCombine(const Workload &combine) const;
  /// What is known of a reduction cut into so many parts.
  struct Reduced {
    Reduced(WorkloadOpInterface op, PartialReduction &&given)
        : partial(std::move(given)), touched(op, partial.part) {}
    PartialReduction partial;
    Touched touched; ///< by a part
    double combineCycles = 0;
  };
  const Reduced &reducedTo(unsigned reduction, int64_t size);
  double bytesOfPart(const Touched &touched, unsigned buffer,
                     ArrayRef<int64_t> sizes) const;
  double countBytesOfPart(const Touched &touched, unsigned buffer,
                          ArrayRef<int64_t> sizes) const;
  /// Calls `visit` with `current` for each way to cut the loops into as many
  /// parts as are `left`.
  void enumerate(ArrayRef<unsigned> loops, int64_t left,
                 function_ref<void()> visit);

  const OpOnTarget &context;
  Touched whole;
  double computeCycles, bytesPerCycle;
  double bytesPerCycleOfAll;           ///< the slowest shared memory
  SmallVector<unsigned, 6> loops;      ///< that can be cut
  SmallVector<unsigned, 2> reductions; ///< of which results can be joined
  Sizes current, uncut;
  std::map<int64_t, Plain> plain; ///< by the number of parts
  /// By reduction and iterations of a part. Several numbers of parts ask for
  /// the same.
  std::map<std::pair<unsigned, int64_t>, Reduced> reduced;
};

} // namespace mlir::llm

#endif // LLM_LIB_PLANNING_CUTTER_H
