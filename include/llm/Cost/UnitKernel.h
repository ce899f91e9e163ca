//===- UnitKernel.h - An op shared by the units of one engine ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An engine of many units (SMs, cores) runs an op as *items*: boxes of
// iterations of one size, of which each unit takes one after the other. The
// time of an op follows from the shape of its items, the rates of a unit and a
// few fitted figures of the kernels. The formulas, with what each term buys,
// are in docs/accuracy.md.
//
// Everything here is real numbers and free of the IR once a kernel is made, so
// that a calibration can ask a million times. Only +, -, *, /, min, max, ceil
// and square roots are used: results are the same on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_UNITKERNEL_H
#define LLM_COST_UNITKERNEL_H

#include "llm/Target/Target.h"
#include "llm/Workload/Workload.h"

#include <memory>

namespace mlir::llm {

/// All the work of an op.
struct WorkSums {
  double macs = 0, alu = 0, special = 0, compare = 0;
};

/// What an op moves: from and to memory, and of what already lies in the cache
/// that the units share.
struct KernelBytes {
  double memory = 0, cached = 0;
  double joulesOnTheWay = 0; ///< in memories between, beside those of `memory`
  double all() const { return memory + cached; }
};

/// An engine as a kernel of one class sees it. A rate of 0 is no limit.
struct UnitMachine {
  double units = 1;
  double clockHz = 0;      ///< of the units, under load
  double macsPerCycle = 0; ///< of one unit, as those below
  double aluPerCycle = 0, specialPerCycle = 0, comparePerCycle = 0;
  double operandBytesPerCycle = 0, cacheBytesPerCycle = 0;
  double accumulatorBytes = 0;
  double granuleM = 1, granuleN = 1, granuleK = 1;
  /// The rates of the memory and of the ports to it, of all units together.
  double memoryBytesPerSecond = 0, portBytesPerSecond = 0;
  /// The figures of the class; a time is in seconds, a rate per second.
  double launchSeconds = 0, splitSeconds = 0, itemCycles = 0,
         itemBytesPerCycle = 0, itemElements = 0;
  bool rereadsRows = false;
  double queryTile = 64, keyTile = 128, unitMemoryBytes = 0;
  bool packsGroups = false, splitsUnpacked = false, skipsMasked = true;
  /// Work of the softmax for each score; without it, the op says it.
  std::optional<double> aluPerScore;
  double loneBlockCycles = 0;
  std::optional<double> regroupSeconds;

  /// `macType` may be null. `figures` are those of the kernel's class or op.
  static UnitMachine get(const Target &target, const Engine &engine,
                         Type macType, const KernelFigures &figures);

  /// Energy, where the target gives it, and what of the power is left for it;
  /// 0: no limit.
  double joulesPerMac = 0, joulesPerByte = 0, joulesPerCachedByte = 0,
         powerWatts = 0;

  /// Seconds that the power limit allows no less.
  double powerSeconds(double macs, const KernelBytes &bytes) const;
  /// Seconds in which the cache gives `bytes`, no slower than memory would.
  double cachedSeconds(double bytes) const;
  /// Bytes per second that all units together stream: the memory's rate and
  /// that of their ports in series, as where loads wait for room.
  double streamBytesPerSecond() const;
  /// The smaller of the two, as where nothing but loads and stores is done.
  double plainStreamBytesPerSecond() const;
  /// The rate of all units together; 0 is no limit.
  double cacheBytesPerSecond() const;
};

/// What one op takes, in seconds.
struct KernelTime {
  double launchSeconds = 0; ///< before anything happens
  double unitSeconds = 0;   ///< arithmetic and the units' own ports
  double streamSeconds = 0; ///< bytes from and to memory
  /// All of it: more than the largest of these, as they overlap in part.
  double totalSeconds = 0;
};

/// The box of iterations that a unit works on at a time: a size for each loop.
using UnitTile = SmallVector<int64_t, 6>;

/// The shape of an op, as far as its time depends on it.
class UnitKernel {
public:
  virtual ~UnitKernel() = default;

  /// The class of ops that it is one of, a key of `Engine::kernels`.
  virtual StringRef opClass() const = 0;
  /// With the given tile; one that was made by `chooseTile`.
  KernelTime timeOf(const UnitTile &tile, const KernelBytes &bytes,
                    const UnitMachine &machine) const;
  /// The tile with the least time; the first of equals.
  virtual UnitTile chooseTile(const KernelBytes &bytes,
                              const UnitMachine &machine) const = 0;
  /// What of a unit a tile takes more of than there is, "takes 8 bytes of sums,
  /// a unit has 4"; empty where it fits.
  virtual std::string excessOf(const UnitTile &tile,
                               const UnitMachine &machine) const {
    return "";
  }
  /// How often every element of a buffer is moved, as the kernel has it.
  virtual int64_t readsOf(unsigned buffer, const UnitMachine &machine) const {
    return 1;
  }

  /// The kernel of an op; null where its workload is of no class (several
  /// contractions that share no scores).
  static std::unique_ptr<UnitKernel> get(WorkloadOpInterface op,
                                         const Workload &workload);

protected:
  /// The time without a power limit.
  virtual KernelTime unlimitedTime(const UnitTile &tile,
                                   const KernelBytes &bytes,
                                   const UnitMachine &machine) const = 0;
  WorkSums work; ///< of all stages
};

/// (a^4 + b^4)^(1/4): two resources that overlap, and get in each other's way
/// where they take equally long.
double overlap(double a, double b);

} // namespace mlir::llm

#endif // LLM_COST_UNITKERNEL_H
