//===- Problem.cpp - What makes a scheduling problem sound ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Problem.h"
#include "Graph.h"
#include "Lanes.h"
#include "Names.h"
#include "Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <numeric>

namespace mlir::llm::scheduling {

namespace {

class Checker {
public:
  /// Looks at each task as it is cut by this choice. Raises `longestOf` to its
  /// cycles at full speed, its parts one after the other.
  Checker(const Problem &problem, std::vector<int64_t> &longestOf,
          unsigned choice = 0)
      : problem(problem), longestOf(longestOf), choice(choice),
        lanes(allLanes(problem)) {}
  std::vector<std::string> run();
  /// Looks only at the tasks that have this choice. All else is known to be
  /// sound.
  std::vector<std::string> runOnParts();

private:
  void checkTasks(const std::vector<unsigned> &tasks);
  void checkLengths(const std::vector<unsigned> &tasks);
  void checkMachine();
  void checkEngine(const EngineGroup &engine);
  void checkPorts(const EngineGroup &engine);
  void checkTask(unsigned task);
  void checkWith(unsigned task);
  void checkChains(unsigned task, int64_t parts);
  void checkPart(unsigned task, unsigned part);
  void checkSource(unsigned task, unsigned part, unsigned source);
  void checkLeast(unsigned task, const LeastWork &least);
  void checkCycles();
  void checkEnginesFor(unsigned task);
  /// The longest that the part and its fetches can take at full speed, in
  /// cycles.
  std::optional<int64_t> longest(const Task &task, const Part &part) const;

  void report(std::string message) { messages.push_back(std::move(message)); }

  /// Checks that `low` <= value <= `high`. Calls `subject()` only if it is not.
  template <typename Subject>
  void within(int64_t value, int64_t low, int64_t high, const char *what,
              Subject subject) {
    if (value >= low && value <= high)
      return;
    report(std::string(what) + " of " + subject() + ": expected " +
           std::to_string(low) + " to " + std::to_string(high) + ", found " +
           std::to_string(value));
  }

  /// Checks that there is one number for each resource, and reports it
  /// otherwise.
  template <typename Subject>
  bool perResource(size_t size, const char *what, Subject subject) {
    if (size == problem.resources.size())
      return true;
    report(std::string(what) + " of " + subject() + ": expected " +
           std::to_string(problem.resources.size()) +
           ", one for each resource, found " + std::to_string(size));
    return false;
  }

  /// The parts of the task as it is cut here.
  const std::vector<Part> &partsOf(unsigned task) const {
    return problem.tasks[task].partsOf(choice);
  }
  std::string nameOfPart(unsigned task, unsigned part) const {
    return scheduling::nameOfPart(problem, task, part, choice);
  }

