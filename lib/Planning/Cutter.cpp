//===- Cutter.cpp - The best way to cut an op into parts ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cutter.h"
#include "llm/Cost/CostModel.h"
#include "llm/Program/Program.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::llm;

Cutter::Cutter(const OpOnTarget &context, int64_t computeCycles)
    : context(context), whole(context.op, context.workload),
      computeCycles(double(computeCycles)) {
  const Target &target = *context.target;
  double clock = double(target.clockHz);
  bytesPerCycle = double(slowestPortBytesPerSecond(context)) / clock;
  bytesPerCycleOfAll = std::numeric_limits<double>::max();
  for (const Memory *memory : target.sharedMemories())
    bytesPerCycleOfAll = std::min(
        bytesPerCycleOfAll, double(memory->usableBytesPerSecond()) / clock);
  for (auto [index, loop] : llvm::enumerate(context.workload.loops)) {
    uncut.push_back(loop.extent);
    if (loop.extent == 1)
      continue;
    if (Split::canCut(loop))
      loops.push_back(index);
    else if (Split::findReduction(context, index, 2))
      reductions.push_back(index);
  }
  current = uncut;
}

/// Returns the loops of a buffer if each iteration of these touches an element
/// of its own.
static std::optional<SmallVector<unsigned, 4>>
productLoopsOf(WorkloadOpInterface op, const Workload &workload,
               unsigned buffer) {
  if (workload.buffers[buffer].isGathered)
    return std::nullopt;
  SmallVector<unsigned, 4> loops;
  Count iterations = int64_t(1);
  // set_bits() refers to the bits, which must outlive the loop.
  llvm::SmallBitVector used = workload.loopsOf(workload.buffers[buffer]);
  for (unsigned loop : used.set_bits()) {
    loops.push_back(loop);
    iterations = times(iterations, workload.loops[loop].extent);
  }
  Count touched = op.countElements(workload, buffer, workload.fullBox());
  if (failed(touched) || failed(iterations) || *touched != *iterations)
    return std::nullopt;
  return loops;
}

Cutter::Touched::Touched(WorkloadOpInterface op, const Workload &workload)
    : workload(workload), loopsOf(workload.buffers.size()),
      counted(workload.buffers.size()) {
  for (const Buffer &buffer : workload.buffers)
    bytesPerElement.push_back(wholeBytesOf(buffer.elementType));
  if (!hidesNothing(op, workload))
    return;
  for (auto [buffer, loops] : llvm::enumerate(loopsOf))
    if (workload.buffers[buffer].role != Buffer::Role::Temporary)
      loops = productLoopsOf(op, workload, buffer);
}

double Cutter::bytesOfPart(const Touched &touched, unsigned buffer,
                           ArrayRef<int64_t> sizes) const {
  const Buffer &own = touched.workload.buffers[buffer];
  if (own.role == Buffer::Role::Temporary)
    return 0;
  if (!touched.loopsOf[buffer])
    return countBytesOfPart(touched, buffer, sizes);
  std::optional<int64_t> elements = 1;
  for (unsigned loop : *touched.loopsOf[buffer])
    elements = elements ? checkedMul(*elements, sizes[loop]) : std::nullopt;
  int64_t each = touched.bytesPerElement[buffer];
  if (elements && each > 0 && *elements <= maxCount / (8 * each))
    return double(*elements * each);
  Count bytes = elements ? storageBytes(own, *elements) : Count(failure());
  return succeeded(bytes) ? double(*bytes) : double(maxCount);
}

/// Counts the bytes of the first or the last part, whichever touches more. What
/// masks and tables leave there is counted exactly.
double Cutter::countBytesOfPart(const Touched &touched, unsigned buffer,
                                ArrayRef<int64_t> sizes) const {
  auto [known, isNew] = touched.counted[buffer].try_emplace(Sizes(sizes), 0);
  double &most = known->second;
  if (!isNew)
    return most;
  const Workload &workload = touched.workload;
  WorkloadOpInterface op = context.op;
  for (bool isLast : {false, true}) {
    SmallVector<Interval, 6> box = workload.fullBox();
    for (auto [interval, size] : llvm::zip_equal(box, sizes))
      (isLast ? interval.begin : interval.end) =
          isLast ? interval.end - size : interval.begin + size;
    Count elements = op.countElements(workload, buffer, box);
    Count bytes = succeeded(elements)
                      ? storageBytes(workload.buffers[buffer], *elements)
                      : elements;
    most = std::max(most, succeeded(bytes) ? double(*bytes) : double(maxCount));
  }
  return most;
}

double Cutter::slicesOf(ArrayRef<int64_t> sizes) const {
  double bytes = 0;
  for (auto [index, buffer] : llvm::enumerate(context.workload.buffers))
    if (buffer.role == Buffer::Role::Read && findFetchWaits(context.op, buffer))
      bytes += bytesOfPart(whole, index, sizes);
  return bytes;
}

Cutter::Estimate Cutter::estimate(const Touched &touched) const {
  double share = 1, parts = 1, bytes = 0;
  for (auto [size, extent] : llvm::zip_equal(current, uncut)) {
    share *= double(size) / double(extent);
    parts *= double(llvm::divideCeil(extent, size));
  }
  for (unsigned buffer = 0; buffer < touched.loopsOf.size(); ++buffer)
    bytes += bytesOfPart(touched, buffer, current);
  return {std::max(computeCycles * share, bytes / bytesPerCycle), parts,
          bytes * parts};
}

