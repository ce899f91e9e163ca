//===- ScheduleSlots.cpp - From slots to attributes and back --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/ScheduleProblem.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::llm;

using scheduling::EngineId;
using scheduling::Problem;
using scheduling::Slot;
using scheduling::Source;
using scheduling::Task;

//===----------------------------------------------------------------------===//
// Slots to attributes
//===----------------------------------------------------------------------===//

static DictionaryAttr makeLanes(MLIRContext *context, const Problem &problem,
                                const std::vector<int64_t> &lanes) {
  SmallVector<std::pair<StringRef, int64_t>> amounts;
  for (auto [resource, held] : llvm::zip(problem.resources, lanes))
    if (held > 0)
      amounts.push_back({resource.name, held});
  return getAmounts(context, amounts);
}

namespace {
/// `count` slots of parts that are `partStride` apart.
struct SlotRun {
  const Slot *first;
  int64_t count = 1, partStride = 1, indexStride = 0, startStride = 0;
};
} // namespace

/// Returns what the part reads. All parts read the same buffers, except the one
/// that joins the others.
static ArrayRef<Source> sourcesOf(const Task &task, int64_t part,
                                  int64_t parts) {
  bool combines = task.lastCombines && part + 1 == parts;
  return (combines ? task.parts.back() : task.parts.front()).sources;
}

static SlotRunAttr makeRun(MLIRContext *context, const Problem &problem,
                           const SlotRun &run, ArrayRef<Source> sources,
                           int64_t offset) {
  auto engineName = [&](const EngineId &engine) {
    return StringAttr::get(context, problem.engines[engine.group].name);
  };
  const Slot &slot = *run.first;
  SmallVector<PrefetchAttr> prefetches;
  for (const scheduling::PrefetchSlot &fetch : slot.prefetches)
    prefetches.push_back(PrefetchAttr::get(
        context, StringAttr::get(context, sources[fetch.source].name),
        engineName(fetch.engine), fetch.engine.index, fetch.start + offset,
        fetch.end + offset, makeLanes(context, problem, fetch.lanes)));
  SmallVector<std::pair<StringRef, int64_t>> with;
  for (const EngineId &other : slot.with)
    with.push_back({problem.engines[other.group].name, other.index});
  return SlotRunAttr::get(
      context, slot.part, engineName(slot.engine), slot.engine.index,
      slot.start + offset, slot.end + offset,
      makeLanes(context, problem, slot.lanes), run.count, run.partStride,
      run.indexStride, run.startStride, prefetches,
      with.empty() ? DictionaryAttr() : getAmounts(context, with));
}

/// Whether `next` is `slot` at a later time, on an engine that is not before.
static bool repeats(const Slot &slot, const Slot &next) {
  int64_t later = next.start - slot.start;
  int64_t farther = next.engine.index - slot.engine.index;
  auto isAsFar = [&](const EngineId &other, const EngineId &nextOther) {
    return other.group == nextOther.group &&
           other.index + farther == nextOther.index;
  };
  auto isLater = [&](const scheduling::PrefetchSlot &fetch,
                     const scheduling::PrefetchSlot &nextFetch) {
    return fetch.source == nextFetch.source &&
           fetch.engine == nextFetch.engine &&
           fetch.start + later == nextFetch.start &&
           fetch.end + later == nextFetch.end && fetch.lanes == nextFetch.lanes;
  };
  return later >= 0 && next.end - slot.end == later &&
         next.engine.group == slot.engine.group &&
         next.engine.index >= slot.engine.index && next.lanes == slot.lanes &&
         llvm::equal(slot.with, next.with, isAsFar) &&
         llvm::equal(slot.prefetches, next.prefetches, isLater);
}

