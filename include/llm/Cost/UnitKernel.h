//===- UnitKernel.h - An op shared by the units of one engine ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine of many units (SMs, cores) runs an op as *items*: boxes of
// iterations, all of one size. Each unit takes one item after the other. The
// time of an op follows from the shape of its items, the rates of a unit and a
// few fitted figures of the kernels. The formulas are in docs/accuracy.md.
//
// All quantities here are real numbers. Once a kernel is made, it does not use
// the IR, so that a calibration can call it a million times. Only +, -, *, /,
// min, max, ceil and square roots are used, so that results are the same on
// every machine.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_UNITKERNEL_H
#define LLM_COST_UNITKERNEL_H

#include "llm/Cost/Rates.h"
#include "llm/Target/Target.h"
#include "llm/Workload/Workload.h"

#include <memory>

namespace mlir::llm {

/// The work of an op by kind, in operations.
struct WorkSums {
  double macs = 0, alu = 0, special = 0, compare = 0;
};

/// The bytes that an op moves from and to memory, and those that already lie in
/// the cache that the units share.
struct KernelBytes {
  double memory = 0, cached = 0;
  double joulesOnTheWay = 0; ///< spent in memories between, beyond `memory`
  double all() const { return memory + cached; }
};

/// The figures of an engine for kernels of one class. A rate of 0 means no
/// limit.
struct UnitMachine {
  double units = 1;
  double clockHz = 0;      ///< the clock of the units under load
  double macsPerCycle = 0; ///< of one unit, as are the rates below
  double aluPerCycle = 0, specialPerCycle = 0, comparePerCycle = 0;
  double operandBytesPerCycle = 0, cacheBytesPerCycle = 0;
  double accumulatorBytes = 0;
  double granuleM = 1, granuleN = 1, granuleK = 1;
  /// The rates of the memory and of the ports to it, of all units together.
  double memoryBytesPerSecond = 0, portBytesPerSecond = 0;
  /// The figures of the class; a time is in seconds, a rate per second.
  double launchSeconds = 0, splitSeconds = 0, itemCycles = 0,
         itemBytesPerCycle = 0, itemElements = 0, itemRows = 1;
  bool rereadsRows = false;
  double queryTile = 64, decodeQueryTile = 64, keyTile = 128,
         unitMemoryBytes = 0;
  std::optional<double> packedHeads;
  bool packsGroups = false, packsWindows = true, splitsUnpacked = false,
       skipsMasked = true;
  /// The softmax's work for each score. If it is not given, it is that of the
  /// op.
  std::optional<double> aluPerScore;
  double loneBlockCycles = 0;
  std::optional<double> regroupSeconds;
  double firstByteSeconds = 0;
  /// What a byte that is written takes, of one that is read.
  double writtenByteShare = 1;
  double residentBytesPerCycle = 0; ///< 0: not given
  /// The tiles of a library for products (`KernelFigures::tiles`).
  std::vector<ProductTile> tiles;
  /// Of the products of attention and its softmax, what of the shorter hides
  /// behind the longer: 0 to 1.
  double overlap = 0;
  /// Whether attention fetches keys ahead of its products.
  bool streamsAhead = false;
  /// Of a selection: whether its first kernel runs, which makes the scores, and
  /// the figures of the second, which runs if its rate is above 0.
  bool scoresKeys = true;
  double rowCycles = 0, rowBytesPerCycle = 0;
  double chunkCycles = 0; ///< of each chunk of a layer with a state

  /// `macType` may be null. `figures` are those of the kernel's class or op.
  static UnitMachine get(const Target &target, const Engine &engine,
                         Type macType, const KernelFigures &figures);

  /// The energies, if the target gives them, and what limits their power.
  double joulesPerMac = 0, joulesPerByte = 0, joulesPerCachedByte = 0;
  PowerLimit power;

  /// Returns the energy of an op at the full clock.
  double joulesOf(double macs, const KernelBytes &bytes) const;
  /// Returns the seconds in which the cache supplies bytes that lie there. It is no slower
  /// than memory.
  double cachedSeconds(double bytes) const;
  /// Returns the bytes per second that all units together stream if loads wait
  /// for room. The memory's rate and that of the ports then act in series.
  double streamBytesPerSecond() const;
  /// Does the same if there are only loads and stores. It is the smaller of the
  /// two rates.
  double plainStreamBytesPerSecond() const;
  /// Returns the rate of all units together. 0 means no limit.
  double cacheBytesPerSecond() const;
};

/// The time of one op.
struct KernelTime {
  double launchSeconds = 0; ///< before anything happens
  double unitSeconds = 0;   ///< arithmetic, and the units' own ports
  double streamSeconds = 0; ///< bytes from and to memory
  /// Whether the units spend their time on bytes: more arithmetic in a cycle
  /// would not shorten it.
  bool unitsWaitForBytes = false;
  /// The whole time. It is more than the largest of these, because they overlap
  /// only in part.
  double totalSeconds = 0;
};

/// The box of iterations that a unit works on at a time, with a size for each
/// loop.
using UnitTile = SmallVector<int64_t, 6>;

/// An op, described by everything on which its time depends.
class UnitKernel {
public:
  virtual ~UnitKernel() = default;

  /// Returns the class to which the op belongs, a key of `Engine::kernels`.
  virtual StringRef opClass() const = 0;
  /// Returns the time with the given tile, which `chooseTile` made.
  KernelTime timeOf(const UnitTile &tile, const KernelBytes &bytes,
                    const UnitMachine &machine) const;
  /// Returns the tile with the least time, and the first one among equals.
  virtual UnitTile chooseTile(const KernelBytes &bytes,
                              const UnitMachine &machine) const = 0;
  /// Returns a phrase if the tile takes more room than a unit has: "takes 8
  /// bytes of sums, a unit has 4". It is empty if the tile fits.
  virtual std::string excessOf(const UnitTile &tile,
                               const UnitMachine &machine) const {
    return "";
  }
  /// Returns how many times the kernel moves each element of a buffer.
  virtual int64_t readsOf(unsigned buffer, const UnitMachine &machine) const {
    return 1;
  }

  /// Returns the kernel of an op. It is null if the workload belongs to no
  /// class (several contractions that share no scores).
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

protected:
  /// Returns the time without a power limit.
  virtual KernelTime unlimitedTime(const UnitTile &tile,
                                   const KernelBytes &bytes,
                                   const UnitMachine &machine) const = 0;
  /// Returns the multiply-accumulates that take energy.
  virtual double countMacs(const UnitMachine &machine) const {
    return work.macs;
  }
  WorkSums work; ///< the sums over all stages
};

/// Returns the number format in which operands or results of an op are stored
/// (`nameOfFormat`), or else the type of an operand of its products that is
/// narrower than 16 bits (`nameOfNarrowType`), or else "".
StringRef formatOf(const Workload &workload);

/// Returns the figures of an op's kernel on an engine.
KernelFigures kernelFiguresOf(WorkloadOpInterface op, const Workload &workload,
                              const Engine &engine, const UnitKernel &kernel);

/// Returns (a^4 + b^4)^(1/4). Two resources overlap, and get in each other's
/// way most if they take equally long.
double overlap(double a, double b);

} // namespace mlir::llm

#endif // LLM_COST_UNITKERNEL_H