  const Problem &problem;
  std::vector<int64_t> &longestOf;
  unsigned choice;
  std::vector<int64_t> lanes;
  std::vector<std::string> messages;
};

} // namespace

/// Slots number parts in 32 bits.
static constexpr int64_t maxPartsOfTask = (int64_t(1) << 31) - 1;

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

std::vector<std::string> Checker::run() {
  std::vector<unsigned> tasks(problem.tasks.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  checkMachine();
  checkTasks(tasks);
  checkCycles();
  checkLengths(tasks);
  return std::move(messages);
}

std::vector<std::string> Checker::runOnParts() {
  std::vector<unsigned> tasks;
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    if (choice <= problem.tasks[task].alternatives.size())
      tasks.push_back(task);
  checkTasks(tasks);
  checkLengths(tasks);
  return std::move(messages);
}

void Checker::checkTasks(const std::vector<unsigned> &tasks) {
  for (unsigned task : tasks)
    checkTask(task);
}

void Checker::checkLengths(const std::vector<unsigned> &tasks) {
  // Lengths have a meaning only if the numbers are valid.
  if (messages.empty())
    for (unsigned task : tasks)
      checkEnginesFor(task);
}

void Checker::checkMachine() {
  within(problem.clockHz, 1, maxCount, "hertz",
         [] { return std::string("the clock"); });
  for (const Resource &resource : problem.resources) {
    auto name = [&] { return quoted(resource.name); };
    within(resource.bytesPerSecond, 1, maxCount, "bytes per second", name);
    within(resource.lanes, 1, maxCount, "lanes", name);
  }
  int64_t engines = 0;
  for (const EngineGroup &engine : problem.engines) {
    checkEngine(engine);
    engines = checkedAdd(engines, engine.count).value_or(maxCount);
  }
  if (messages.empty() && engines == maxCount)
    report("engines in all: expected fewer than " + std::to_string(maxCount));
}

void Checker::checkEngine(const EngineGroup &engine) {
  auto name = [&] { return quoted(engine.name); };
  within(engine.count, 1, maxCount, "count", name);
  within(engine.privateBytes, 0, maxCount, "private bytes", name);
  if (!perResource(engine.portLanes.size(), "port lanes", name))
    return;
  for (size_t m = 0; m < engine.portLanes.size(); ++m) {
    const Resource &resource = problem.resources[m];
    within(engine.portLanes[m], 1, resource.lanes, "port lanes",
           [&] { return name() + " to " + quoted(resource.name); });
  }
  if (!engine.portBytesPerSecond.empty() &&
      perResource(engine.portBytesPerSecond.size(), "ports", name))
    checkPorts(engine);
}

void Checker::checkPorts(const EngineGroup &engine) {
  for (size_t m = 0; m < engine.portBytesPerSecond.size(); ++m) {
    const Resource &resource = problem.resources[m];
    auto name = [&] {
      return quoted(engine.name) + " to " + quoted(resource.name);
    };
    int64_t rate = engine.portBytesPerSecond[m], before = messages.size();
    within(rate, 1, resource.bytesPerSecond, "bytes per second of the port",
           name);
    if (int64_t(messages.size()) > before)
      continue;
    int64_t lanes = ceilMulDiv(resource.lanes, rate, 1, resource.bytesPerSecond)
                        .value_or(maxCount);
    within(engine.portLanes[m], lanes, lanes,
           "port lanes, just enough for its rate,", name);
  }
}

void Checker::checkTask(unsigned index) {
  const Task &task = problem.tasks[index];
  const std::vector<Part> &parts = partsOf(index);
  auto name = [&] { return nameOfTask(problem, index); };
  if (parts.empty())
    report("parts of " + name() + ": expected one or more, found none");
  if (task.lastCombinesOf(choice) &&
      (parts.size() < 2 || parts.back().count != 1))
    report("parts of " + name() +
           ": expected others before the one that joins their results, and one "
           "such part");
  if (task.group && *task.group >= problem.engines.size())
    report("engine group of " + name() + ": expected below " +
           std::to_string(problem.engines.size()) + ", found " +
           std::to_string(*task.group));
  checkWith(index);
  int64_t count = 0;
  for (unsigned part = 0; part < parts.size(); ++part) {
    checkPart(index, part);
    count = std::min(
        maxPartsOfTask + 1,
        count + std::clamp<int64_t>(parts[part].count, 0, maxPartsOfTask + 1));
  }
  within(count, 0, maxPartsOfTask, "parts", name);
  checkChains(index, count);
  if (choice > 0)
    return; // what follows does not depend on it
  for (const LeastWork &least : task.least)
    checkLeast(index, least);
  for (unsigned predecessor : task.predecessors) {
    if (predecessor >= problem.tasks.size())
      report("predecessors of " + name() + ": expected tasks below " +
             std::to_string(problem.tasks.size()) + ", found " +
             std::to_string(predecessor));
    else if (predecessor == index)
      report("predecessors of " + name() + ": it waits for itself");
  }
}

void Checker::checkWith(unsigned index) {
  const Task &task = problem.tasks[index];
  for (auto group = task.with.begin(); group != task.with.end(); ++group) {
    auto report = [&](const std::string &what) {
      this->report("groups beside that of " + nameOfTask(problem, index) +
                   ": expected " + what + ", found " + std::to_string(*group));
    };
    if (*group >= problem.engines.size())
      report("below " + std::to_string(problem.engines.size()));
    else if (std::find(task.with.begin(), group, *group) != group)
      report("each once");
    else if (task.group == *group)
      report("others than its own");
  }
}

void Checker::checkChains(unsigned index, int64_t parts) {
  const Chains &chains = problem.tasks[index].chainsOf(choice);
  auto name = [&] { return "the chains of " + nameOfTask(problem, index); };
  size_t before = messages.size();
  within(chains.length, 1, maxPartsOfTask, "length", name);
  within(chains.stride, 1, maxPartsOfTask, "stride", name);
  if (messages.size() > before || !chains.areThere())
    return;
  if (parts % (chains.length * chains.stride) != 0)
    report(name() + ": expected a multiple of " +
           std::to_string(chains.length) + " x " +
           std::to_string(chains.stride) + " parts, found " +
           std::to_string(parts));
  if (problem.tasks[index].lastCombinesOf(choice))
    report(name() + ": expected none, as the last part joins the others");
}

void Checker::checkPart(unsigned task, unsigned index) {
  const Part &part = partsOf(task)[index];
  auto name = [&] { return nameOfPart(task, index); };
  within(part.count, 1, maxPartsOfTask, "count", name);
  within(part.overheadCycles, 0, maxCount, "overhead cycles", name);
  within(part.serialCycles, 0, maxCount, "serial cycles", name);
  within(part.computeCycles, 0, maxCount, "compute cycles", name);
  within(part.workingSetBytes, 0, maxCount, "working set bytes", name);
  bool sized = perResource(part.bytes.size(), "bytes", name);
  for (int64_t bytes : part.bytes)
    within(bytes, 0, maxCount, "bytes", name);
  for (unsigned source = 0; source < part.sources.size(); ++source) {
    checkSource(task, index, source);
    sized &= part.sources[source].bytes.size() == part.bytes.size();
  }
  int64_t staging = 0;
  for (const Source &source : part.sources)
    staging = checkedAdd(staging, std::max<int64_t>(source.stagingBytes, 0))
                  .value_or(maxCount);
  if (staging > std::max<int64_t>(part.workingSetBytes, 0))
    report("staging bytes of the sources of " + name() +
           ": expected at most the working set of " +
           std::to_string(part.workingSetBytes) + ", found " +
           std::to_string(staging));
  if (!sized)
    return;
  for (size_t m = 0; m < part.bytes.size(); ++m) {
    int64_t sum = 0;
    for (const Source &source : part.sources)
      sum = checkedAdd(sum, std::max<int64_t>(source.bytes[m], 0))
                .value_or(maxCount);
    if (sum > std::max<int64_t>(part.bytes[m], 0))
      report("bytes of the sources of " + name() + " from " +
             quoted(problem.resources[m].name) + ": expected at most the " +
             std::to_string(part.bytes[m]) + " of the part, found " +
             std::to_string(sum));
  }
}

void Checker::checkLeast(unsigned task, const LeastWork &least) {
  auto name = [&] { return "the least work of " + nameOfTask(problem, task); };
  within(least.overheadCycles, 0, maxCount, "overhead cycles", name);
  within(least.computeCycles, 0, maxCount, "compute cycles", name);
  within(least.evenCycles, 0, least.computeCycles, "even cycles", name);
  within(least.mostParts, 1, maxCount, "parts", name);
  bool sized = perResource(least.bytes.size(), "bytes", name) &&
               perResource(least.againBytes.size(), "bytes", name);
  for (const Source &source : least.sources)
    sized = sized && perResource(source.bytes.size(), "bytes", name);
  for (size_t m = 0; sized && m < least.bytes.size(); ++m) {
    within(least.bytes[m], 0, maxCount, "bytes", name);
    within(least.againBytes[m], 0, least.bytes[m], "bytes", name);
    int64_t once = least.bytes[m] - least.againBytes[m];
    for (const Source &source : least.sources) {
      within(source.bytes[m], 0, once, "bytes of a source", name);
      once -= source.bytes[m];
    }
  }
}

void Checker::checkSource(unsigned task, unsigned part, unsigned index) {
  const Source &source = partsOf(task)[part].sources[index];
  auto name = [&] {
    return "source " + quoted(source.name) + " of " + nameOfPart(task, part);
  };
  within(source.sliceBytes, 0, maxCount, "slice bytes", name);
  within(source.stagingBytes, 0, maxCount, "staging bytes", name);
  perResource(source.bytes.size(), "bytes", name);
  for (int64_t bytes : source.bytes)
    within(bytes, 0, maxCount, "bytes", name);
  const std::vector<unsigned> &known = problem.tasks[task].predecessors;
  for (unsigned predecessor : source.predecessors)
    if (std::find(known.begin(), known.end(), predecessor) == known.end())
      report("predecessors of " + name() +
             ": expected some of those of its task, found " +
             std::to_string(predecessor));
}

void Checker::checkCycles() {
  std::vector<bool> ordered(problem.tasks.size(), false);
  for (unsigned task : topologicalOrder(problem))
    ordered[task] = true;
  auto first = std::find(ordered.begin(), ordered.end(), false);
  if (first == ordered.end())
    return;

  // Each task without a place in the order waits for another such task. Walk
  // from one to the next until one comes back.
  std::vector<unsigned> way;
  std::vector<bool> seen(problem.tasks.size(), false);
  unsigned task = first - ordered.begin();
  while (!seen[task]) {
    seen[task] = true;
    way.push_back(task);
    for (unsigned predecessor : problem.tasks[task].predecessors) {
      if (predecessor >= ordered.size() || predecessor == task ||
          ordered[predecessor])
        continue;
      task = predecessor;
      break;
    }
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), task));

