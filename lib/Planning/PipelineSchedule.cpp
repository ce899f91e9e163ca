//===- PipelineSchedule.cpp - Microbatches in stages ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/PipelineSchedule.h"
#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Program.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using scheduling::Part;
using scheduling::Problem;
using scheduling::Slot;
using scheduling::Solution;
using scheduling::Task;

namespace {
/// A function that a microbatch goes through, and what it hands on.
struct Visit {
  FunctionOpInterface function;
  StageAttr stage;
  int64_t cycles = 0;         ///< its makespan
  int64_t transferCycles = 0; ///< to where its results go
};

/// One visit for one microbatch, or the way of its results.
struct Step {
  unsigned visit;
  bool isTransfer;
  int64_t microbatch;
};

/// The functions of a pipeline as a scheduling problem.
class PipelineProblem {
public:
  /// Nothing if the module has no stages.
  static FailureOr<std::optional<PipelineProblem>> of(ModuleOp module,
                                                      const Target &target);

  const Problem &get() const { return problem; }
  FailureOr<PipelineAttr> toAttribute(const Solution &solution) const;
  FailureOr<Solution> toSolution(PipelineAttr pipeline) const;
  FailureOr<int64_t> lowerBoundCycles() const;
  FailureOr<int64_t> periodCycles(const Solution &solution) const;

private:
  explicit PipelineProblem(ModuleOp module, const Target &target)
      : module(module), target(target) {}

  LogicalResult findVisits();
  LogicalResult readMakespans();
  LogicalResult checkVisits() const;
  FailureOr<int64_t> transferCycles(const Visit &from, StageAttr to) const;
  LogicalResult timeTransfers();
  Task &addTask(const Step &step, unsigned group, EngineKind kind,
                int64_t cycles);
  void numberTasks();
  void addVisit(unsigned visit);
  void addTransfer(unsigned visit);
  void addTasks();
  void addOrder(unsigned visit, int64_t microbatch, Task &task) const;
  unsigned taskOf(unsigned visit, int64_t microbatch) const {
    return firstTask[visit] + static_cast<unsigned>(microbatch);
  }
  bool hasTransfer(unsigned visit) const {
    return visit + 1 < visits.size() && visits[visit + 1].stage.getPlace() !=
                                            visits[visit].stage.getPlace();
  }
  int64_t countStages() const { return visits.front().stage.getCount(); }
  int64_t countPlaces() const { return visits.front().stage.countPlaces(); }
  int64_t countMicrobatches() const {
    return visits.front().stage.getMicrobatches();
  }
  bool isTraining() const { return visits.back().stage.getIsBackward(); }
  int64_t longestSpan(const Solution &solution) const;
  /// Whether the tokens of a step are read by the next one.
  bool feedsBack() const;
  std::string nameOf(const Step &step) const;
  InFlightDiagnostic emitPipelineError() const {
    return emitError(ModuleOp(module).getLoc()) << "S13: the pipeline ";
  }

  ModuleOp module;
  const Target &target;
  std::vector<Visit> visits; ///< on the way of a microbatch
  std::vector<unsigned> firstTask, firstTransfer; ///< of each visit
  std::vector<Step> steps;                        ///< of each task
  int64_t returnCycles = 0; ///< of the last results to the first stage
  Problem problem;
};
} // namespace

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

LogicalResult PipelineProblem::readMakespans() {
  for (Visit &visit : visits) {
    auto schedule = visit.function->getAttrOfType<ScheduleAttr>(
        LlmDialect::scheduleAttrName);
    if (!schedule)
      return emitFunctionError(visit.function)
             << "is a stage of a pipeline and has no schedule; run "
                "--llm-schedule first";
    visit.cycles = schedule.getMakespanCycles();
  }
  return success();
}

