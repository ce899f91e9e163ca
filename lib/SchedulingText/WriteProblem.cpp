//===- WriteProblem.cpp - A scheduling problem as JSON --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/SchedulingText/SchedulingText.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;
using nlohmann::ordered_json;

using scheduling::EngineGroup;
using scheduling::LeastWork;
using scheduling::Part;
using scheduling::Problem;
using scheduling::Resource;
using scheduling::Source;
using scheduling::Task;

namespace {
/// Writes a problem. Numbers that are 0 and lists that are empty are left out,
/// because readers take what is missing for these.
class ProblemWriter {
public:
  ProblemWriter(raw_ostream &os, const Problem &problem)
      : os(os), problem(problem) {}
  void write();

private:
  static void put(ordered_json &json, StringRef key, int64_t number,
                  int64_t unless = 0) {
    if (number != unless)
      json[key.str()] = number;
  }
  static void putChains(ordered_json &json, const scheduling::Chains &chains);
  static ordered_json toJson(EngineKindSet kinds);
  /// Writes the number of each resource that is not 0.
  ordered_json perResource(const std::vector<int64_t> &numbers) const;
  void putBytes(ordered_json &json, StringRef key,
                const std::vector<int64_t> &bytes) const;
  void putSources(ordered_json &json, const std::vector<Source> &sources) const;
  ordered_json toJson(const std::vector<unsigned> &tasks) const;
  ordered_json toJson(const std::vector<Part> &parts) const;
  ordered_json toJson(const LeastWork &least) const;
  ordered_json toJson(const EngineGroup &group) const;
  ordered_json toJson(const Task &task) const;
  /// Writes each element of a map on a line of its own.
  template <typename Element, typename ToJson>
  void writeMap(StringRef key, const std::vector<Element> &elements,
                ToJson toJson);

  raw_ostream &os;
  const Problem &problem;
};
} // namespace

ordered_json ProblemWriter::toJson(EngineKindSet kinds) {
  ordered_json json = ordered_json::array();
  for (EngineKind kind : allEngineKinds)
    if (kinds.contains(kind))
      json.push_back(std::string(stringify(kind)));
  return json;
}

ordered_json
ProblemWriter::perResource(const std::vector<int64_t> &numbers) const {
  ordered_json json = ordered_json::object();
  for (size_t at = 0; at < numbers.size(); ++at)
    put(json, problem.resources[at].name, numbers[at]);
  return json;
}

void ProblemWriter::putBytes(ordered_json &json, StringRef key,
                             const std::vector<int64_t> &bytes) const {
  ordered_json named = perResource(bytes);
  if (!named.empty())
    json[key.str()] = std::move(named);
}

ordered_json ProblemWriter::toJson(const std::vector<unsigned> &tasks) const {
  ordered_json json = ordered_json::array();
  for (unsigned task : tasks)
    json.push_back(problem.tasks[task].name);
  return json;
}

void ProblemWriter::putSources(ordered_json &json,
                               const std::vector<Source> &sources) const {
  for (const Source &source : sources) {
    ordered_json own = ordered_json::object();
    putBytes(own, "bytes", source.bytes);
    put(own, "slice_bytes", source.sliceBytes);
    put(own, "staging_bytes", source.stagingBytes);
    if (!source.predecessors.empty())
      own["after"] = toJson(source.predecessors);
    json["sources"][source.name] = std::move(own);
  }
}

ordered_json ProblemWriter::toJson(const std::vector<Part> &parts) const {
  ordered_json json = ordered_json::array();
  for (const Part &part : parts) {
    ordered_json own = ordered_json::object();
    put(own, "count", part.count, /*unless=*/1);
    put(own, "overhead_cycles", part.overheadCycles);
    put(own, "serial_cycles", part.serialCycles);
    put(own, "compute_cycles", part.computeCycles);
    putBytes(own, "bytes", part.bytes);
    put(own, "working_set_bytes", part.workingSetBytes);
    putSources(own, part.sources);
    json.push_back(std::move(own));
  }
  return json;
}

ordered_json ProblemWriter::toJson(const LeastWork &least) const {
  ordered_json json = ordered_json::object();
  put(json, "overhead_cycles", least.overheadCycles);
  put(json, "compute_cycles", least.computeCycles);
  putBytes(json, "bytes", least.bytes);
  putSources(json, least.sources);
  putBytes(json, "again_bytes", least.againBytes);
  put(json, "most_parts", least.mostParts, /*unless=*/1);
  put(json, "even_cycles", least.evenCycles);
  for (const LeastWork::EvenShare &share : least.evenShares)
    json["even_shares"].push_back(
        {{"work", share.work}, {"sources", share.sources}});
  return json;
}

ordered_json ProblemWriter::toJson(const EngineGroup &group) const {
  ordered_json json = {{"kinds", toJson(group.kinds)}};
  put(json, "count", group.count, /*unless=*/1);
  if (!group.portBytesPerSecond.empty())
    json["port_bytes_per_second"] = perResource(group.portBytesPerSecond);
  json["port_lanes"] = perResource(group.portLanes);
  put(json, "private_bytes", group.privateBytes);
  return json;
}

void ProblemWriter::putChains(ordered_json &json,
                              const scheduling::Chains &chains) {
  put(json, "chain_length", chains.length, /*unless=*/1);
  put(json, "chain_stride", chains.stride, /*unless=*/1);
}

ordered_json ProblemWriter::toJson(const Task &task) const {
  ordered_json json = {{"kinds", toJson(task.kinds)}};
  if (task.group)
    json["group"] = problem.engines[*task.group].name;
  for (unsigned group : task.with)
    json["with"].push_back(problem.engines[group].name);
  if (!task.predecessors.empty())
    json["after"] = toJson(task.predecessors);
  json["parts"] = toJson(task.parts);
  if (task.lastCombines)
    json["last_combines"] = true;
  putChains(json, task.chains);
  for (const scheduling::Split &split : task.alternatives) {
    ordered_json own = {{"parts", toJson(split.parts)}};
    if (split.lastCombines)
      own["last_combines"] = true;
    putChains(own, split.chains);
    json["alternatives"].push_back(std::move(own));
  }
  for (const LeastWork &least : task.least)
    json["least"].push_back(toJson(least));
  return json;
}

template <typename Element, typename ToJson>
void ProblemWriter::writeMap(StringRef key,
                             const std::vector<Element> &elements,
                             ToJson toJson) {
  os << ",\n " << ordered_json(key.str()).dump() << ": {";
  StringRef separator = "\n  ";
  for (const Element &element : elements) {
    os << separator << ordered_json(element.name).dump() << ": "
       << toJson(element).dump();
    separator = ",\n  ";
  }
  os << "}";
}

void ProblemWriter::write() {
  os << "{\"clock_hz\": " << problem.clockHz;
  writeMap("resources", problem.resources, [](const Resource &resource) {
    return ordered_json{{"bytes_per_second", resource.bytesPerSecond},
                        {"lanes", resource.lanes}};
  });
  writeMap("engines", problem.engines,
           [&](const EngineGroup &group) { return toJson(group); });
  writeMap("tasks", problem.tasks,
           [&](const Task &task) { return toJson(task); });
  os << "}\n";
}

void mlir::llm::writeProblem(raw_ostream &os, const Problem &problem) {
  ProblemWriter(os, problem).write();
}