  constexpr size_t mostNames = 8;
  std::string message =
      "the tasks wait for each other: " + nameOfTask(problem, task);
  for (size_t i = 1; i < std::min(way.size(), mostNames); ++i)
    message += " for " + nameOfTask(problem, way[i]);
  if (way.size() > mostNames)
    message += " for " + std::to_string(way.size() - mostNames) + " more";
  report(message + " for " + nameOfTask(problem, task));
}

void Checker::checkEnginesFor(unsigned index) {
  const Task &task = problem.tasks[index];
  if (!task.with.empty() && !task.group && ownKinds(problem, task).empty())
    return report("engine group of " + nameOfTask(problem, index) +
                  ": expected one, as the groups beside it have all its kinds");
  const EngineGroup *roomiest = nullptr;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    const EngineGroup &engine = problem.engines[group];
    if (isEligible(problem, group, task) &&
        (!roomiest || engine.privateBytes > roomiest->privateBytes))
      roomiest = &engine;
  }
  if (!roomiest) {
    report("engines for " + nameOfTask(problem, index) + ": expected " +
           (task.group ? quoted(problem.engines[*task.group].name) : "one") +
           " with kind " + nameOf(ownKinds(problem, task)) + ", found none");
    return;
  }
  std::optional<int64_t> total = 0;
  const std::vector<Part> &parts = partsOf(index);
  for (unsigned p = 0; p < parts.size(); ++p) {
    const Part &part = parts[p];
    std::optional<int64_t> cycles;
    if (part.workingSetBytes > roomiest->privateBytes)
      report("working set of " + nameOfPart(index, p) +
             ": expected at most the " +
             std::to_string(roomiest->privateBytes) + " private bytes of " +
             quoted(roomiest->name) + ", found " +
             std::to_string(part.workingSetBytes) + ", " +
             std::to_string(part.workingSetBytes - roomiest->privateBytes) +
             " too many");
    else if (cycles = longest(task, part); !cycles)
      report("length of " + nameOfPart(index, p) + ": expected at most " +
             std::to_string(maxCount) + " cycles, found more");
    if (cycles)
      cycles = checkedMul(*cycles, part.count);
    total = total && cycles ? checkedAdd(*total, *cycles) : std::nullopt;
  }
  longestOf[index] = std::max(longestOf[index], total.value_or(INT64_MAX));
}

