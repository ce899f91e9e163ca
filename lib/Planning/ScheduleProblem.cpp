//===- ScheduleProblem.cpp - From the IR to a problem ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/ScheduleProblem.h"
#include "llm/Planning/LeastWork.h"
#include "llm/Planning/Split.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

using scheduling::Problem;

static CostAttr costOf(Operation *op) {
  return op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
}

static TileAttr tileOf(Operation *op) {
  return op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
}

/// Checks that the cost names the engines and memories that the op uses. Bytes
/// of a memory that is not shared would be streamed in no time.
static LogicalResult checkNames(CostAttr cost, const OpOnTarget &context) {
  if (cost.getEngine().getValue() != context.engine->name)
    return context.refuse()
           << "has a cost on engine '" << cost.getEngine().getValue()
           << "', but it runs on '" << context.engine->name
           << "'; run --llm-cost";
  auto isNamed = [](StringAttr name, const Engine *engine) {
    return name.getValue() == engine->name;
  };
  if (!llvm::equal(cost.getWith(), context.with, isNamed))
    return context.refuse()
           << "has a cost that holds other engines beside '"
           << context.engine->name << "' than it needs; run --llm-cost";
  for (PartCostAttr part : cost.getParts()) {
    if (DictionaryAttr cycles = part.getCyclesByMemory())
      for (NamedAttribute entry : cycles)
        if (!context.target->findMemory(entry.getName()) &&
            !context.target->findSharedResource(entry.getName()))
          return context.refuse()
                 << "has a cost with cycles of memory '"
                 << entry.getName().getValue() << "', which target '"
                 << context.target->name << "' does not have; run --llm-cost";
    for (NamedAttribute entry : part.getTraffic()) {
      if (!context.target->findSharedResource(entry.getName()))
        return context.refuse()
               << "has a cost with traffic of memory '"
               << entry.getName().getValue() << "', which target '"
               << context.target->name << "' does not share; run --llm-cost";
    }
  }
  return success();
}

LogicalResult mlir::llm::checkCosts(const Program &program,
                                    const Target &target, Reasons reasons) {
  StampTexts texts;
  for (const ProgramOp &entry : program.ops()) {
    Operation *op = entry.op;
    TileAttr tile = tileOf(op);
    CostAttr cost = costOf(op);
    if (!cost || !tile)
      return reasons.refuse(op)
             << "has no " << (tile ? "cost" : "tile") << "; run --llm-tile"
             << (tile ? " or --llm-cost" : "") << " first";
    FailureOr<OpOnTarget> context = OpOnTarget::get(entry.op, target, reasons);
    if (failed(context))
      return failure();
    if (computeStamp(*context, tile, texts) != cost.getStamp())
      return reasons.refuse(op)
             << "has a stale cost: the op, its tile or the target changed "
                "since it was computed; run --llm-cost"
             << " (or --llm-tile for new tiles)";
    if (failed(checkNames(cost, *context)))
      return failure();
    int64_t capacity = context->tileCapacityBytes();
    int64_t parts = 0;
    for (PartCostAttr part : cost.getParts()) {
      if (part.getCount() > maxParts - parts)
        return reasons.refuse(op) << "has more than " << maxParts << " parts";
      parts += part.getCount();
      if (part.getWorkingSetBytes() > capacity)
        return reasons.refuse(op)
               << "has a tile that takes " << part.getWorkingSetBytes()
               << " bytes of the " << capacity << " that an engine has: "
               << part.getWorkingSetBytes() - capacity
               << " too many. Set the number of engines in --llm-target, "
                  "before --llm-tile";
    }
  }
  return success();
}

/// The machine of a problem: shared memories, links and engine groups.
static Problem makeMachine(const Target &target) {
  Problem problem;
  problem.clockHz = target.clockHz;
  SmallVector<const Memory *> memories = target.sharedResources();
  for (const Memory *memory : memories)
    problem.resources.push_back(
        {memory->name, memory->usableBytesPerSecond(), memory->lanes});
  for (const Engine &engine : target.engines) {
    scheduling::EngineGroup group;
    group.name = engine.name;
    group.kinds = engine.kinds;
    group.count = engine.count;
    for (const Memory *memory : memories) {
      group.portLanes.push_back(target.portLanes(engine, *memory));
      group.portBytesPerSecond.push_back(
          target.portBytesPerSecond(engine, *memory));
    }
    const Memory *own = target.privateMemoryOf(engine);
    group.privateBytes = own ? own->capacityBytes : 0;
    problem.engines.push_back(std::move(group));
  }
  return problem;
}

