//===- RunComparison.cpp - Two runs of a program, op by op ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/RunComparison.h"
#include "llm/Results/ModuleTree.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

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
  if (report.imported)
    run.program = RunProgram::of(report.imported);
  run.clockHz = double(report.target->clockHz);
  run.makespanMicroseconds = report.makespanMicroseconds();
  run.ops = namedOps(report);
  for (unsigned op = 0; op < report.ops.size(); ++op)
    run.extents.push_back(extentOf(report, op));
  return run;
}

std::string mlir::llm::describeSequences(int64_t batch, int64_t seq,
                                         ArrayRef<int64_t> kvLens) {
  int64_t fewest = *llvm::min_element(kvLens),
          most = *llvm::max_element(kvLens);
  return "batch " + std::to_string(batch) + ", seq " + std::to_string(seq) +
         ", " + std::to_string(fewest) +
         (fewest == most ? "" : " to " + std::to_string(most)) + " keys";
}

std::string mlir::llm::describeLayers(int64_t layers, int64_t modelLayers,
                                      bool isWhole) {
  return isWhole ? "the whole model"
                 : std::to_string(layers) + " of " +
                       std::to_string(modelLayers) + " layers";
}

RunProgram RunProgram::of(ProgramAttr program) {
  SmallVector<std::string> groups;
  for (SequencesAttr group : program.getGroups())
    groups.push_back(
        describeSequences(group.getBatch(), group.getSeq(), group.getKvLens()));
  return {program.getModel().str(), stringifyPhase(program.getPhase()).str(),
          llvm::join(groups, " and "),
          describeLayers(program.getLayers(), program.getModelLayers(),
                         program.getIsWhole())};
}

std::vector<std::string>
mlir::llm::describeOtherWork(const RunProgram &here,
                             const RunProgram &baseline) {
  std::vector<std::string> differences;
  for (auto [name, member] : {std::pair("model", &RunProgram::model),
                              std::pair("phase", &RunProgram::phase),
                              std::pair("sequences", &RunProgram::sequences),
                              std::pair("layers", &RunProgram::layers)})
    if (const std::string &one = here.*member, &other = baseline.*member;
        !one.empty() && !other.empty() && one != other)
      differences.push_back(std::string(name) + ": " + one + " here, " + other +
                            " in the baseline");
  return differences;
}

int64_t RunComparison::countLonger() const {
  return llvm::count_if(
      work, [](const SameWork &each) { return each.difference() > 0; });
}

int64_t RunComparison::countShorter() const {
  return llvm::count_if(
      work, [](const SameWork &each) { return each.difference() < 0; });
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

namespace {
/// Adds up the modules of both sides, as far as they have been compared.
class ModuleSums {
public:
  ModuleSums(const ComparableRun &run, const ComparableRun &baseline,
             const RunComparison &comparison);

  std::vector<ModuleTimes> measure() const;

private:
  /// Ops of this run, and those that only the baseline has.
  struct Ops {
    std::vector<unsigned> here, lost;
  };
  std::vector<Ops> opsByModule(const ModuleTree &tree) const;
  std::optional<std::vector<unsigned>> counterpartsOf(const Ops &ops) const;
  /// Says whether the baseline has no other ops in the module than these.
  bool hasAll(StringRef module, ArrayRef<unsigned> there) const;

  const ComparableRun &run, &baseline;
  const RunComparison &comparison;
  std::vector<const SameWork *> workOf;   ///< by op of this run; null for none
  llvm::StringMap<int64_t> opsInBaseline; ///< by module, with those within
};
} // namespace

ModuleSums::ModuleSums(const ComparableRun &run, const ComparableRun &baseline,
                       const RunComparison &comparison)
    : run(run), baseline(baseline), comparison(comparison),
      workOf(run.ops.size()) {
  for (const SameWork &work : comparison.work)
    for (unsigned op : work.ops.first)
      workOf[op] = &work;
  for (const NamedOp &op : baseline.ops)
    for (std::string module = moduleOf(op.name); !module.empty();
         module = moduleOf(module))
      ++opsInBaseline[module];
}

bool ModuleSums::hasAll(StringRef module, ArrayRef<unsigned> there) const {
  return opsInBaseline.lookup(module) <=
         llvm::count_if(there, [&](unsigned op) {
           std::string of = moduleOf(baseline.ops[op].name);
           StringRef rest = of;
           return rest.consume_front(module) &&
                  (rest.empty() || rest.starts_with("."));
         });
}

/// The tree is one of the ops of this run, and behind them of those that only
/// the baseline has.
std::vector<ModuleSums::Ops>
ModuleSums::opsByModule(const ModuleTree &tree) const {
  std::vector<Ops> all(tree.size());
  for (size_t module = tree.size(); module-- > 0;) {
    Ops &ops = all[module];
    for (ModuleTree::Child child : tree.module(module).children) {
      if (child.isModule) {
        llvm::append_range(ops.here, all[child.index].here);
        llvm::append_range(ops.lost, all[child.index].lost);
      } else if (child.index < run.ops.size()) {
        ops.here.push_back(child.index);
      } else {
        ops.lost.push_back(
            comparison.onlyInBaseline[child.index - run.ops.size()]);
      }
    }
  }
  return all;
}

/// Returns nothing if one of the ops is compared together with others.
std::optional<std::vector<unsigned>>
ModuleSums::counterpartsOf(const Ops &ops) const {
  std::vector<unsigned> there = ops.lost;
  llvm::DenseMap<const SameWork *, size_t> opsOf;
  for (unsigned op : ops.here)
    if (const SameWork *work = workOf[op])
      if (++opsOf[work] == 1)
        llvm::append_range(there, work->ops.second);
  for (auto [work, count] : opsOf)
    if (count != work->ops.first.size())
      return std::nullopt;
  return there;
}

std::vector<ModuleTimes> ModuleSums::measure() const {
  std::vector<StringRef> names;
  for (const NamedOp &op : run.ops)
    names.push_back(op.name);
  for (unsigned op : comparison.onlyInBaseline)
    names.push_back(baseline.ops[op].name);
  ModuleTree tree(names);
  std::vector<Ops> ops = opsByModule(tree);
  std::vector<ModuleTimes> times;
  for (unsigned index : tree.shownModules()) {
    const ModuleTree::Module &module = tree.module(index);
    if (module.path.empty() || module.children.size() < 2)
      continue; // all ops, which take the makespan; or one
    times.push_back(
        {module.path.str(), run.elapsedMicroseconds(ops[index].here), {}});
    if (auto there = counterpartsOf(ops[index]);
        there && hasAll(module.path, *there))
      times.back().baselineMicroseconds = baseline.elapsedMicroseconds(*there);
  }
  return times;
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
  comparison.modules = ModuleSums(run, baseline, comparison).measure();
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
