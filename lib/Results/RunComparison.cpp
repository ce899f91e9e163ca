//===- RunComparison.cpp - Two runs of a program, op by op ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/RunComparison.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Elapsed time
//===----------------------------------------------------------------------===//

/// Returns the cycles that at least one of the ops covers in the first run.
static double coveredCycles(std::vector<const OpExtent *> &ops) {
  llvm::sort(ops, [](const OpExtent *one, const OpExtent *other) {
    return one->startCycle < other->startCycle;
  });
  double cycles = 0;
  int64_t covered = INT64_MIN;
  for (const OpExtent *op : ops) {
    int64_t start = std::max(op->startCycle, covered);
    cycles += double(std::max<int64_t>(op->endCycle - start, 0));
    covered = std::max(covered, op->endCycle);
  }
  return cycles;
}

double mlir::llm::elapsedCycles(ArrayRef<OpExtent> ops) {
  std::map<std::vector<unsigned>, std::vector<const OpExtent *>> byLoops;
  for (const OpExtent &op : ops)
    byLoops[op.loops].push_back(&op);
  double cycles = 0;
  for (auto &[loops, together] : byLoops)
    cycles += double(together.front()->count) * coveredCycles(together);
  return cycles;
}

static OpExtent extentOf(const Report &report, unsigned index) {
  const OpReport &op = report.ops[index];
  return {op.count, report.timeline.loopsOf(index).vec(), op.startCycle,
          op.endCycle};
}

double mlir::llm::elapsedMicroseconds(const Report &report,
                                      ArrayRef<unsigned> ops) {
  std::vector<OpExtent> extents;
  for (unsigned op : ops)
    extents.push_back(extentOf(report, op));
  return elapsedCycles(extents) * 1e6 / double(report.target->clockHz);
}

double ComparableRun::elapsedMicroseconds(ArrayRef<unsigned> ops) const {
  std::vector<OpExtent> chosen;
  for (unsigned op : ops)
    chosen.push_back(extents[op]);
  return elapsedCycles(chosen) * 1e6 / clockHz;
}

//===----------------------------------------------------------------------===//
// Two runs
//===----------------------------------------------------------------------===//

ComparableRun mlir::llm::comparableRun(const Report &report) {
  ComparableRun run;
  run.function = report.functionName().str();
  run.target = report.target->name;
  run.clockHz = double(report.target->clockHz);
  run.makespanMicroseconds = report.makespanMicroseconds();
  run.ops = namedOps(report);
  for (unsigned op = 0; op < report.ops.size(); ++op)
    run.extents.push_back(extentOf(report, op));
  return run;
}

std::optional<double>
mlir::llm::differencePercent(double microseconds, double baselineMicroseconds) {
  if (baselineMicroseconds == 0)
    return std::nullopt;
  return 100 * (microseconds - baselineMicroseconds) / baselineMicroseconds;
}

static std::vector<unsigned>
findUnmatched(size_t count, ArrayRef<SameWork> work,
              std::vector<unsigned> MatchedOps::*side) {
  std::vector<bool> isMatched(count);
  for (const SameWork &same : work)
    for (unsigned op : same.ops.*side)
      isMatched[op] = true;
  std::vector<unsigned> unmatched;
  for (unsigned op = 0; op < count; ++op)
    if (!isMatched[op])
      unmatched.push_back(op);
  return unmatched;
}

static SameWork measureWork(const ComparableRun &run,
                            const ComparableRun &baseline, MatchedOps ops) {
  SameWork work;
  for (unsigned op : ops.first)
    work.runs = std::max(work.runs, run.extents[op].count);
  for (unsigned op : ops.second)
    work.runs = std::max(work.runs, baseline.extents[op].count);
  work.microseconds = run.elapsedMicroseconds(ops.first);
  work.baselineMicroseconds = baseline.elapsedMicroseconds(ops.second);
  work.ops = std::move(ops);
  return work;
}

static RunComparison compare(const ComparableRun &run,
                             const ComparableRun &baseline) {
  RunComparison comparison;
  for (MatchedOps &ops : matchOps(run.ops, baseline.ops))
    comparison.work.push_back(measureWork(run, baseline, std::move(ops)));
  comparison.onlyHere =
      findUnmatched(run.ops.size(), comparison.work, &MatchedOps::first);
  comparison.onlyInBaseline =
      findUnmatched(baseline.ops.size(), comparison.work, &MatchedOps::second);
  return comparison;
}

std::vector<std::optional<RunComparison>>
mlir::llm::compareRuns(ArrayRef<ComparableRun> runs,
                       ArrayRef<ComparableRun> baselines) {
  bool areSingle = runs.size() == 1 && baselines.size() == 1;
  std::vector<std::optional<RunComparison>> comparisons;
  for (const ComparableRun &run : runs) {
    const ComparableRun *same =
        llvm::find_if(baselines, [&](const ComparableRun &other) {
          return areSingle || other.function == run.function;
        });
    comparisons.emplace_back();
    if (same == baselines.end())
      continue;
    comparisons.back() = compare(run, *same);
    comparisons.back()->baseline = same - baselines.begin();
  }
  return comparisons;
}