/// Checks that there is one function of each stage, and with gradients two.
LogicalResult PipelineProblem::checkVisits() const {
  StageAttr first = visits.front().stage;
  for (auto [index, visit] : llvm::enumerate(visits)) {
    auto place = static_cast<int64_t>(index);
    bool isBackward = place >= first.getCount();
    int64_t number = isBackward ? 2 * first.getCount() - 1 - place : place;
    if (visit.stage.getNumber() != number ||
        visit.stage.getIsBackward() != isBackward ||
        visit.stage.getCount() != first.getCount() ||
        visit.stage.getRounds() != first.getRounds() ||
        visit.stage.getMicrobatches() != first.getMicrobatches())
      return emitFunctionError(visit.function)
             << "has llm.stage = " << visit.stage << ", where stage " << number
             << " of " << first.getCount() << " in " << first.getRounds()
             << (first.getRounds() > 1 ? " rounds" : " round")
             << (isBackward ? ", backward," : "")
             << " with " << first.getMicrobatches()
             << " microbatches follows: a module has one pipeline, with one "
                "function of each stage";
  }
  int64_t last = static_cast<int64_t>(visits.size());
  if (last != first.getCount() && last != 2 * first.getCount())
    return emitFunctionError(visits.back().function)
           << "is the last of " << last << " functions of a pipeline of "
           << first.getCount()
           << " stages: there must be one of each stage, and with backward "
              "ones two";
  return success();
}

LogicalResult PipelineProblem::findVisits() {
  for (FunctionOpInterface function : functionsWithBody(module))
    if (auto stage =
            function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName))
      visits.push_back({function, stage});
  llvm::stable_sort(visits, [](const Visit &a, const Visit &b) {
    auto place = [](StageAttr stage) {
      return stage.getIsBackward() ? 2 * stage.getCount() - stage.getNumber()
                                   : stage.getNumber();
    };
    return place(a.stage) < place(b.stage);
  });
  if (visits.empty())
    return success();
  return success(succeeded(readMakespans()) && succeeded(checkVisits()));
}

//===----------------------------------------------------------------------===//
// What is handed on
//===----------------------------------------------------------------------===//

/// Returns the nearest link that joins all chips of two places.
static const Link *findLinkBetween(const Target &target, int64_t stride,
                                   int64_t from, int64_t to) {
  int64_t first = std::min(from, to) * stride,
          last = (std::max(from, to) + 1) * stride - 1;
  const Link *link = target.findLink(last - first + 1);
  while (link && first / link->devices != last / link->devices)
    link = target.findLink(link->devices + 1);
  return link;
}

/// A chip sends its results to its peer in the other stage: half of what two
/// chips gather.
FailureOr<int64_t> PipelineProblem::transferCycles(const Visit &from,
                                                   StageAttr to) const {
  Count bytes = int64_t(0);
  FunctionOpInterface function = from.function;
  for (Type type : function.getResultTypes())
    bytes = plus(bytes, storageBytes(type));
  constexpr int64_t most = maxCount / 2;
  if (failed(bytes) || *bytes > most)
    return emitFunctionError(function) << "hands on more than 2^60 bytes";
  if (*bytes == 0)
    return 0;
  GridAttr grid = GridAttr::ofModule(module);
  int64_t stride = grid ? grid.countChips() / countPlaces() : 1;
  const Link *link = findLinkBetween(target, stride, from.stage.getPlace(),
                                     to.getPlace());
  if (!link)
    return emitFunctionError(function)
           << "hands values to stage " << to.getNumber()
           << ", and no link of target '" << target.name << "' joins the chips of both";
  CollectiveTime time =
      timeCollective(CollectiveKind::AllGather, 2, 2 * *bytes, *link,
                     double(target.dram().usableBytesPerSecond()));
  double cycles = std::ceil(time.nanoseconds * double(target.clockHz) / 1e9);
  if (!(cycles <= double(maxCount)))
    return emitFunctionError(function) << "hands values on for too many cycles";
  return static_cast<int64_t>(cycles);
}

