//===- CriticalPath.cpp - What the makespan is made of --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/CriticalPath.h"
#include "Core/ChainLinks.h"
#include "Core/PartNumbers.h"

#include <algorithm>

namespace mlir::llm::scheduling {

namespace {
class PathFinder {
public:
  PathFinder(const Problem &problem, const Solution &solution)
      : problem(problem), solution(solution), numbers(problem),
        links(problem, solution) {}
  std::vector<PathStep> run();

private:
  /// A slot or a fetch that takes time.
  struct Span {
    unsigned slot;
    std::optional<unsigned> fetch;
    int64_t start, end;
    EngineId engine;
  };

  void listSpans();
  void listAwaited(const Span &span);
  bool isAwaited(const Span &before) const;
  Cause relate(const Span &span, const Span &before) const;
  bool shareEngine(const Span &span, const Span &before) const;

  const Problem &problem;
  const Solution &solution;
  PartNumbers numbers;
  ChainLinks links;
  std::vector<Span> spans;       ///< by end
  std::vector<unsigned> awaited; ///< tasks that a step waits for, sorted
};
} // namespace

void PathFinder::listSpans() {
  for (unsigned number = 0; number < solution.slots.size(); ++number) {
    const Slot &slot = solution.slots[number];
    if (slot.start < slot.end)
      spans.push_back({number, {}, slot.start, slot.end, slot.engine});
    for (unsigned i = 0; i < slot.prefetches.size(); ++i) {
      const PrefetchSlot &fetch = slot.prefetches[i];
      if (fetch.start < fetch.end)
        spans.push_back({number, i, fetch.start, fetch.end, fetch.engine});
    }
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span &a, const Span &b) { return a.end < b.end; });
}

/// Lists the tasks on which a step depends (S5, or S8 for a fetch).
void PathFinder::listAwaited(const Span &span) {
  const Slot &slot = solution.slots[span.slot];
  const Task &task = problem.tasks[slot.task];
  awaited = task.predecessors;
  if (span.fetch)
    awaited = numbers.part(slot.task, slot.part)
                  .sources[slot.prefetches[*span.fetch].source]
                  .predecessors;
  else if (task.lastCombines && numbers.isLast(slot.task, slot.part))
    awaited.push_back(slot.task);
  std::sort(awaited.begin(), awaited.end());
}

bool PathFinder::isAwaited(const Span &before) const {
  return !before.fetch && std::binary_search(awaited.begin(), awaited.end(),
                                             solution.slots[before.slot].task);
}

/// Returns why a step starts when the one before it ends.
Cause PathFinder::relate(const Span &span, const Span &before) const {
  const Slot *inChain =
      span.fetch ? nullptr : links.before(solution.slots[span.slot]);
  if (isAwaited(before) ||
      (!before.fetch && inChain == &solution.slots[before.slot]))
    return Cause::Dependence;
  if (!span.fetch && before.fetch && before.slot == span.slot)
    return Cause::Fetch;
  return shareEngine(span, before) ? Cause::Engine : Cause::Bandwidth;
}

/// Returns whether both hold one engine, each as its own or beside it.
bool PathFinder::shareEngine(const Span &span, const Span &before) const {
  auto others = [&](const Span &of) -> const std::vector<EngineId> & {
    static const std::vector<EngineId> none;
    return of.fetch ? none : solution.slots[of.slot].with;
  };
  auto holds = [&](const Span &of, EngineId engine) {
    return of.engine == engine ||
           std::find(others(of).begin(), others(of).end(), engine) !=
               others(of).end();
  };
  return holds(before, span.engine) ||
         std::any_of(others(span).begin(), others(span).end(),
                     [&](EngineId engine) { return holds(before, engine); });
}

std::vector<PathStep> PathFinder::run() {
  listSpans();
  std::vector<PathStep> path;
  if (spans.empty())
    return path;
  auto firstEndingAt = [&](int64_t cycle) {
    return std::lower_bound(
        spans.begin(), spans.end(), cycle,
        [](const Span &span, int64_t cycle) { return span.end < cycle; });
  };
  auto step = firstEndingAt(spans.back().end);
  while (true) {
    path.push_back({step->slot, step->fetch, Cause::None});
    auto behind = firstEndingAt(step->start + 1); // ends later than it starts
    if (behind == spans.begin())
      break;
    auto first = firstEndingAt(std::prev(behind)->end);
    Cause cause = Cause::Choice;
    auto next = first;
    listAwaited(*step);
    if (first->end == step->start)
      for (auto other = first; other != behind; ++other)
        if (Cause related = relate(*step, *other); related < cause) {
          cause = related;
          next = other;
        }
    path.back().cause = cause;
    step = next;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathStep> findCriticalPath(const Problem &problem,
                                       const Solution &solution) {
  return PathFinder(problem, solution).run();
}

} // namespace mlir::llm::scheduling