double Cutter::cyclesOfAll(const Estimate &estimate, int64_t atOnce) const {
  double rounds = std::ceil(estimate.parts / double(atOnce));
  double all = std::min(bytesPerCycleOfAll, double(atOnce) * bytesPerCycle);
  return std::max(estimate.cycles * rounds, estimate.bytes / all);
}

double Cutter::cyclesOfCombine(const Workload &combine) const {
  Sizes all;
  for (const Loop &loop : combine.loops)
    all.push_back(loop.extent);
  double bytes = 0, cycles = 0;
  Touched touched(context.op, combine);
  for (unsigned buffer = 0; buffer < combine.buffers.size(); ++buffer)
    bytes += bytesOfPart(touched, buffer, all);
  // An engine without the rates for it joins no parts, which is no error.
  OpOnTarget part = context.partWith(combine);
  part.reasons = Reasons::unsaid();
  FailureOr<int64_t> compute = llm::computeCycles(part);
  cycles = succeeded(compute) ? double(*compute) : double(maxCount);
  return double(context.overheadCycles()) +
         std::max(cycles, bytes / bytesPerCycle);
}

/// Cuts each loop into every number of parts that divides what is left, as far
/// as it has iterations.
void Cutter::enumerate(ArrayRef<unsigned> loops, int64_t left,
                       function_ref<void()> visit) {
  if (loops.empty())
    return visit();
  unsigned loop = loops.front();
  for (int64_t count = 1; count <= std::min(left, uncut[loop]); ++count) {
    if (left % count != 0)
      continue;
    current[loop] = llvm::divideCeil(uncut[loop], count);
    enumerate(loops.drop_front(), left / count, visit);
  }
  current[loop] = uncut[loop];
}

const Cutter::Plain &Cutter::cutInto(int64_t parts) {
  auto [known, isNew] = plain.try_emplace(parts);
  Plain &found = known->second;
  if (!isNew)
    return found;
  std::optional<Estimate> least;
  enumerate(loops, parts, [&] {
    Estimate own = estimate(whole);
    if (canCutReductions())
      found.all.push_back(own);
    if (loops.empty() || (least && !(own < *least)))
      return;
    least = own;
    found.best = current;
  });
  return found;
}

const Cutter::Reduced &Cutter::reducedTo(unsigned reduction, int64_t size) {
  auto known = reduced.find({reduction, size});
  if (known != reduced.end())
    return known->second;
  Reduced &found =
      reduced
          .try_emplace(
              {reduction, size}, context.op,
              *Split::findReduction(context, reduction,
                                    llvm::divideCeil(uncut[reduction], size)))
          .first->second;
  found.combineCycles = cyclesOfCombine(found.partial.combine);
  return found;
}

std::optional<Sizes> Cutter::cutReduction(int64_t parts) {
  std::optional<Estimate> least;
  Sizes best;
  for (unsigned reduction : reductions) {
    for (int64_t count = 2; count <= std::min(parts, uncut[reduction]);
         ++count) {
      if (parts % count != 0)
        continue;
      int64_t size = llvm::divideCeil(uncut[reduction], count);
      const Reduced &own = reducedTo(reduction, size);
      current[reduction] = size;
      enumerate(loops, parts / count, [&] {
        Estimate found = estimate(own.touched);
        found.cycles += own.combineCycles;
        if (!least || found < *least) {
          least = found;
          best = current;
        }
      });
      current[reduction] = uncut[reduction];
    }
  }
  return least ? std::optional<Sizes>(std::move(best)) : std::nullopt;
}

bool Cutter::isClearlyFaster(ArrayRef<int64_t> sizes, int64_t parts,
                             int64_t atOnce) {
  constexpr double clearly = 0.9;
  double least = std::numeric_limits<double>::max();
  for (int64_t fewer = parts; fewer > 0; fewer /= 2)
    for (const Estimate &plain : cutInto(fewer).all)
      least = std::min(least, cyclesOfAll(plain, atOnce));
  for (unsigned reduction : reductions) {
    if (sizes[reduction] == uncut[reduction])
      continue;
    const Reduced &own = reducedTo(reduction, sizes[reduction]);
    current.assign(sizes.begin(), sizes.end());
    double found =
        cyclesOfAll(estimate(own.touched), atOnce) + own.combineCycles;
    current = uncut;
    return found < least * clearly;
  }
  return false;
}

int64_t Cutter::countParts(ArrayRef<int64_t> sizes) const {
  int64_t parts = 1;
  for (auto [size, extent] : llvm::zip_equal(sizes, uncut))
    parts = checkedMul(parts, int64_t(llvm::divideCeil(extent, size)))
                .value_or(maxCount);
  return parts;
}

int64_t Cutter::mostParts(bool reduced) const {
  Sizes least = uncut;
  for (unsigned loop : loops)
    least[loop] = 1;
  for (unsigned loop : reductions)
    if (reduced)
      least[loop] = 1;
  return countParts(least);
}