LogicalResult PipelineProblem::timeTransfers() {
  for (unsigned index = 0; index < visits.size(); ++index) {
    if (!hasTransfer(index))
      continue;
    FailureOr<int64_t> cycles =
        transferCycles(visits[index], visits[index + 1].stage);
    if (failed(cycles))
      return failure();
    visits[index].transferCycles = *cycles;
  }
  if (!feedsBack() || countPlaces() == 1)
    return success();
  FailureOr<int64_t> cycles =
      transferCycles(visits.back(), visits.front().stage);
  if (failed(cycles))
    return failure();
  returnCycles = *cycles;
  return success();
}

bool PipelineProblem::feedsBack() const {
  FunctionOpInterface last = visits.back().function;
  auto program = last->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  return program && program.getPhase() != Phase::Prefill;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::string PipelineProblem::nameOf(const Step &step) const {
  std::string name = symbolOf(visits[step.visit].function).str();
  if (step.isTransfer)
    name += " to " + symbolOf(visits[step.visit + 1].function).str();
  return name + ", microbatch " + std::to_string(step.microbatch);
}

/// 1F1B (PipeDream-Flush): stage s of P computes no more than P - s
/// microbatches ahead of their gradients.
void PipelineProblem::addOrder(unsigned visit, int64_t microbatch,
                               Task &task) const {
  if (!isTraining() || visits[visit].stage.getIsBackward())
    return;
  int64_t ahead = countStages() - visits[visit].stage.getNumber();
  auto gradients = static_cast<unsigned>(visits.size()) - 1 - visit;
  if (microbatch >= ahead)
    task.predecessors.push_back(taskOf(gradients, microbatch - ahead));
}

static scheduling::EngineGroup makeEngine(const Twine &name, EngineKind kind) {
  scheduling::EngineGroup engine;
  engine.name = name.str();
  engine.kinds = EngineKindSet();
  engine.kinds.insert(kind);
  return engine;
}

/// Adds a task of one part for the step on an engine of its own group.
Task &PipelineProblem::addTask(const Step &step, unsigned group,
                               EngineKind kind, int64_t cycles) {
  Task task;
  task.name = nameOf(step);
  task.kinds.insert(kind);
  task.group = group;
  task.parts.emplace_back();
  task.parts.front().computeCycles = cycles;
  steps.push_back(step);
  problem.tasks.push_back(std::move(task));
  return problem.tasks.back();
}

/// Numbers the tasks, so that each can name those that others add later.
void PipelineProblem::numberTasks() {
  auto microbatches = static_cast<unsigned>(countMicrobatches());
  unsigned next = 0;
  for (unsigned visit = 0; visit < visits.size(); ++visit) {
    firstTask.push_back(next);
    next += microbatches;
    firstTransfer.push_back(next);
    next += hasTransfer(visit) ? microbatches : 0;
  }
}

void PipelineProblem::addVisit(unsigned visit) {
  auto place = static_cast<unsigned>(visits[visit].stage.getPlace());
  for (int64_t each = 0; each < countMicrobatches(); ++each) {
    Task &task = addTask({visit, false, each}, place, EngineKind::Matrix,
                         visits[visit].cycles);
    if (visit > 0)
      task.predecessors.push_back(
          (hasTransfer(visit - 1) ? firstTransfer : firstTask)[visit - 1] +
          static_cast<unsigned>(each));
    addOrder(visit, each, task);
  }
}

void PipelineProblem::addTransfer(unsigned visit) {
  problem.engines.push_back(makeEngine(
      "from " + symbolOf(visits[visit].function), EngineKind::Network));
  auto link = static_cast<unsigned>(problem.engines.size() - 1);
  for (int64_t each = 0; each < countMicrobatches(); ++each)
    addTask({visit, true, each}, link, EngineKind::Network,
            visits[visit].transferCycles)
        .predecessors.push_back(taskOf(visit, each));
}

void PipelineProblem::addTasks() {
  problem.clockHz = target.clockHz;
  for (int64_t place = 0; place < countPlaces(); ++place)
    problem.engines.push_back(
        makeEngine("stage" + Twine(place), EngineKind::Matrix));
  numberTasks();
  for (unsigned visit = 0; visit < visits.size(); ++visit) {
    addVisit(visit);
    if (hasTransfer(visit))
      addTransfer(visit);
  }
}

FailureOr<std::optional<PipelineProblem>>
PipelineProblem::of(ModuleOp module, const Target &target) {
  PipelineProblem made(module, target);
  if (failed(made.findVisits()))
    return failure();
  if (made.visits.empty())
    return std::optional<PipelineProblem>();
  if (failed(made.timeTransfers()))
    return failure();
  made.addTasks();
  return std::optional(std::move(made));
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

FailureOr<int64_t> PipelineProblem::lowerBoundCycles() const {
  auto bounds = scheduling::lowerBounds(problem);
  if (!bounds)
    return emitPipelineError() << "takes more than 2^61 - 1 cycles";
  return scheduling::largestBound(*bounds);
}

/// The longest time from the first to the last cycle of an engine; in a decode,
/// of a microbatch, too, with the way of its tokens.
int64_t PipelineProblem::longestSpan(const Solution &solution) const {
  struct Span {
    int64_t begin = maxCount, end = 0;
    void add(const Slot &slot) {
      begin = std::min(begin, slot.start);
      end = std::max(end, slot.end);
    }
  };
  std::vector<Span> engines(problem.engines.size()),
      ways(static_cast<size_t>(countMicrobatches()));
  for (const Slot &slot : solution.slots) {
    engines[slot.engine.group].add(slot);
    ways[static_cast<size_t>(steps[slot.task].microbatch)].add(slot);
  }
  int64_t longest = 0;
  for (const Span &span : engines)
    longest = std::max(longest, span.end - span.begin);
  if (feedsBack())
    for (const Span &span : ways)
      longest = std::max(longest, span.end - span.begin + returnCycles);
  return longest;
}

/// Rounds of microbatches can follow each other in this time: with a start
/// every t cycles, where t is the longest stage or transfer, each stage is free
/// when the next microbatch comes. A stage of a decode also waits for the
/// tokens of its microbatch. Gradients are added up before the next round
/// begins. Chips with several stages do the next round as they did this one, as
/// soon as none of them is in both.
FailureOr<int64_t>
PipelineProblem::periodCycles(const Solution &solution) const {
  if (isTraining())
    return solution.makespan;
  if (countPlaces() < countStages())
    return longestSpan(solution);
  int64_t longest = returnCycles;
  std::optional<int64_t> way = returnCycles;
  for (const Visit &visit : visits)
    for (int64_t cycles : {visit.cycles, visit.transferCycles}) {
      longest = std::max(longest, cycles);
      way = way ? checkedAdd(*way, cycles) : std::nullopt;
    }
  std::optional<int64_t> round = checkedMul(longest, countMicrobatches());
  if (!round || !way)
    return emitPipelineError() << "takes more than 2^61 - 1 cycles";
  return feedsBack() ? std::max(*round, *way) : *round;
}

//===----------------------------------------------------------------------===//
// To and from the module
//===----------------------------------------------------------------------===//

static FlatSymbolRefAttr symbolRefOf(FunctionOpInterface function) {
  return FlatSymbolRefAttr::get(function->getContext(), symbolOf(function));
}

FailureOr<PipelineAttr>
PipelineProblem::toAttribute(const Solution &solution) const {
  FailureOr<int64_t> bound = lowerBoundCycles(),
                     period = periodCycles(solution);
  if (failed(bound) || failed(period))
    return failure();
  std::vector<const Slot *> slotOf(steps.size());
  for (const Slot &slot : solution.slots)
    slotOf[slot.task] = &slot;
  SmallVector<StageSlotAttr> slots;
  MLIRContext *context = ModuleOp(module).getContext();
  for (auto [step, slot] : llvm::zip_equal(steps, slotOf))
    slots.push_back(StageSlotAttr::get(
        context, symbolRefOf(visits[step.visit].function),
        step.isTransfer ? symbolRefOf(visits[step.visit + 1].function)
                        : FlatSymbolRefAttr(),
        step.microbatch, slot->start, slot->end));
  return PipelineAttr::get(context, solution.makespan, *bound, *period, slots);
}

FailureOr<Solution> PipelineProblem::toSolution(PipelineAttr pipeline) const {
  llvm::StringMap<unsigned> taskOfName;
  for (auto [task, step] : llvm::enumerate(steps))
    taskOfName[nameOf(step)] = static_cast<unsigned>(task);
  Solution solution;
  for (StageSlotAttr slot : pipeline.getSlots()) {
    std::string name = slot.getFunction().getValue().str();
    if (slot.getTo())
      name += (" to " + slot.getTo().getValue()).str();
    name += ", microbatch " + std::to_string(slot.getMicrobatch());
    auto known = taskOfName.find(name);
    if (known == taskOfName.end())
      return emitPipelineError()
             << "has a slot for " << name << ", which is no stage or way of it";
    Slot read;
    read.task = known->second;
    read.engine.group = *problem.tasks[read.task].group;
    read.start = slot.getStartCycle();
    read.end = slot.getEndCycle();
    solution.makespan = std::max(solution.makespan, read.end);
    solution.slots.push_back(std::move(read));
  }
  return solution;
}

LogicalResult mlir::llm::schedulePipeline(ModuleOp module,
                                          const Target &target) {
  auto found = PipelineProblem::of(module, target);
  if (failed(found))
    return failure();
  module->removeAttr(LlmDialect::pipelineAttrName);
  if (!*found)
    return success();
  const PipelineProblem &pipeline = **found;
  std::optional<Solution> solution = scheduling::scheduleList(pipeline.get());
  if (!solution)
    return emitError(module.getLoc())
           << "the pipeline takes more than 2^61 - 1 cycles";
  FailureOr<PipelineAttr> made = pipeline.toAttribute(*solution);
  if (failed(made))
    return failure();
  module->setAttr(LlmDialect::pipelineAttrName, *made);
  return verifyPipeline(module, target);
}

//===----------------------------------------------------------------------===//
// The judge
//===----------------------------------------------------------------------===//

LogicalResult mlir::llm::verifyPipeline(ModuleOp module, const Target &target) {
  auto said = module->getAttrOfType<PipelineAttr>(LlmDialect::pipelineAttrName);
  auto found = PipelineProblem::of(module, target);
  if (failed(found))
    return failure();
  if (!*found && !said)
    return success();
  auto emitPipelineError = [&] {
    return emitError(module.getLoc()) << "S13: ";
  };
  if (!*found)
    return emitPipelineError()
           << "the module has llm.pipeline, and no function is a stage";
  if (!said)
    return emitPipelineError() << "functions are stages, and the module has no "
                                  "llm.pipeline; run --llm-schedule first";
  const PipelineProblem &pipeline = **found;
  FailureOr<Solution> solution = pipeline.toSolution(said);
  if (failed(solution))
    return failure();
  auto violations = scheduling::verify(pipeline.get(), *solution);
  for (const scheduling::Violation &violation : violations) {
    // A way has one slot, for the chips that send and those that receive.
    bool isOfWay = violation.task < pipeline.get().tasks.size() &&
                   pipeline.get().tasks[violation.task].kinds.contains(
                       EngineKind::Network);
    emitError(module.getLoc())
        << (isOfWay ? "S12" : "S13") << ": " << violation.message;
  }
  if (!violations.empty())
    return failure();
  FailureOr<int64_t> bound = pipeline.lowerBoundCycles(),
                     period = pipeline.periodCycles(*solution);
  if (failed(bound) || failed(period))
    return failure();
  std::tuple<StringRef, int64_t, int64_t> figures[] = {
      {"makespan_cycles", said.getMakespanCycles(), solution->makespan},
      {"lower_bound_cycles", said.getLowerBoundCycles(), *bound},
      {"period_cycles", said.getPeriodCycles(), *period}};
  for (auto [name, written, derived] : figures)
    if (written != derived)
      return emitPipelineError() << "llm.pipeline says " << name << " = "
                                 << written << ", derived is " << derived;
  return success();
}