/// Finds the longest run from `first` on of slots that are `stride` parts apart
/// and in no run yet.
static SlotRun findRun(ArrayRef<const Slot *> byPart, size_t first,
                       size_t stride, const BitVector &taken) {
  SlotRun run{byPart[first], 1, int64_t(stride)};
  const Slot *last = run.first;
  for (size_t at = first + stride; at < byPart.size() && !taken.test(at);
       at += stride) {
    const Slot *next = byPart[at];
    if (next->part - last->part != stride || !repeats(*last, *next))
      break;
    int64_t indexStep = next->engine.index - last->engine.index;
    int64_t startStep = next->start - last->start;
    if (run.count == 1)
      std::tie(run.indexStride, run.startStride) = {indexStep, startStep};
    else if (indexStep != run.indexStride || startStep != run.startStride)
      break;
    last = next;
    ++run.count;
  }
  return run;
}

/// Looks for runs with several strides: engines that run parts in turns, some
/// fetched and some not, come back to the same order after a few of them.
SlotsAttr mlir::llm::makeSlots(MLIRContext *context, const Problem &problem,
                               ArrayRef<const Slot *> slots, int64_t offset) {
  constexpr size_t longestStride = 32;
  SmallVector<const Slot *> byPart(slots);
  llvm::sort(byPart,
             [](const Slot *a, const Slot *b) { return a->part < b->part; });
  const Task &task = problem.tasks[byPart.front()->task];
  int64_t parts = scheduling::countParts(task.parts);
  SmallVector<SlotRunAttr> runs;
  BitVector taken(byPart.size());
  for (size_t first = 0; first < byPart.size(); ++first) {
    if (taken.test(first))
      continue;
    SlotRun longest{byPart[first]};
    for (size_t stride = 1; stride <= longestStride; ++stride) {
      SlotRun run = findRun(byPart, first, stride, taken);
      if (run.count > longest.count)
        longest = run;
    }
    for (int64_t i = 0; i < longest.count; ++i)
      taken.set(first + i * longest.partStride);
    runs.push_back(makeRun(context, problem, longest,
                           sourcesOf(task, longest.first->part, parts),
                           offset));
  }
  return SlotsAttr::get(context, runs);
}

//===----------------------------------------------------------------------===//
// Attributes to slots
//===----------------------------------------------------------------------===//

static FailureOr<EngineId> readEngine(Operation *op, const Problem &problem,
                                      StringAttr name, int64_t index,
                                      Reasons reasons) {
  std::optional<unsigned> group = findGroup(problem, name);
  if (!group)
    return reasons.refuse(op) << "has a slot on engine '" << name.getValue()
                              << "', which the target does not have; run "
                                 "--llm-schedule again";
  int64_t count = problem.engines[*group].count;
  if (index >= count)
    return reasons.refuse(op) << "has a slot on engine '" << name.getValue()
                              << "[" << index << "]', but the target has "
                              << count << " of them; run --llm-schedule again";
  return EngineId{*group, index};
}

static FailureOr<std::vector<int64_t>> readLanes(Operation *op,
                                                 const Problem &problem,
                                                 DictionaryAttr lanes,
                                                 Reasons reasons) {
  std::vector<int64_t> result;
  size_t known = 0;
  for (const scheduling::Resource &resource : problem.resources) {
    known += lanes.contains(resource.name);
    result.push_back(getAmount(lanes, resource.name));
  }
  if (known != lanes.size())
    return reasons.refuse(op) << "has a slot that holds lanes of a memory that "
                                 "the target does not "
                                 "share: "
                              << lanes;
  return result;
}

static LogicalResult readPrefetches(Operation *op, const Problem &problem,
                                    ArrayRef<Source> sources, SlotRunAttr run,
                                    int64_t shift, Slot &slot,
                                    Reasons reasons) {
  for (PrefetchAttr fetch : run.getPrefetches()) {
    scheduling::PrefetchSlot prefetch;
    auto source = llvm::find_if(sources, [&](const Source &candidate) {
      return candidate.name == fetch.getBuffer().getValue();
    });
    if (source == sources.end())
      return reasons.refuse(op)
             << "has a slot that prefetches '" << fetch.getBuffer().getValue()
             << "', which is neither a weight nor rows of a cache, or which "
                "the op itself selects";
    FailureOr<EngineId> engine =
        readEngine(op, problem, fetch.getEngine(), fetch.getIndex(), reasons);
    FailureOr<std::vector<int64_t>> lanes =
        readLanes(op, problem, fetch.getLanes(), reasons);
    if (failed(engine) || failed(lanes))
      return failure();
    prefetch.source = source - sources.begin();
    prefetch.engine = *engine;
    prefetch.start = fetch.getStartCycle() + shift;
    prefetch.end = fetch.getEndCycle() + shift;
    prefetch.lanes = *lanes;
    slot.prefetches.push_back(std::move(prefetch));
  }
  return success();
}