std::optional<unsigned> mlir::llm::findGroup(const Problem &problem,
                                             StringAttr name) {
  for (auto [group, engine] : llvm::enumerate(problem.engines))
    if (engine.name == name.getValue())
      return group;
  return std::nullopt;
}

SourceRoomFinder::Rooms SourceRoomFinder::find(int64_t part) const {
  Rooms rooms;
  WorkloadOpInterface op = context.op;
  OpOnTarget own = split.partOf(context, part);
  SmallVector<Interval, 6> box = own.workload.fullBox();
  SmallVector<int64_t, 4> staging = stagingBytes(own, tile);
  for (auto [index, buffer] : llvm::enumerate(own.workload.buffers)) {
    if (buffer.role != Buffer::Role::Read)
      continue;
    std::optional<FetchWaits> waits = findFetchWaits(context.op, buffer);
    if (!waits)
      continue;
    Count elements = op.countElements(own.workload, index, box);
    Count bytes = succeeded(elements) ? storageBytes(buffer, *elements)
                                      : Count(failure());
    rooms.push_back({buffer.name, succeeded(bytes) ? *bytes : maxCount,
                     staging[index], std::move(*waits)});
  }
  return rooms;
}

ArrayRef<SourceRoom> SourceRoomFinder::roomsOf(int64_t part) {
  if (split.combines(part))
    return {};
  auto [rooms, isNew] = known.try_emplace(split.shapeOf(context, part));
  if (isNew)
    rooms->second = find(part);
  return rooms->second;
}

namespace {
/// The problem of a stretch before its ops are cut.
struct Tasks {
  Problem problem; ///< without parts
  DenseMap<Operation *, unsigned> taskOf;
};
} // namespace

/// Returns the tasks of these ops. The boundary of the stretch meets
/// dependences on ops outside of it.
static std::vector<unsigned> tasksOf(const Tasks &tasks,
                                     const FetchWaits &waits) {
  llvm::SmallSetVector<unsigned, 4> found;
  for (Operation *op :
       llvm::concat<Operation *const>(waits.writers, waits.selectors))
    if (auto known = tasks.taskOf.find(op); known != tasks.taskOf.end())
      found.insert(known->second);
  return std::vector<unsigned>(found.begin(), found.end());
}

/// Returns the cycles of the engine alone: of arithmetic, or of what it uses of
/// the engine's own memory.
static int64_t cyclesOnEngine(const OpOnTarget &context, PartCostAttr cost) {
  const Memory *tiles = context.tileMemory();
  return std::max(cost.getComputeCycles(),
                  tiles ? cost.getMemoryCycles(tiles->name) : 0);
}

/// Makes a part with these costs, whose sources wait for nothing yet.
static scheduling::Part
makePart(const std::vector<scheduling::Resource> &resources,
         const OpOnTarget &context, PartCostAttr cost,
         ArrayRef<SourceRoom> rooms) {
  scheduling::Part part;
  part.overheadCycles = cost.getOverheadCycles();
  part.serialCycles = cost.getSerialCycles();
  part.computeCycles = cyclesOnEngine(context, cost);
  part.workingSetBytes = cost.getWorkingSetBytes();
  for (const scheduling::Resource &resource : resources)
    part.bytes.push_back(cost.getBytes(resource.name));
  for (const SourceRoom &room : rooms) {
    scheduling::Source source{
        room.buffer, {}, room.sliceBytes, room.stagingBytes};
    for (const scheduling::Resource &resource : resources)
      source.bytes.push_back(cost.getBytes(resource.name, room.buffer));
    part.sources.push_back(std::move(source));
  }
  return part;
}

static FailureOr<scheduling::Split>
makeParts(const std::vector<scheduling::Resource> &resources,
          const OpOnTarget &context, TileAttr tile, CostAttr cost) {
  FailureOr<Split> split = Split::get(context, tile.getSplit());
  if (failed(split))
    return failure();
  int64_t costed = 0;
  for (PartCostAttr record : cost.getParts())
    costed += record.getCount();
  if (costed != split->partCount())
    return context.refuse()
           << "has a cost of " << costed << " parts, but its tile has "
           << split->partCount() << "; run --llm-cost";
  scheduling::Split parts;
  parts.lastCombines = split->lastCombines();
  parts.chains = split->chains();
  int64_t number = 0;
  SourceRoomFinder rooms(context, tile, *split);
  auto add = [&](PartCostAttr record, int64_t count) {
    parts.parts.push_back(
        makePart(resources, context, record, rooms.roomsOf(number)));
    parts.parts.back().count = count;
    number += count;
  };
  for (PartCostAttr record : cost.getParts()) {
    int64_t count = record.getCount();
    bool isLast = number + count == costed;
    // Costs that were written by hand may be equal for the joining part and
    // others.
    if (isLast && parts.lastCombines && count > 1)
      add(record, std::exchange(count, 1) - 1);
    add(record, count);
  }
  return parts;
}

