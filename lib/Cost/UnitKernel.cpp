//===- UnitKernel.cpp - An op shared by the units of one engine -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/UnitKernel.h"
#include "Kernels/AttentionKernel.h"
#include "Kernels/ContractionKernel.h"
#include "Kernels/ElementwiseKernel.h"
#include "Kernels/RecurrentKernel.h"
#include "Kernels/SelectionKernel.h"
#include "llm/Dialect/Llm/Plans/Formats.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

double mlir::llm::overlap(double a, double b) {
  double high = std::max(a, b), low = std::min(a, b);
  if (high <= 0)
    return 0;
  double ratio = low / high, square = ratio * ratio;
  return high * std::sqrt(std::sqrt(1 + square * square));
}

//===----------------------------------------------------------------------===//
// UnitMachine
//===----------------------------------------------------------------------===//

/// Returns 0 for a figure that is not given.
static double real(std::optional<int64_t> value) {
  return double(value.value_or(0));
}

UnitMachine UnitMachine::get(const Target &target, const Engine &engine,
                             Type macType, const KernelFigures &figures) {
  constexpr double nano = 1e-9, kilo = 1e3;
  UnitMachine machine;
  machine.units = double(engine.units);
  machine.clockHz = double(engine.sustainedClockHz.value_or(target.clockHz));
  std::string usedType;
  constexpr double percent = 1e-2;
  if (std::optional<int64_t> macs =
          macType ? Target::macsPerCycle(engine, macType, usedType)
                  : std::nullopt)
    machine.macsPerCycle = double(*macs) / machine.units * percent *
                           double(figures.macsPercent.value_or(100));
  machine.overlap = percent * real(figures.overlapPercent);
  machine.aluPerCycle = real(engine.aluPerCycle);
  machine.specialPerCycle = real(engine.specialPerCycle);
  machine.comparePerCycle = real(engine.comparePerCycle);
  machine.accumulatorBytes = real(engine.accumulatorBytes);
  machine.granuleM = double(engine.granuleM.value_or(1));
  machine.granuleN = double(engine.granuleN.value_or(1));
  machine.granuleK = double(engine.granuleK.value_or(1));
  // Ports run at the clock of the datasheet, as the memory behind them does.
  machine.portBytesPerSecond = real(engine.streamBytesPerKilocycle) / kilo *
                               machine.units * double(target.clockHz);
  const Memory &dram = target.dram();
  machine.memoryBytesPerSecond =
      double(target.portBytesPerSecond(engine, dram));

  constexpr double femto = 1e-15;
  machine.joulesPerMac = femto * real(Target::macFemtojoules(engine, macType));
  // Bytes from DRAM pass the private memory, too.
  const Memory *cache = target.privateMemoryOf(engine);
  machine.joulesPerCachedByte =
      femto * real(cache ? cache->femtojoulesPerByte : std::nullopt);
  machine.joulesPerByte =
      femto * real(dram.femtojoulesPerByte) + machine.joulesPerCachedByte;
  machine.power = PowerLimit(target);

  machine.launchSeconds = nano * real(figures.launchNanoseconds);
  machine.splitSeconds = nano * real(figures.splitNanoseconds);
  machine.itemCycles = real(figures.itemCycles);
  machine.operandBytesPerCycle = real(figures.operandBytesPerKilocycle) / kilo;
  machine.cacheBytesPerCycle = real(figures.cacheBytesPerKilocycle) / kilo;
  machine.itemBytesPerCycle = real(figures.itemBytesPerKilocycle) / kilo;
  machine.itemElements = real(figures.itemElements);
  machine.itemRows = double(figures.itemRows.value_or(1));
  machine.rereadsRows = figures.rereadsRows.value_or(0) != 0;
  machine.unitMemoryBytes = real(engine.unitMemoryBytes);
  machine.queryTile = double(figures.queryTile.value_or(64));
  machine.decodeQueryTile = figures.decodeQueryTile
                                ? double(*figures.decodeQueryTile)
                                : machine.queryTile;
  machine.keyTile = double(figures.keyTile.value_or(128));
  machine.packsGroups = figures.packsGroups.value_or(0) != 0;
  machine.packsWindows = figures.packsWindows.value_or(1) != 0;
  if (figures.packedHeads)
    machine.packedHeads = double(*figures.packedHeads);
  machine.splitsUnpacked = figures.splitsUnpacked.value_or(0) != 0;
  machine.skipsMasked = figures.skipsMasked.value_or(1) != 0;
  if (figures.aluPer1000Scores)
    machine.aluPerScore = double(*figures.aluPer1000Scores) / kilo;
  machine.loneBlockCycles = real(figures.loneBlockCycles);
  if (figures.regroupNanoseconds)
    machine.regroupSeconds = nano * double(*figures.regroupNanoseconds);
  machine.firstByteSeconds = nano * real(figures.firstByteNanoseconds);
  machine.writtenByteShare =
      std::max(1.0, percent * double(figures.writtenBytePercent.value_or(100)));
  machine.streamsAhead = figures.streamsAhead.value_or(0) != 0;
  machine.scoresKeys = figures.scoresKeys.value_or(1) != 0;
  machine.rowCycles = real(figures.rowCycles);
  machine.chunkCycles = real(figures.chunkCycles);
  machine.rowBytesPerCycle = real(figures.rowBytesPerKilocycle) / kilo;
  machine.tiles = figures.tiles;
  machine.residentBytesPerCycle =
      real(figures.residentBytesPerKilocycle) / kilo;
  return machine;
}

