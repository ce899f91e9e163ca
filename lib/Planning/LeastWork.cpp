//===- LeastWork.cpp - What no way to cut an op is below ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/LeastWork.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Cost/Movement.h"
#include "llm/Cost/SliceRows.h"
#include "llm/Cost/WorkSums.h"
#include "llm/Planning/Split.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Program/Program.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::llm;

using scheduling::LeastWork;
using scheduling::Source;

/// Returns the bytes of each buffer: every element once, or once for each
/// sweep.
static FailureOr<SmallVector<int64_t, 4>> leastBytes(const OpOnTarget &context,
                                                     TileStrategy strategy) {
  TileModel model(context.op, context.workload);
  bool sweeps = strategy != TileStrategy::Theoretical && mustSweepRows(context);
  SmallVector<int64_t, 4> bytes;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count own = model.compulsoryBytes(buffer);
    if (sweeps)
      own = times(own, context.workload.countSweeps(buffer));
    if (failed(own))
      return context.refuseOverflow();
    bytes.push_back(*own);
  }
  if (strategy != TileStrategy::Theoretical)
    return bytes;
  // The closed form counts values of one size, and only operands. Smaller tiles
  // never move less.
  if (std::optional<ClosedForm> form = ClosedForm::get(context)) {
    bytes.assign(bytes.size(), 0);
    auto extent = [&](unsigned loop) {
      return double(context.workload.loops[loop].extent);
    };
    double valueBytes =
        context.workload.macElementType().getIntOrFloatBitWidth() / 8.0;
    bytes[form->lhs] = int64_t(extent(form->m) * extent(form->k) * valueBytes);
    bytes[form->rhs] = int64_t(extent(form->k) * extent(form->n) * valueBytes);
  }
  return bytes;
}

/// Returns the least cycles of a kernel of units, which runs its kinds of work
/// side by side, over all stages.
static FailureOr<int64_t> leastUnitCycles(const OpOnTarget &context) {
  int64_t longest = 0;
  for (WorkKind kind : allWorkKinds) {
    Count work = countPipeWork(context.op, context.workload, kind);
    std::string usedType;
    Type type = context.workload.macElementType();
    std::optional<int64_t> rate =
        kind != WorkKind::Mac ? Target::opsPerCycle(*context.engine, kind)
        : type ? Target::macsPerCycle(*context.engine, type, usedType)
               : std::nullopt;
    if (failed(work))
      return context.refuseOverflow();
    if (rate && *rate > 0)
      longest = std::max(longest, *work / *rate);
  }
  int64_t clock = context.target->clockHz;
  return int64_t(double(longest) * double(clock) /
                 double(context.engine->sustainedClockHz.value_or(clock)));
}

/// Whether a box of some share of the iterations has that share of the
/// elements, or more.
static bool isEven(const OpOnTarget &context) {
  return llvm::none_of(
             context.workload.buffers,
             [](const Buffer &buffer) { return buffer.isGathered; }) &&
         hidesNothing(context.op, context.workload);
}

/// Returns the least cycles in which arithmetic uses the memory of the tiles,
/// which it takes with one tile.
static FailureOr<int64_t> leastUsedCycles(const OpOnTarget &context,
                                          TileStrategy strategy) {
  const Memory *tiles = context.tileMemory();
  if (!tiles || tiles->bytesPerSecond == 0 ||
      strategy == TileStrategy::Theoretical)
    return 0;
  TileModel model(context.op, context.workload);
  Tiling whole;
  for (const Loop &loop : context.workload.loops)
    whole.sizes.push_back(loop.extent);
  Count bytes = int64_t(0);
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    bytes = plus(bytes, model.usedBytes(whole, buffer));
  std::optional<int64_t> cycles =
      succeeded(bytes) ? memoryCycles(context, *tiles, *bytes) : std::nullopt;
  if (!cycles)
    return context.refuseOverflow();
  return *cycles;
}

/// Returns cycles such that a share of the iterations takes at least that share
/// of them, if iterations are even.
static FailureOr<int64_t> leastEvenCycles(const OpOnTarget &context,
                                          int64_t usedCycles) {
  FailureOr<int64_t> cycles = context.engine->hasUnitTiles()
                                  ? leastUnitCycles(context)
                                  : computeCyclesWithoutGranules(context);
  // Each stage of the whole was rounded up, too.
  int64_t stages = context.workload.stages.size();
  if (failed(cycles))
    return failure();
  return std::max<int64_t>(
      0, std::max(*cycles - stages - 1, isEven(context) ? usedCycles - 1 : 0));
}

