//===- ReadProblem.cpp - A scheduling problem from JSON -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Members.h"
#include "llm/SchedulingText/SchedulingText.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

using scheduling::EngineGroup;
using scheduling::LeastWork;
using scheduling::Part;
using scheduling::Problem;
using scheduling::Resource;
using scheduling::Source;
using scheduling::Split;
using scheduling::Task;

namespace {
class ProblemReader {
public:
  FailureOr<Problem> read(const LocatedJson &json);

private:
  LogicalResult readResource(StringRef name, const LocatedJson &json);
  LogicalResult readEngines(StringRef name, const LocatedJson &json);
  /// Reads what passes the port of each resource. Lanes that are not given
  /// follow from it.
  void readPortRates(Members &members, EngineGroup &group);
  LogicalResult readTask(const LocatedJson &json, Task &task);
  LogicalResult readPart(const LocatedJson &json, Part &part);
  LogicalResult readSource(StringRef name, const LocatedJson &json,
                           std::vector<Source> &sources);
  LogicalResult readSplit(const LocatedJson &json, Split &split);
  LogicalResult readLeast(const LocatedJson &json, LeastWork &least);
  /// Reads bytes of all resources. They are 0 if they are not given.
  void readBytes(Members &members, StringRef key, std::vector<int64_t> &bytes) {
    bytes.assign(resources.size(), 0);
    members.perName(key, resources, bytes);
  }

  Problem problem;
  Names resources;
  IndexByName groupOf, taskOf;
};
} // namespace

LogicalResult ProblemReader::readResource(StringRef name,
                                          const LocatedJson &json) {
  Resource resource;
  resource.name = name.str();
  Members members(json);
  members.count("bytes_per_second", resource.bytesPerSecond);
  members.count("lanes", resource.lanes);
  resources.push_back(resource.name);
  problem.resources.push_back(std::move(resource));
  return members.finish();
}

void ProblemReader::readPortRates(Members &members, EngineGroup &group) {
  std::vector<int64_t> &rates = group.portBytesPerSecond;
  if (members.has("port_bytes_per_second"))
    for (const Resource &resource : problem.resources)
      rates.push_back(resource.bytesPerSecond);
  members.perName("port_bytes_per_second", resources, rates);
  if (members.has("port_lanes"))
    return;
  for (size_t at = 0; at < rates.size(); ++at) {
    const Resource &resource = problem.resources[at];
    if (rates[at] < resource.bytesPerSecond)
      group.portLanes[at] =
          ceilMulDiv(rates[at], resource.lanes, 1, resource.bytesPerSecond)
              .value_or(resource.lanes);
  }
}

LogicalResult ProblemReader::readEngines(StringRef name,
                                         const LocatedJson &json) {
  EngineGroup group;
  group.name = name.str();
  for (const Resource &resource : problem.resources)
    group.portLanes.push_back(resource.lanes);
  Members members(json);
  members.kinds("kinds", group.kinds);
  members.count("count", group.count);
  members.perName("port_lanes", resources, group.portLanes);
  readPortRates(members, group);
  members.count("private_bytes", group.privateBytes);
  groupOf.insert({group.name, unsigned(problem.engines.size())});
  problem.engines.push_back(std::move(group));
  return members.finish();
}

LogicalResult ProblemReader::readSource(StringRef name, const LocatedJson &json,
                                        std::vector<Source> &sources) {
  Source source;
  source.name = name.str();
  Members members(json);
  readBytes(members, "bytes", source.bytes);
  members.count("slice_bytes", source.sliceBytes);
  members.count("staging_bytes", source.stagingBytes);
  members.indices("after", "a task", taskOf, source.predecessors);
  sources.push_back(std::move(source));
  return members.finish();
}

