//===- ReadSolution.cpp - A schedule from JSON ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Members.h"
#include "SourcesOf.h"
#include "llm/SchedulingText/SchedulingText.h"

using namespace mlir;
using namespace mlir::llm;

using scheduling::Part;
using scheduling::PrefetchSlot;
using scheduling::Problem;
using scheduling::Slot;
using scheduling::Solution;

namespace {
class SolutionReader {
public:
  explicit SolutionReader(const Problem &problem);

  FailureOr<Solution> read(const LocatedJson &json);

private:
  LogicalResult readSlot(const LocatedJson &json, Slot &slot);
  LogicalResult readOther(StringRef name, const LocatedJson &json, Slot &slot);
  LogicalResult readFetch(const LocatedJson &json, const Slot &slot,
                          PrefetchSlot &fetch);
  /// Reads when and where the slot runs, and with which lanes.
  template <typename SlotLike>
  void readPlace(Members &members, SlotLike &slot);
  IndexByName nameSources(const Slot &slot) const;

  const Problem &problem;
  Solution solution;
  Names resources;
  IndexByName groupOf, taskOf;
};
} // namespace

SolutionReader::SolutionReader(const Problem &problem) : problem(problem) {
  for (const scheduling::Resource &resource : problem.resources)
    resources.push_back(resource.name);
  for (const scheduling::EngineGroup &group : problem.engines)
    groupOf.insert({group.name, unsigned(groupOf.size())});
  for (const scheduling::Task &task : problem.tasks)
    taskOf.insert({task.name, unsigned(taskOf.size())});
  solution.choices.resize(problem.tasks.size(), 0);
}

template <typename SlotLike>
void SolutionReader::readPlace(Members &members, SlotLike &slot) {
  members.require({"group", "engine", "start_cycle", "end_cycle"});
  members.index("group", "a group of engines", groupOf, slot.engine.group);
  members.count("engine", slot.engine.index);
  members.count("start_cycle", slot.start);
  members.count("end_cycle", slot.end);
  slot.lanes.assign(resources.size(), 0);
  members.perName("lanes", resources, slot.lanes);
}

IndexByName SolutionReader::nameSources(const Slot &slot) const {
  IndexByName found;
  const std::vector<Part> &parts =
      problem.tasks[slot.task].partsOf(solution.choiceOf(slot.task));
  if (const auto *sources = sourcesOf(parts, slot.part))
    for (const scheduling::Source &source : *sources)
      found.insert({source.name, unsigned(found.size())});
  return found;
}

LogicalResult SolutionReader::readFetch(const LocatedJson &json,
                                        const Slot &slot, PrefetchSlot &fetch) {
  Members members(json);
  members.require({"source"});
  members.index("source", "a source of the part", nameSources(slot),
                fetch.source);
  readPlace(members, fetch);
  return members.finish();
}

/// Reads an engine beside the part's own, in the order of `Task::with`.
LogicalResult SolutionReader::readOther(StringRef name, const LocatedJson &json,
                                        Slot &slot) {
  auto group = groupOf.find(name.str());
  if (group == groupOf.end())
    return json.emitError() << "'" << json.path() << "' names no group of "
                            << "engines";
  FailureOr<int64_t> index = json.asNonNegative();
  if (failed(index))
    return failure();
  const std::vector<unsigned> &order = problem.tasks[slot.task].with;
  auto placeOf = [&](unsigned group) {
    return llvm::find(order, group) - order.begin();
  };
  auto behind = llvm::find_if(slot.with, [&](scheduling::EngineId other) {
    return placeOf(other.group) > placeOf(group->second);
  });
  slot.with.insert(behind, {group->second, *index});
  return success();
}

LogicalResult SolutionReader::readSlot(const LocatedJson &json, Slot &slot) {
  Members members(json);
  members.require({"task"});
  members.index("task", "a task", taskOf, slot.task);
  int64_t part = 0;
  members.count("part", part);
  slot.part = unsigned(std::min<int64_t>(part, UINT32_MAX));
  readPlace(members, slot);
  members.eachNamed("with", [&](StringRef group, const LocatedJson &engine) {
    return readOther(group, engine, slot);
  });
  // After an error this reads nothing, so the task exists here.
  members.each("prefetches", [&](const LocatedJson &fetch) {
    return readFetch(fetch, slot, slot.prefetches.emplace_back());
  });
  return members.finish();
}

FailureOr<Solution> SolutionReader::read(const LocatedJson &json) {
  Members members(json);
  members.require({"makespan_cycles", "slots"});
  members.count("makespan_cycles", solution.makespan);
  // Bounds in the text are only for people.
  int64_t lowerBoundCycles = 0;
  members.count("lower_bound_cycles", lowerBoundCycles);
  members.eachNamed("bounds", [](StringRef, const LocatedJson &cycles) {
    return LogicalResult(cycles.asNonNegative());
  });
  members.eachNamed(
      "choices", [&](StringRef name, const LocatedJson &json) -> LogicalResult {
        auto task = taskOf.find(name.str());
        if (task == taskOf.end())
          return json.emitError() << "'" << json.path() << "' names no task";
        FailureOr<int64_t> choice = json.asNonNegative();
        if (failed(choice))
          return failure();
        size_t most = problem.tasks[task->second].alternatives.size();
        if (size_t(*choice) > most)
          return json.emitError()
                 << "'" << json.path() << "' must be 0, the task as it is, or "
                 << "an alternative up to " << most << ", got " << *choice;
        solution.choices[task->second] = *choice;
        return success();
      });
  members.each("slots", [&](const LocatedJson &slot) {
    return readSlot(slot, solution.slots.emplace_back());
  });
  if (failed(members.finish()))
    return failure();
  return std::move(solution);
}

FailureOr<Solution> mlir::llm::readSolution(const LocatedJson &json,
                                            const Problem &problem) {
  return SolutionReader(problem).read(json);
}