static Tasks makeTasks(const Program &program, ArrayRef<unsigned> stretch,
                       const Target &target) {
  Tasks tasks;
  tasks.problem = makeMachine(target);
  Problem &problem = tasks.problem;
  for (unsigned index : stretch) {
    const ProgramOp &entry = program.ops()[index];
    scheduling::Task task;
    task.name = entry.name;
    task.group = findGroup(problem, costOf(entry.op).getEngine());
    for (StringAttr other : costOf(entry.op).getWith())
      if (std::optional<unsigned> group = findGroup(problem, other))
        task.with.push_back(*group);
    for (unsigned dependence : entry.dependences)
      if (auto known = tasks.taskOf.find(program.ops()[dependence].op);
          known != tasks.taskOf.end())
        task.predecessors.push_back(known->second);
    tasks.taskOf[entry.op] = problem.tasks.size();
    problem.tasks.push_back(std::move(task));
  }
  return tasks;
}

/// What an op waits for before its buffers can be fetched ahead, by their
/// names. The parts of an op wait for the same.
struct ProblemMaker::Waits {
  SmallVector<std::pair<std::string, FetchWaits>, 2> ofBuffers;

  explicit Waits(const OpOnTarget &context) {
    for (const Buffer &buffer : context.workload.buffers)
      if (buffer.role == Buffer::Role::Read)
        if (auto found = findFetchWaits(context.op, buffer))
          ofBuffers.push_back({buffer.name, std::move(*found)});
  }

  std::string names() const {
    std::string text;
    for (const auto &[name, waits] : ofBuffers)
      text += name + "\n";
    return text;
  }

  void writeTo(std::vector<scheduling::Part> &parts, const Tasks &tasks) const {
    for (const auto &[name, waits] : ofBuffers) {
      std::vector<unsigned> before = tasksOf(tasks, waits);
      if (before.empty())
        continue;
      for (scheduling::Part &part : parts)
        for (scheduling::Source &source : part.sources)
          if (source.name == name)
            source.predecessors = before;
    }
  }
};

/// An op that stands for all that are equal to it.
struct ProblemMaker::Kind {
  Kind(OpOnTarget context, CostedTile given, StampTexts &texts)
      : choices(std::move(context), given, texts) {}

  /// Returns the parts of an op of this kind, whose sources wait for nothing
  /// yet.
  FailureOr<scheduling::Split>
  partsOf(const std::vector<scheduling::Resource> &resources,
          const OpOnTarget &context, const CostedTile &choice) {
    auto [known, isNew] = made.try_emplace({choice.tile, choice.cost});
    if (isNew) {
      FailureOr<scheduling::Split> parts =
          makeParts(resources, context, choice.tile, choice.cost);
      if (failed(parts))
        return failure();
      known->second = std::move(*parts);
    }
    return known->second;
  }

  SplitChoices choices;
  bool isByHand = false; ///< may only run as it is
  /// By the number of engines, and whether reductions are cut.
  std::map<std::pair<int64_t, bool>, SmallVector<CostedTile>> found;
  /// What all ways to cut it need at least, by the number of engines. It is
  /// empty if the op has only its own way.
  std::map<int64_t, std::vector<scheduling::LeastWork>> least;

private:
  /// Costs do not depend on numbers of engines, and neither do parts.
  DenseMap<std::pair<TileAttr, CostAttr>, scheduling::Split> made;
};

static LogicalResult checkProblem(const Program &program,
                                  const Problem &problem, Reasons reasons) {
  std::vector<std::string> objections = problem.check();
  if (objections.empty())
    return success();
  Refusal refusal = refuseFunction(program.function(), reasons)
                    << "cannot be scheduled: " << objections.front();
  for (const std::string &objection : llvm::drop_begin(objections))
    refusal.addNote(objection);
  return refusal;
}

ProblemMaker::ProblemMaker(const Program &program, const Target &target,
                           Reasons reasons)
    : program(program), target(target), reasons(reasons) {}

ProblemMaker::~ProblemMaker() = default;