LogicalResult ProblemReader::readPart(const LocatedJson &json, Part &part) {
  Members members(json);
  members.count("count", part.count);
  members.count("overhead_cycles", part.overheadCycles);
  members.count("serial_cycles", part.serialCycles);
  members.count("compute_cycles", part.computeCycles);
  readBytes(members, "bytes", part.bytes);
  members.count("working_set_bytes", part.workingSetBytes);
  members.eachNamed("sources", [&](StringRef name, const LocatedJson &source) {
    return readSource(name, source, part.sources);
  });
  return members.finish();
}

static void readChains(Members &members, scheduling::Chains &chains) {
  members.count("chain_length", chains.length);
  members.count("chain_stride", chains.stride);
}

LogicalResult ProblemReader::readSplit(const LocatedJson &json, Split &split) {
  Members members(json);
  members.each("parts", [&](const LocatedJson &part) {
    return readPart(part, split.parts.emplace_back());
  });
  members.flag("last_combines", split.lastCombines);
  readChains(members, split.chains);
  return members.finish();
}

LogicalResult ProblemReader::readLeast(const LocatedJson &json,
                                       LeastWork &least) {
  Members members(json);
  members.count("overhead_cycles", least.overheadCycles);
  members.count("compute_cycles", least.computeCycles);
  readBytes(members, "bytes", least.bytes);
  members.eachNamed("sources", [&](StringRef name, const LocatedJson &source) {
    return readSource(name, source, least.sources);
  });
  readBytes(members, "again_bytes", least.againBytes);
  members.count("most_parts", least.mostParts);
  members.count("even_cycles", least.evenCycles);
  members.each("even_shares", [&](const LocatedJson &json) {
    LeastWork::EvenShare &share = least.evenShares.emplace_back();
    share = {0, 0};
    Members shares(json);
    shares.share("work", share.work);
    shares.share("sources", share.sources);
    return shares.finish();
  });
  return members.finish();
}

LogicalResult ProblemReader::readTask(const LocatedJson &json, Task &task) {
  Members members(json);
  members.kinds("kinds", task.kinds);
  if (members.has("group"))
    members.index("group", "a group of engines", groupOf, task.group.emplace());
  members.indices("with", "a group of engines", groupOf, task.with);
  members.indices("after", "a task", taskOf, task.predecessors);
  members.each("parts", [&](const LocatedJson &part) {
    return readPart(part, task.parts.emplace_back());
  });
  members.flag("last_combines", task.lastCombines);
  readChains(members, task.chains);
  members.each("alternatives", [&](const LocatedJson &split) {
    return readSplit(split, task.alternatives.emplace_back());
  });
  members.each("least", [&](const LocatedJson &least) {
    return readLeast(least, task.least.emplace_back());
  });
  return members.finish();
}

FailureOr<Problem> ProblemReader::read(const LocatedJson &json) {
  Members members(json);
  members.count("clock_hz", problem.clockHz);
  members.eachNamed("resources",
                    [&](StringRef name, const LocatedJson &resource) {
                      return readResource(name, resource);
                    });
  members.eachNamed("engines", [&](StringRef name, const LocatedJson &group) {
    return readEngines(name, group);
  });
  // A task may come after one that stands behind it in the text, so names are
  // read first.
  std::vector<const LocatedJson *> bodies;
  members.eachNamed("tasks", [&](StringRef name, const LocatedJson &task) {
    taskOf.insert({name.str(), unsigned(problem.tasks.size())});
    problem.tasks.emplace_back().name = name.str();
    bodies.push_back(&task);
    return success();
  });
  if (failed(members.finish()))
    return failure();
  for (size_t task = 0; task < bodies.size(); ++task)
    if (failed(readTask(*bodies[task], problem.tasks[task])))
      return failure();
  std::vector<std::string> unsound = problem.check();
  for (const std::string &reason : unsound)
    json.emitError() << reason;
  if (!unsound.empty())
    return failure();
  return std::move(problem);
}

FailureOr<Problem> mlir::llm::readProblem(const LocatedJson &json) {
  return ProblemReader().read(json);
}
