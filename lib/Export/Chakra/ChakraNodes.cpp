//===- ChakraNodes.cpp - A schedule as nodes of an execution trace --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChakraNodes.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace mlir::llm;

int64_t ChakraGroups::firstOf(int64_t rank) const {
  for (auto [chips, stride] : axes)
    rank -= rank / stride % chips * stride;
  return rank;
}

SmallVector<int64_t> ChakraGroups::membersFrom(int64_t first) const {
  SmallVector<int64_t> members = {first};
  for (auto [chips, stride] : axes) {
    SmallVector<int64_t> more;
    for (int64_t member : members)
      for (int64_t place = 0; place < chips; ++place)
        more.push_back(member + place * stride);
    members = std::move(more);
  }
  return members;
}

namespace {
/// One run of an op, from its first start to its last end.
struct Run {
  unsigned op;
  Iterations iterations;
  int64_t startCycle, endCycle;
};

/// Goes through the program in the order of time, from one point at which a
/// collective begins or ends to the next.
class NodeBuilder {
public:
  explicit NodeBuilder(const Report &report)
      : report(report), timeline(report.timeline) {}

  FailureOr<std::vector<ChakraNode>> run();

private:
  LogicalResult findCollectives();
  void collectRuns();
  void mergeActivity();
  /// The cycles in [begin, end) in which something is computed or fetched.
  int64_t activeCycles(int64_t begin, int64_t end);
  void addCollective(const Run &run);
  void addComputation(int64_t begin, int64_t end, bool isExchanging);
  /// Takes over what the ops that start before `end` wait for and do.
  void startOps(int64_t end);
  std::vector<int64_t> collectivesAheadOf(const Run &run) const;
  std::pair<unsigned, int64_t> keyOf(unsigned op,
                                     ArrayRef<int64_t> iterations) const {
    return {op, timeline.runNumber(op, iterations)};
  }

  const Report &report;
  const Timeline &timeline;
  std::map<unsigned, Collective> collectives;      ///< by op
  std::vector<Run> computing, exchanging;          ///< by start
  std::vector<std::pair<int64_t, int64_t>> active; ///< without overlaps
  size_t nextActive = 0, nextComputing = 0;
  std::vector<ChakraNode> nodes;
  std::map<std::pair<unsigned, int64_t>, int64_t> nodeOf; ///< of collectives
  std::map<int64_t, int64_t> lastOnLink; ///< node, by what its groups span
  int64_t lastComputation = 0;           ///< node; 0: there is none
  int64_t computedCycles = 0;            ///< so far, in all nodes
  int64_t writtenMicroseconds = 0;
  ChakraNode pending; ///< what is computed, until it takes a microsecond
  std::string lastOp;
};
} // namespace

LogicalResult NodeBuilder::findCollectives() {
  for (auto [index, entry] : llvm::enumerate(report.program->ops())) {
    FailureOr<Workload> workload = WorkloadOpInterface(entry.op).getWorkload(
        [op = entry.op] { return Reasons().refuse(op); });
    if (failed(workload))
      return failure();
    if (!workload->collective)
      continue;
    collectives.emplace(index, *workload->collective);
  }
  return success();
}

void NodeBuilder::collectRuns() {
  timeline.forEachStretch([&](const StretchRun &stretch) {
    for (unsigned op : stretch.stretch.ops) {
      Run run{op, Iterations(stretch.iterations), INT64_MAX, 0};
      timeline.forEachTimedSlot(
          op, stretch.iterations, [&](const TimedSlot &slot) {
            if (slot.prefetched.empty())
              run.startCycle = std::min(run.startCycle, slot.startCycle);
            run.endCycle = std::max(run.endCycle, slot.endCycle);
            active.emplace_back(slot.startCycle, slot.endCycle);
          });
      if (run.startCycle == INT64_MAX)
        continue;
      if (collectives.count(op)) {
        active.pop_back(); // a collective has one slot
        exchanging.push_back(std::move(run));
      } else {
        computing.push_back(std::move(run));
      }
    }
  });
  auto startsFirst = [](const Run &a, const Run &b) {
    return a.startCycle < b.startCycle;
  };
  std::stable_sort(computing.begin(), computing.end(), startsFirst);
  std::stable_sort(exchanging.begin(), exchanging.end(), startsFirst);
}

void NodeBuilder::mergeActivity() {
  std::sort(active.begin(), active.end());
  size_t count = 0;
  for (auto [begin, end] : active)
    if (count > 0 && begin <= active[count - 1].second)
      active[count - 1].second = std::max(active[count - 1].second, end);
    else
      active[count++] = {begin, end};
  active.resize(count);
}