static FailureOr<int64_t> leastComputeCycles(const OpOnTarget &context,
                                             TileStrategy strategy,
                                             ArrayRef<int64_t> bytes,
                                             int64_t usedCycles) {
  FailureOr<int64_t> cycles = context.engine->hasUnitTiles()
                                  ? leastUnitCycles(context)
                              : strategy == TileStrategy::Theoretical
                                  ? computeCyclesWithoutGranules(context)
                                  : computeCycles(context);
  Count macs = countWork(context.op, context.workload, WorkKind::Mac);
  if (failed(cycles) || failed(macs))
    return failure();
  std::optional<int64_t> energy =
      energyPicojoules(context, *macs, bytes, /*cachedBytes=*/0);
  int64_t unlimited = std::max(*cycles, usedCycles);
  std::optional<int64_t> power =
      energy ? leastPowerCycles(*context.target, *energy, unlimited)
             : std::nullopt;
  if (!power)
    return context.refuseOverflow();
  // The energy of the whole was rounded up, but those of its parts may be
  // rounded less.
  return std::max(unlimited, *power - 1);
}

/// How many parts may run at once.
static int64_t mostPartsOf(const OpOnTarget &context) {
  int64_t parts = 1;
  for (auto [index, loop] : llvm::enumerate(context.workload.loops))
    if (loop.extent > 1 &&
        (Split::canCut(loop) || Split::findReduction(context, index, 2)))
      parts = checkedMul(parts, loop.extent).value_or(maxParts);
  return std::min(parts, maxParts);
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

/// Adds a product for each expert, with what the expert reads, as if each were
/// an op.
static std::vector<LeastWork::EvenShare>
sharesOfExperts(const OpOnTarget &context) {
  const Workload &workload = context.workload;
  std::optional<unsigned> sliced;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers))
    if (buffer.slices > 0 && workload.isContracted(buffer) && !sliced)
      sliced = index;
  if (!sliced || workload.maskedLoops.count() != 1)
    return {};
  unsigned loop = workload.maskedLoops.find_first();
  int64_t all = workload.loops[loop].extent;
  std::map<int64_t, int64_t> experts; // by number of rows
  int64_t count = 0;
  for (int64_t rows : findSliceRows(context, *sliced, loop, all)) {
    ++experts[rows];
    ++count;
  }
  std::vector<LeastWork::EvenShare> shares;
  for (auto [rows, many] : experts)
    shares.push_back(
        {double(rows * many) / double(all), double(many) / double(count)});
  return shares;
}

//===----------------------------------------------------------------------===//
// Bytes of many parts
//===----------------------------------------------------------------------===//

namespace {
/// A lower bound of the bytes that all parts move, if the largest part has at
/// least 1 / `parts` of the iterations. If it has 1 / q_l of loop l, all parts
/// read each element of a buffer q_l times for each loop that the buffer does
/// not have. With z = log q that is a sum of exponentials, which is convex. Its
/// least over all z >= 0 with sum z >= log(parts) is not below what any tangent
/// has there (Frank and Wolfe, 1956).
class BytesOfParts {
public:
  BytesOfParts(const OpOnTarget &context, ArrayRef<int64_t> bytes);
  /// Returns nothing if the op cannot be cut into so many parts.
  std::optional<double> atLeast(double parts) const;

private:
  using Vector = SmallVector<double, 6>;
  struct Term {
    double bytes;
    llvm::SmallBitVector loops; ///< buffers are read again for each
  };
  double valueAt(const Vector &z, Vector &gradient) const;
  /// The point at which a linear function is least.
  Vector leastOf(const Vector &gradient, double sum) const;

  SmallVector<Term, 6> terms;
  double constant = 0;
  Vector mostOf; ///< of each loop: log of its extent, 0 where it is whole
};
} // namespace

BytesOfParts::BytesOfParts(const OpOnTarget &context, ArrayRef<int64_t> bytes) {
  const Workload &workload = context.workload;
  llvm::SmallBitVector reductions(workload.loops.size());
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    bool isReduced = loop.extent > 1 && !Split::canCut(loop) &&
                     Split::findReduction(context, index, 2);
    reductions[index] = isReduced;
    mostOf.push_back(
        Split::canCut(loop) || isReduced ? std::log(double(loop.extent)) : 0);
  }
  // Partial sums are written and read, in 32 bits or more.
  constexpr double sumBytes = 2 * 4;
  for (auto [index, buffer] : llvm::enumerate(workload.buffers)) {
    if (bytes[index] == 0)
      continue;
    bool isState = buffer.role == Buffer::Role::State;
    if (isState || buffer.role == Buffer::Role::Read) {
      terms.push_back({double(bytes[index]), ~workload.loopsOf(buffer)});
      continue;
    }
    double elements =
        toReal(WorkloadOpInterface(context.op)
                   .countElements(workload, index, workload.fullBox()));
    constant += double(bytes[index]) - sumBytes * elements;
    terms.push_back({sumBytes * elements, reductions});
  }
}

double BytesOfParts::valueAt(const Vector &z, Vector &gradient) const {
  double value = constant;
  gradient.assign(z.size(), 0);
  for (const Term &term : terms) {
    double exponent = 0;
    for (unsigned loop : term.loops.set_bits())
      exponent += z[loop];
    double bytes = term.bytes * std::exp(exponent);
    value += bytes;
    for (unsigned loop : term.loops.set_bits())
      gradient[loop] += bytes;
  }
  return value;
}

