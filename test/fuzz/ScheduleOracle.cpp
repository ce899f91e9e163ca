//===- ScheduleOracle.cpp - Schedules in absolute time --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules S4, S5 and S6 once more, over all runs of all ops in absolute time:
// the verifier judges one iteration of each loop, and knows barriers only as
// the starts of stretches.
//
//===----------------------------------------------------------------------===//

#include "PassOracles.h"
#include "llm/Planning/Timeline.h"
#include "llm/Target/Target.h"

#include <map>

namespace mlir::llm::fuzz {

namespace {
using Run = std::pair<unsigned, std::vector<int64_t>>; ///< op, iterations
using Interval = std::pair<int64_t, int64_t>;

class AbsoluteSchedule {
public:
  AbsoluteSchedule(const Timeline &timeline, const Target &target)
      : timeline(timeline), target(target) {
    timeline.forEachStretch([&](const StretchRun &run) {
      for (unsigned op : run.stretch.ops)
        timeline.forEachTimedSlot(op, run.iterations,
                                  [&](const TimedSlot &slice) { add(slice); });
    });
  }
  void check() const;

private:
  void add(const TimedSlot &slice);
  void checkDependences() const;

  const Timeline &timeline;
  const Target &target;
  std::map<Run, Interval> runs; ///< from the first start to the last end
  std::map<std::pair<StringRef, int64_t>, std::vector<Interval>> engines;
  /// For each memory, how many lanes more are held from a cycle on.
  std::map<StringRef, std::map<int64_t, int64_t>> changes;
};
} // namespace

void AbsoluteSchedule::add(const TimedSlot &slice) {
  Interval time(slice.startCycle, slice.endCycle);
  if (slice.prefetched.empty()) {
    auto [known, isNew] = runs.try_emplace(
        {slice.op, {slice.iterations.begin(), slice.iterations.end()}}, time);
    known->second.first = std::min(known->second.first, time.first);
    known->second.second = std::max(known->second.second, time.second);
  }
  if (time.first == time.second)
    return;
  engines[{slice.engine, slice.engineIndex}].push_back(time);
  for (NamedAttribute entry : slice.lanes) {
    int64_t lanes = getAmount(slice.lanes, entry.getName());
    changes[entry.getName()][time.first] += lanes;
    changes[entry.getName()][time.second] -= lanes;
  }
}

void AbsoluteSchedule::checkDependences() const {
  for (const Dependence &dependence : timeline.dependences())
    for (const auto &[run, time] : runs) {
      if (run.first != dependence.consumer)
        continue;
      std::optional<Iterations> producer =
          timeline.producerRun(dependence, run.second);
      if (!producer)
        continue;
      auto known = runs.find(
          {dependence.producer, {producer->begin(), producer->end()}});
      require(known != runs.end(), "a run waits for one that is not there");
      require(known->second.second <= time.first,
              "S5: a run starts before the end of what it waits for");
    }
}

void AbsoluteSchedule::check() const {
  checkDependences();
  for (auto [engine, times] : engines) {
    ::llvm::sort(times);
    for (auto [before, after] : ::llvm::zip(times, ::llvm::drop_begin(times)))
      require(before.second <= after.first,
              "S4: slots overlap on " + engine.first);
  }
  for (const auto &[name, steps] : changes) {
    // Chips share links as engines share memories.
    auto shared = target.sharedResources();
    auto found = ::llvm::find_if(
        shared, [&](const Memory *each) { return each->name == name; });
    require(found != shared.end(), "lanes of no memory or link: " + name);
    int64_t held = 0;
    for (auto [cycle, change] : steps)
      require((held += change) <= (*found)->lanes,
              "S6: too many lanes of " + name + " at cycle " + Twine(cycle));
  }
}

void checkAbsoluteTime(ModuleOp module, DiagnosticJudge &judge) {
  FailureOr<Target> target = readTarget(module);
  judge.judge(target, "reading the target");
  if (failed(target))
    return;
  // What is verified has a timeline, unless its last start leaves 64 bits.
  (void)forEachProgram(module, [&](const Program &program) -> LogicalResult {
    Warnings warnings;
    FailureOr<Timeline> timeline = Timeline::create(program, warnings);
    judge.judge(timeline, "the timeline");
    if (succeeded(timeline))
      AbsoluteSchedule(*timeline, *target).check();
    return success();
  });
}

} // namespace mlir::llm::fuzz