FailureOr<ProblemMaker::Kind *> ProblemMaker::kindOf(WorkloadOpInterface op,
                                                     const Waits &waits) {
  std::unique_ptr<Kind> &kind =
      kinds[{costOf(op).getAsOpaquePointer(), waits.names()}];
  if (kind)
    return kind.get();
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target, reasons);
  if (failed(context))
    return failure();
  bool isCollective = context->workload.collective.has_value();
  kind = std::make_unique<Kind>(std::move(*context),
                                CostedTile{tileOf(op), costOf(op)}, texts);
  FailureOr<bool> isByHand = kind->choices.isByHand();
  if (failed(isByHand))
    return failure();
  kind->isByHand = isCollective || *isByHand;
  return kind.get();
}

FailureOr<std::vector<scheduling::LeastWork>>
ProblemMaker::leastOf(Kind &kind, const OpOnTarget &context) {
  std::vector<scheduling::LeastWork> none;
  if (kind.isByHand || context.hasOneWay())
    return none;
  auto [known, isNew] = kind.least.try_emplace(context.countTeams());
  if (isNew) {
    auto found = leastWork(context, tileOf(context.op).getStrategy(),
                           context.target->sharedResources());
    if (failed(found))
      return failure();
    known->second = std::move(*found);
  }
  return known->second;
}

FailureOr<SmallVector<CostedTile>>
ProblemMaker::choicesOf(Kind &kind, const OpOnTarget &context,
                        bool cutsReductions) {
  if (kind.isByHand)
    return SmallVector<CostedTile>{{tileOf(context.op), costOf(context.op)}};
  int64_t engines = context.countTeams();
  auto [known, isNew] = kind.found.try_emplace({engines, cutsReductions});
  if (isNew) {
    auto found = kind.choices.find(engines, cutsReductions);
    if (failed(found))
      return failure();
    known->second = std::move(*found);
  }
  return known->second;
}

FailureOr<SplitProblem> ProblemMaker::make(
    ArrayRef<unsigned> stretch, const Target &own,
    function_ref<FailureOr<SmallVector<CostedTile>>(Kind &kind,
                                                    const OpOnTarget &context)>
        choicesOf) {
  Tasks tasks = makeTasks(program, stretch, own);
  std::vector<SmallVector<CostedTile>> allChoices;
  for (auto [task, index] : llvm::zip(tasks.problem.tasks, stretch)) {
    FailureOr<OpOnTarget> context =
        OpOnTarget::get(program.ops()[index].op, own, reasons);
    if (failed(context))
      return failure();
    Waits waits(*context);
    FailureOr<Kind *> kind = kindOf(context->op, waits);
    if (failed(kind))
      return failure();
    auto least = leastOf(**kind, *context);
    auto choices = choicesOf(**kind, *context);
    if (failed(least) || failed(choices))
      return failure();
    task.least = std::move(*least);
    task.kinds = context->workload.engineKinds();
    for (auto [number, choice] : llvm::enumerate(*choices)) {
      FailureOr<scheduling::Split> split =
          (*kind)->partsOf(tasks.problem.resources, *context, choice);
      if (failed(split))
        return failure();
      waits.writeTo(split->parts, tasks);
      if (number > 0) {
        task.alternatives.push_back(std::move(*split));
        continue;
      }
      task.parts = std::move(split->parts);
      task.lastCombines = split->lastCombines;
      task.chains = split->chains;
    }
    allChoices.push_back(std::move(*choices));
  }
  if (failed(checkProblem(program, tasks.problem, reasons)))
    return failure();
  return SplitProblem{std::move(tasks.problem), std::move(allChoices)};
}

FailureOr<Problem> ProblemMaker::makeAsTiled(ArrayRef<unsigned> stretch,
                                             const Target &own) {
  FailureOr<SplitProblem> made =
      make(stretch, own, [](Kind &, const OpOnTarget &context) {
        return FailureOr(
            SmallVector<CostedTile>{{tileOf(context.op), costOf(context.op)}});
      });
  if (failed(made))
    return failure();
  return std::move(made->problem);
}

FailureOr<SplitProblem> ProblemMaker::makeSplit(ArrayRef<unsigned> stretch,
                                                const Target &own,
                                                bool cutsReductions) {
  return make(stretch, own, [&](Kind &kind, const OpOnTarget &context) {
    return choicesOf(kind, context, cutsReductions);
  });
}

FailureOr<Problem> mlir::llm::makeProblem(const Program &program,
                                          ArrayRef<unsigned> stretch,
                                          const Target &target,
                                          Reasons reasons) {
  return ProblemMaker(program, target, reasons).makeAsTiled(stretch, target);
}
