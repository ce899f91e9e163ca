//===- Names.cpp - How messages name things -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"

namespace mlir::llm::scheduling {

std::string nameOf(EngineKindSet kinds) {
  std::string name;
  for (EngineKind kind : allEngineKinds) {
    if (!kinds.contains(kind))
      continue;
    if (!name.empty())
      name += '+';
    name += stringify(kind);
  }
  return name.empty() ? "any" : name;
}

std::string nameOfTask(const Problem &problem, unsigned task) {
  const std::string &name = problem.tasks[task].name;
  return name.empty() ? "task " + std::to_string(task) : "'" + name + "'";
}

std::string nameOfPart(const Problem &problem, unsigned task, unsigned part,
                       unsigned choice) {
  std::string name = nameOfTask(problem, task);
  if (countParts(problem.tasks[task].partsOf(choice)) == 1)
    return name;
  return "part " + std::to_string(part) + " of " + name;
}

std::string nameOfEngine(const Problem &problem, EngineId engine) {
  std::string group = engine.group < problem.engines.size()
                          ? problem.engines[engine.group].name
                          : "group " + std::to_string(engine.group);
  return group + "[" + std::to_string(engine.index) + "]";
}

} // namespace mlir::llm::scheduling