int64_t NodeBuilder::activeCycles(int64_t begin, int64_t end) {
  int64_t cycles = 0;
  while (nextActive < active.size() && active[nextActive].second <= begin)
    ++nextActive;
  for (size_t at = nextActive; at < active.size() && active[at].first < end;
       ++at)
    cycles +=
        std::min(end, active[at].second) - std::max(begin, active[at].first);
  return cycles;
}

std::vector<int64_t> NodeBuilder::collectivesAheadOf(const Run &run) const {
  std::vector<int64_t> found;
  for (const Dependence &dependence : timeline.dependencesOf(run.op)) {
    if (!collectives.count(dependence.producer))
      continue;
    if (auto iterations = timeline.producerRun(dependence, run.iterations))
      if (auto node = nodeOf.find(keyOf(dependence.producer, *iterations));
          node != nodeOf.end())
        found.push_back(node->second);
  }
  return found;
}

/// An op of our dialect names axes of the grid. Others exchange among
/// neighbours.
static ChakraGroups groupsOf(const Collective &collective) {
  ChakraGroups groups;
  for (auto [chips, stride] : collective.axes)
    groups.axes.push_back({chips, stride});
  if (groups.axes.empty())
    groups.axes.push_back(
        {collective.chips, (collective.span - 1) / (collective.chips - 1)});
  return groups;
}

static void addDependence(ChakraNode &node, int64_t on) {
  if (on > 0 && !llvm::is_contained(node.dependences, on))
    node.dependences.push_back(on);
}

void NodeBuilder::addCollective(const Run &run) {
  const Collective &own = collectives.at(run.op);
  ChakraNode node;
  node.id = int64_t(nodes.size()) + 1;
  node.name = timeline.nameOf(run.op, run.iterations);
  node.collective = own.kind;
  node.groups = groupsOf(own);
  // Of a gather, the trace says what each chip has before.
  node.bytes =
      own.kind == CollectiveKind::AllGather ? own.bytes / own.chips : own.bytes;
  addDependence(node, lastComputation);
  addDependence(node, lastOnLink[own.span]);
  for (int64_t ahead : collectivesAheadOf(run))
    addDependence(node, ahead);
  // What was computed since then took less than a microsecond.
  for (int64_t ahead : pending.dependences)
    addDependence(node, ahead);
  nodeOf[keyOf(run.op, run.iterations)] = lastOnLink[own.span] = node.id;
  nodes.push_back(std::move(node));
}

void NodeBuilder::startOps(int64_t end) {
  for (; nextComputing < computing.size() &&
         computing[nextComputing].startCycle < end;
       ++nextComputing) {
    const Run &run = computing[nextComputing];
    const OpFigures &figures = report.ops[run.op].figures;
    pending.flops += 2 * double(figures.macs);
    pending.bytes += figures.dramBytes;
    for (int64_t ahead : collectivesAheadOf(run))
      addDependence(pending, ahead);
    lastOp = timeline.nameOf(run.op, run.iterations);
    if (pending.name.empty())
      pending.name = lastOp;
  }
}

void NodeBuilder::addComputation(int64_t begin, int64_t end,
                                 bool isExchanging) {
  startOps(end);
  computedCycles += isExchanging ? activeCycles(begin, end) : end - begin;
  auto rounded = int64_t(
      cyclesToMicroseconds(computedCycles, report.target->clockHz) + 0.5);
  pending.microseconds = rounded - writtenMicroseconds;
  if (pending.microseconds == 0)
    return;
  writtenMicroseconds = rounded;
  if (pending.name.empty())
    pending.name = lastOp;
  else if (pending.name != lastOp)
    pending.name += " .. " + lastOp;
  pending.id = int64_t(nodes.size()) + 1;
  addDependence(pending, lastComputation);
  lastComputation = pending.id;
  nodes.push_back(std::exchange(pending, ChakraNode()));
}

FailureOr<std::vector<ChakraNode>> NodeBuilder::run() {
  if (failed(findCollectives()))
    return failure();
  collectRuns();
  mergeActivity();
  // Where collectives begin and end, and whether one is under way behind that.
  std::map<int64_t, int64_t> changes = {{0, 0}, {timeline.endCycle(), 0}};
  for (const Run &run : exchanging) {
    ++changes[run.startCycle];
    --changes[run.endCycle];
  }
  size_t nextExchange = 0;
  int64_t underWay = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    underWay += at->second;
    for (; nextExchange < exchanging.size() &&
           exchanging[nextExchange].startCycle == at->first;
         ++nextExchange)
      addCollective(exchanging[nextExchange]);
    if (auto next = std::next(at); next != changes.end())
      addComputation(at->first, next->first, underWay > 0);
  }
  return std::move(nodes);
}

FailureOr<std::vector<ChakraNode>>
mlir::llm::makeChakraNodes(const Report &report) {
  return NodeBuilder(report).run();
}