double UnitMachine::joulesOf(double macs, const KernelBytes &bytes) const {
  return macs * joulesPerMac + bytes.memory * joulesPerByte +
         bytes.cached * joulesPerCachedByte + bytes.joulesOnTheWay;
}

double UnitMachine::cachedSeconds(double bytes) const {
  double rate = residentBytesPerCycle > 0
                    ? residentBytesPerCycle * units * clockHz
                    : cacheBytesPerSecond();
  return bytes / std::max(rate, memoryBytesPerSecond);
}

double UnitMachine::streamBytesPerSecond() const {
  if (portBytesPerSecond <= 0)
    return memoryBytesPerSecond;
  return 1 / (1 / memoryBytesPerSecond + 1 / portBytesPerSecond);
}

double UnitMachine::plainStreamBytesPerSecond() const {
  return portBytesPerSecond > 0
             ? std::min(memoryBytesPerSecond, portBytesPerSecond)
             : memoryBytesPerSecond;
}

double UnitMachine::cacheBytesPerSecond() const {
  return cacheBytesPerCycle * units * clockHz;
}

//===----------------------------------------------------------------------===//
// UnitKernel
//===----------------------------------------------------------------------===//

StringRef mlir::llm::formatOf(const Workload &workload) {
  for (const Buffer &buffer : workload.buffers)
    if (StringRef format = nameOfFormat(buffer.elementType); !format.empty())
      return format;
  for (const Buffer &buffer : workload.buffers)
    if (workload.isContracted(buffer))
      if (StringRef type = nameOfNarrowType(buffer.elementType); !type.empty())
        return type;
  return "";
}

KernelFigures mlir::llm::kernelFiguresOf(WorkloadOpInterface op,
                                         const Workload &workload,
                                         const Engine &engine,
                                         const UnitKernel &kernel) {
  return engine.kernelFigures(kernel.opClass(), op->getName().getStringRef(),
                              formatOf(workload));
}

KernelTime UnitKernel::timeOf(const UnitTile &tile, const KernelBytes &bytes,
                              const UnitMachine &machine) const {
  KernelTime time = unlimitedTime(tile, bytes, machine);
  double joules = machine.joulesOf(countMacs(machine), bytes);
  time.totalSeconds =
      time.launchSeconds +
      machine.power.secondsOf(joules, time.totalSeconds - time.launchSeconds);
  return time;
}

std::unique_ptr<UnitKernel> UnitKernel::get(WorkloadOpInterface op,
                                            const Workload &workload) {
  if (auto kernel = ElementwiseKernel::get(op, workload))
    return kernel;
  if (auto kernel = RecurrentKernel::get(op, workload))
    return kernel;
  if (auto kernel = SelectionKernel::get(op, workload))
    return kernel;
  if (auto kernel = ContractionKernel::get(op, workload))
    return kernel;
  return AttentionKernel::get(op, workload);
}