std::optional<int64_t> Checker::longest(const Task &task,
                                        const Part &part) const {
  int64_t cycles = 0;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!canRun(problem, group, task, part))
      continue;
    std::optional<int64_t> length = shortestLength(
        problem, part, part.bytes, problem.engines[group], lanes);
    if (!length)
      return std::nullopt;
    cycles = std::max(cycles, *length);
  }
  for (const Source &source : part.sources) {
    int64_t fetch = 0;
    for (const EngineGroup &engine : problem.engines) {
      if (!engine.kinds.contains(EngineKind::Memory))
        continue;
      std::optional<int64_t> length =
          shortestLength(problem, source.bytes, 0, 0, engine, lanes);
      if (!length)
        return std::nullopt;
      fetch = std::max(fetch, *length);
    }
    std::optional<int64_t> sum = checkedAdd(cycles, fetch);
    if (!sum)
      return std::nullopt;
    cycles = *sum;
  }
  return cycles;
}

Task cutTask(const Task &task, unsigned choice) {
  Task cut = {task.name,         task.kinds,
              task.group,        task.partsOf(choice),
              task.predecessors, task.lastCombinesOf(choice)};
  cut.with = task.with;
  cut.chains = task.chainsOf(choice);
  return cut;
}

Problem resolve(const Problem &problem, const Solution &solution) {
  Problem resolved = {problem.clockHz, problem.resources, problem.engines, {}};
  resolved.tasks.reserve(problem.tasks.size());
  for (unsigned index = 0; index < problem.tasks.size(); ++index)
    resolved.tasks.push_back(
        cutTask(problem.tasks[index], solution.choiceOf(index)));
  return resolved;
}

/// Checks that each alternative is as sound as the task itself. Alternatives
/// with the same number are looked at together.
static std::vector<std::string>
checkAlternatives(const Problem &problem, std::vector<int64_t> &longestOf) {
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  for (unsigned number = 1; number <= most; ++number) {
    std::vector<std::string> messages =
        Checker(problem, longestOf, number).runOnParts();
    for (std::string &message : messages)
      message = "alternative " + std::to_string(number) + ": " + message;
    if (!messages.empty())
      return messages;
  }
  return {};
}

/// Running one after the other is a schedule. If it can be counted however the
/// tasks are cut, so can all that solvers and bounds add up.
static std::vector<std::string>
checkTotal(const std::vector<int64_t> &longestOf) {
  std::optional<int64_t> total = 0;
  for (int64_t cycles : longestOf)
    total = total ? checkedAdd(*total, cycles) : std::nullopt;
  if (total)
    return {};
  return {"length of all tasks together: expected at most " +
          std::to_string(maxCount) + " cycles, found more"};
}

std::vector<std::string> Problem::check() const {
  std::vector<int64_t> longestOf(tasks.size(), 0);
  std::vector<std::string> messages = Checker(*this, longestOf).run();
  if (messages.empty())
    messages = checkAlternatives(*this, longestOf);
  if (messages.empty())
    messages = checkTotal(longestOf);
  return messages;
}

} // namespace mlir::llm::scheduling