BytesOfParts::Vector BytesOfParts::leastOf(const Vector &gradient,
                                           double sum) const {
  auto loops = llvm::to_vector<6>(llvm::seq<unsigned>(0, gradient.size()));
  llvm::stable_sort(
      loops, [&](unsigned a, unsigned b) { return gradient[a] < gradient[b]; });
  Vector z(gradient.size(), 0);
  for (unsigned loop : loops) {
    z[loop] = std::min(sum, mostOf[loop]);
    sum -= z[loop];
  }
  return z;
}

std::optional<double> BytesOfParts::atLeast(double parts) const {
  double sum = std::log(parts), most = 0;
  for (double loop : mostOf)
    most += loop;
  if (most < sum * (1 - 1e-9))
    return std::nullopt;
  Vector gradient, ignored;
  Vector z(mostOf.size(), 0);
  double bound = valueAt(z, gradient); // the bound of the whole op
  z = leastOf(gradient, sum);
  constexpr int steps = 24;
  for (int step = 0; step < steps; ++step) {
    double tangent = valueAt(z, gradient);
    Vector to = leastOf(gradient, sum);
    for (size_t loop = 0; loop < z.size(); ++loop)
      tangent += gradient[loop] * (to[loop] - z[loop]);
    bound = std::max(bound, tangent);
    double share = 2.0 / (step + 2.0);
    for (size_t loop = 0; loop < z.size(); ++loop)
      z[loop] += share * (to[loop] - z[loop]);
  }
  return bound;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// Adds one entry for each range of the size of the largest part, as far as
/// engines can share the op.
static std::vector<LeastWork>
inParts(const OpOnTarget &context, const LeastWork &least,
        ArrayRef<int64_t> bytes,
        function_ref<std::vector<int64_t>(int64_t)> perMemory) {
  std::vector<LeastWork> all;
  BytesOfParts bytesOfParts(context, bytes);
  int64_t once = 0;
  for (int64_t own : bytes)
    once += own;
  int64_t engines = context.countTeams();
  // The number of parts is 1, 2, 3, 4, 6, 8, ...
  for (int64_t parts = 1, next = 2; parts < least.mostParts;) {
    std::optional<double> most = bytesOfParts.atLeast(double(parts));
    if (!most)
      break;
    // Rounding of doubles loses less than this share.
    auto again = std::max<int64_t>(0, int64_t(*most * (1 - 1e-9)) - once);
    all.push_back(least);
    std::vector<int64_t> more = perMemory(again);
    for (size_t m = 0; m < more.size(); ++m)
      all.back().bytes[m] += more[m];
    all.back().againBytes = std::move(more);
    if (parts >= engines)
      return all;
    all.back().mostParts = std::min(next, least.mostParts);
    parts = std::exchange(next,
                          next % 3 == 0 ? next / 3 * 4 : next + (next + 1) / 2);
  }
  if (all.empty())
    all.push_back(least);
  return all;
}

FailureOr<std::vector<LeastWork>>
mlir::llm::leastWork(const OpOnTarget &context, TileStrategy strategy,
                     ArrayRef<const Memory *> memories) {
  FailureOr<SmallVector<int64_t, 4>> bytes = leastBytes(context, strategy);
  if (failed(bytes))
    return failure();
  LeastWork least;
  least.overheadCycles = context.overheadCycles();
  least.mostParts = mostPartsOf(context);
  // All bytes pass each memory, whatever a memory keeps for later, and none of
  // the links behind them.
  size_t onTheWay = memories.size() - context.target->network.size();
  auto perMemory = [&](int64_t bytes) {
    std::vector<int64_t> all(onTheWay, bytes);
    all.resize(memories.size(), 0);
    return all;
  };
  int64_t sum = 0;
  for (auto [buffer, moved] :
       llvm::zip_equal(context.workload.buffers, *bytes)) {
    std::optional<int64_t> more = checkedAdd(sum, moved);
    if (!more)
      return context.refuseOverflow();
    sum = *more;
    if (moved > 0 && buffer.role == Buffer::Role::Read &&
        findFetchWaits(context.op, buffer))
      least.sources.push_back({buffer.name, perMemory(moved), moved});
  }
  least.bytes = perMemory(sum);
  least.againBytes = perMemory(0);
  FailureOr<int64_t> used = leastUsedCycles(context, strategy);
  if (failed(used))
    return failure();
  FailureOr<int64_t> compute =
      leastComputeCycles(context, strategy,
                         ArrayRef(least.bytes).take_front(onTheWay), *used);
  FailureOr<int64_t> even = leastEvenCycles(context, *used);
  if (failed(compute) || failed(even))
    return failure();
  least.computeCycles = *compute;
  least.evenCycles = *even;
  if (!isEven(context)) {
    least.evenShares = sharesOfExperts(context);
    return std::vector<LeastWork>{std::move(least)};
  }
  least.evenShares = {{1, 1}};
  if (strategy == TileStrategy::Theoretical)
    return std::vector<LeastWork>{std::move(least)};
  return inParts(context, least, *bytes, perMemory);
}