/// Makes slot `i` of the run, with the engines in the order of `Task::with`.
static LogicalResult readWith(Operation *op, const Problem &problem,
                              const Task &task, SlotRunAttr run, int64_t i,
                              Slot &slot, Reasons reasons) {
  DictionaryAttr with = run.getWith();
  SmallVector<StringAttr, 1> names;
  for (unsigned group : task.with)
    names.push_back(
        StringAttr::get(op->getContext(), problem.engines[group].name));
  for (StringAttr name : names)
    if (!with || !with.contains(name))
      return reasons.refuse(op)
             << "S4: its slots hold no engine of '" << name.getValue()
             << "', which its cost names (`with`); run --llm-schedule again";
  if (with && with.size() > names.size())
    return reasons.refuse(op)
           << "S4: its slots hold engines of " << with.size()
           << " groups beside '" << run.getEngine().getValue()
           << "', but its cost names " << names.size()
           << " (`with`); run --llm-schedule again";
  for (StringAttr name : names) {
    FailureOr<EngineId> other =
        readEngine(op, problem, name,
                   getAmount(with, name) + i * run.getIndexStride(), reasons);
    if (failed(other))
      return failure();
    slot.with.push_back(*other);
  }
  return success();
}

static LogicalResult readSlots(WorkloadOpInterface op, const Problem &problem,
                               unsigned task, int64_t offset,
                               std::vector<Slot> &slots, Reasons reasons) {
  auto attr = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
  if (!attr)
    return reasons.refuse(op)
           << "has no slot; run --llm-schedule after the pass that added it";
  const Task &whole = problem.tasks[task];
  int64_t parts = scheduling::countParts(whole.parts);
  for (SlotRunAttr run : attr.getRuns()) {
    FailureOr<std::vector<int64_t>> lanes =
        readLanes(op, problem, run.getLanes(), reasons);
    if (failed(lanes))
      return failure();
    int64_t lastPart =
        run.getPart() + (run.getCount() - 1) * run.getPartStride();
    if (lastPart >= parts)
      return reasons.refuse(op)
             << "S1: its slots are for parts " << run.getPart() << " to "
             << lastPart << ", but its cost has " << parts;
    for (int64_t i = 0; i < run.getCount(); ++i) {
      FailureOr<EngineId> engine =
          readEngine(op, problem, run.getEngine(),
                     run.getIndex() + i * run.getIndexStride(), reasons);
      if (failed(engine))
        return failure();
      int64_t shift = i * run.getStartStride() - offset;
      Slot slot;
      slot.task = task;
      slot.part = run.getPart() + i * run.getPartStride();
      slot.engine = *engine;
      slot.start = run.getStartCycle() + shift;
      slot.end = run.getEndCycle() + shift;
      slot.lanes = *lanes;
      if (failed(readWith(op, problem, whole, run, i, slot, reasons)))
        return failure();
      if (failed(readPrefetches(op, problem, sourcesOf(whole, slot.part, parts),
                                run, shift, slot, reasons)))
        return failure();
      slots.push_back(std::move(slot));
    }
  }
  return success();
}

FailureOr<scheduling::Solution>
mlir::llm::readSolution(const Program &program, ArrayRef<unsigned> stretch,
                        const Problem &problem, int64_t startCycle,
                        Reasons reasons) {
  scheduling::Solution solution;
  for (auto [task, index] : llvm::enumerate(stretch))
    if (failed(readSlots(program.ops()[index].op, problem, task, startCycle,
                         solution.slots, reasons)))
      return failure();
  for (const Slot &slot : solution.slots)
    solution.makespan = std::max(solution.makespan, slot.end);
  return solution;
}
