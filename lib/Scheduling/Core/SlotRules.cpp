//===- SlotRules.cpp - The rules for one slot alone -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotRules.h"
#include "Lanes.h"
#include "Names.h"
#include "llm/Support/Units.h"

namespace mlir::llm::scheduling {

namespace {
class SlotChecker {
public:
  SlotChecker(const Problem &problem, const AnySlot &slot, const Demand &demand,
              const std::function<void(const char *, std::string)> &report)
      : problem(problem), slot(slot), demand(demand), report(report) {}
  SlotVerdict check(EngineKindSet kinds);

private:
  bool checkEngine(EngineKindSet kinds);
  bool checkTimes();
  bool checkPorts();
  std::optional<int64_t> checkLanes();

  std::string name() const { return nameOfSlot(problem, slot); }
  /// A fetch by itself can only break S8, whatever the rule of parts is.
  const char *ruleOf(const char *ruleOfParts) const {
    return slot.fetch ? "S8" : ruleOfParts;
  }

  const Problem &problem;
  const AnySlot &slot;
  const Demand &demand;
  const std::function<void(const char *, std::string)> &report;
  SlotVerdict verdict;
};
} // namespace

SlotVerdict SlotChecker::check(EngineKindSet kinds) {
  verdict.engineExists = checkEngine(kinds);
  verdict.timesExist = checkTimes();
  std::optional<int64_t> length = checkLanes();
  if (verdict.timesExist && length && slot.end - slot.start != *length)
    report(ruleOf("S2"), name() + " takes " +
                             std::to_string(slot.end - slot.start) +
                             " cycles, expected " + std::to_string(*length) +
                             " with its lanes");
  return verdict;
}

bool SlotChecker::checkEngine(EngineKindSet kinds) {
  const char *rule = ruleOf("S4");
  auto where = [&] {
    return name() + " is on " + nameOfEngine(problem, slot.engine);
  };
  if (!exists(problem, slot.engine)) {
    report(rule, where() + ", which does not exist");
    return false;
  }
  EngineKindSet found = problem.engines[slot.engine.group].kinds;
  if (!found.containsAll(kinds))
    report(rule, where() + " of kind " + nameOf(found) + ", expected " +
                     nameOf(kinds));
  return true;
}

bool SlotChecker::checkTimes() {
  if (0 <= slot.start && slot.start <= slot.end && slot.end <= maxCount)
    return true;
  report(ruleOf("S2"),
         name() + " is in cycles " + std::to_string(slot.start) + " to " +
             std::to_string(slot.end) +
             ", expected a start at or after 0 and an end at or after it");
  return false;
}

/// Checks S3, except that lanes are the fewest. Returns false if no length
/// follows from the lanes.
bool SlotChecker::checkPorts() {
  const char *rule = ruleOf("S3");
  if (slot.lanes->size() != problem.resources.size()) {
    report(rule, name() + " holds lanes of " +
                     std::to_string(slot.lanes->size()) +
                     " resources, expected " +
                     std::to_string(problem.resources.size()));
    return false;
  }
  bool streams = true;
  for (size_t m = 0; m < demand.bytes.size(); ++m) {
    int64_t lanes = (*slot.lanes)[m];
    int64_t low = demand.bytes[m] > 0 ? 1 : 0;
    int64_t high = demand.bytes[m] == 0 ? 0
                   : verdict.engineExists
                       ? problem.engines[slot.engine.group].portLanes[m]
                       : problem.resources[m].lanes;
    streams &= lanes >= low;
    if (lanes >= low && lanes <= high)
      continue;
    report(rule, name() + " holds " + std::to_string(lanes) + " lanes of '" +
                     problem.resources[m].name + "', expected " +
                     std::to_string(low) +
                     (low == high
                          ? " for no bytes"
                          : " to " + std::to_string(high) + " on this engine"));
  }
  return streams;
}

/// Checks S3, and the length that the lanes give by S2.
std::optional<int64_t> SlotChecker::checkLanes() {
  if (!checkPorts())
    return std::nullopt;
  std::optional<int64_t> length = lengthWithLanes(
      problem, demand.bytes, demand.fixedCycles, demand.computeCycles,
      *slot.lanes,
      verdict.engineExists ? &problem.engines[slot.engine.group] : nullptr);
  if (!length) {
    report(ruleOf("S2"), name() + " takes more cycles than can be counted");
    return std::nullopt;
  }
  for (size_t m = 0; m < demand.bytes.size(); ++m) {
    if (demand.bytes[m] == 0)
      continue;
    std::optional<int64_t> fewest =
        fewestLanes(problem, m, demand.bytes[m], *length - demand.fixedCycles);
    int64_t lanes = (*slot.lanes)[m];
    if (fewest && *fewest != lanes)
      report(ruleOf("S3"), name() + " holds " + std::to_string(lanes) +
                               " lanes of '" + problem.resources[m].name +
                               "', the fewest for " + std::to_string(*length) +
                               " cycles are " + std::to_string(*fewest));
  }
  return length;
}

std::string nameOfSlot(const Problem &problem, const AnySlot &slot) {
  std::string part = nameOfPart(problem, slot.task, slot.part);
  if (!slot.fetch)
    return part;
  return "the fetch of '" + slot.shape->sources[slot.fetch->source].name +
         "' for " + part;
}

bool exists(const Problem &problem, EngineId engine) {
  return engine.group < problem.engines.size() && engine.index >= 0 &&
         engine.index < problem.engines[engine.group].count;
}

SlotVerdict
checkAlone(const Problem &problem, const AnySlot &slot, const Demand &demand,
           EngineKindSet kinds,
           const std::function<void(const char *, std::string)> &report) {
  return SlotChecker(problem, slot, demand, report).check(kinds);
}

} // namespace mlir::llm::scheduling
