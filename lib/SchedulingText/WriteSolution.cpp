//===- WriteSolution.cpp - A schedule as JSON -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourcesOf.h"
#include "llm/SchedulingText/SchedulingText.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;
using nlohmann::ordered_json;

using scheduling::Bound;
using scheduling::PrefetchSlot;
using scheduling::Problem;
using scheduling::Slot;
using scheduling::Solution;

template <typename SlotLike>
static void writePlace(const Problem &problem, const SlotLike &slot,
                       ordered_json &json) {
  json["group"] = problem.engines[slot.engine.group].name;
  json["engine"] = slot.engine.index;
  json["start_cycle"] = slot.start;
  json["end_cycle"] = slot.end;
  ordered_json lanes = ordered_json::object();
  for (size_t resource = 0; resource < slot.lanes.size(); ++resource)
    if (slot.lanes[resource] > 0)
      lanes[problem.resources[resource].name] = slot.lanes[resource];
  if (!lanes.empty())
    json["lanes"] = std::move(lanes);
}

static ordered_json toJson(const Problem &problem, const Solution &solution,
                           const Slot &slot) {
  const scheduling::Task &task = problem.tasks[slot.task];
  ordered_json json = {{"task", task.name}, {"part", slot.part}};
  writePlace(problem, slot, json);
  for (scheduling::EngineId other : slot.with)
    json["with"][problem.engines[other.group].name] = other.index;
  const std::vector<scheduling::Source> *sources =
      sourcesOf(task.partsOf(solution.choiceOf(slot.task)), slot.part);
  for (const PrefetchSlot &fetch : slot.prefetches) {
    ordered_json own = {{"source", (*sources)[fetch.source].name}};
    writePlace(problem, fetch, own);
    json["prefetches"].push_back(std::move(own));
  }
  return json;
}

void mlir::llm::writeSolution(raw_ostream &os, const Problem &problem,
                              const Solution &solution,
                              const std::vector<Bound> &bounds) {
  ordered_json named = ordered_json::object();
  for (const Bound &bound : bounds)
    named[bound.name] = bound.cycles;
  ordered_json choices = ordered_json::object();
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    if (unsigned choice = solution.choiceOf(task))
      choices[problem.tasks[task].name] = choice;
  os << "{\n  \"makespan_cycles\": " << solution.makespan
     << ",\n  \"lower_bound_cycles\": " << largestBound(bounds)
     << ",\n  \"bounds\": " << named.dump()
     << ",\n  \"choices\": " << choices.dump() << ",\n  \"slots\": [";
  StringRef separator = "\n    ";
  for (const Slot &slot : solution.slots) {
    os << separator << toJson(problem, solution, slot).dump();
    separator = ",\n    ";
  }
  os << "\n  ]\n}\n";
}
