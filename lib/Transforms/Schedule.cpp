//===- Schedule.cpp - Give every op an engine, a start and an end ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "Improvement.h"
#include "OptionValues.h"
#include "ProgramPass.h"
#include "llm/Console/Interrupts.h"
#include "llm/Cost/Roofline.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/Capacity.h"
#include "llm/Planning/PipelineSchedule.h"
#include "llm/Planning/PlaceItems.h"
#include "llm/Planning/ProgramBounds.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMSCHEDULEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

using scheduling::ExactOptions;
using scheduling::ExactResult;
using scheduling::Problem;
using scheduling::Solution;
using scheduling::TryReport;

static StringRef nameOf(SchedulePolicy policy) {
  switch (policy) {
  case SchedulePolicy::List:
    return "list";
  case SchedulePolicy::Earliest:
    return "earliest";
  case SchedulePolicy::Exact:
    return "exact";
  }
  llvm_unreachable("all policies have a name");
}

static constexpr StringLiteral takes = "has a schedule that takes";

namespace {
struct ScheduleOptions {
  SchedulePolicy policy = SchedulePolicy::List;
  ExactOptions exact;
  bool cutsOps = true;
  bool cutsReductions = true;
  bool prefetches = true;
  std::optional<ImproveLimit> improve;
  uint32_t seed = 1;

  /// The options that forbid schedules, as a user writes them; empty if there
  /// are none.
  std::string describeRestrictions() const {
    SmallVector<StringRef> all;
    if (!cutsOps)
      all.push_back("granularity=op");
    if (!cutsReductions)
      all.push_back("split-reductions=false");
    if (!prefetches)
      all.push_back("prefetch=false");
    return llvm::join(all, " ");
  }
};

/// A stretch of a program on a machine.
struct Scheduled {
  SplitProblem split;
  Solution solution;
  /// A lower bound of the problem, if it was looked for.
  std::optional<int64_t> lowerBoundCycles = std::nullopt;
};

/// Schedules one function: stretch by stretch, loops as barriers.
class FunctionScheduler {
public:
  FunctionScheduler(const Program &program, const Target &target,
                    ScheduleOptions options)
      : program(program), target(target), options(options),
        restrictions(options.describeRestrictions()),
        line(program.function().getContext(), symbolOf(program.function()),
             program.ops().size()),
        maker(program, target) {
    if (options.improve)
      improvement.emplace(program.ops().size(), *options.improve, options.seed,
                          line);
    if (options.policy == SchedulePolicy::Exact)
      exact.emplace(options.exact, line);
  }

  LogicalResult run();

private:
  FailureOr<int64_t> placeStretch(ArrayRef<unsigned> stretch, int64_t start);
  void restrict(Problem &problem) const;
  /// `lowerBoundCycles` is that of the problem, if it is known.
  FailureOr<Solution> solve(const Problem &problem,
                            std::optional<int64_t> lowerBoundCycles);
  /// Schedules with at most so many engines in each group. Returns nothing if
  /// no such schedule is shorter than `wanted`. Searches briefly, and then on
  /// if `isWorthMore`, unless the result is far above `wanted`. If nothing is
  /// found that is of use, the makespan is `INT64_MAX`.
  FailureOr<std::optional<Scheduled>>
  scheduleOnFewer(ArrayRef<unsigned> stretch, int64_t engines, int64_t wanted,
                  bool isWorthMore);
  /// Takes a schedule for fewer engines, one of `counts`, if it is shorter.
  /// With fewer engines, ops are cut and parts started in other ways, which a
  /// search for all engines may not find. The caller has no use for a schedule
  /// that is not shorter than `wanted` cycles.
  LogicalResult tryFewerEngines(ArrayRef<unsigned> stretch,
                                ArrayRef<int64_t> counts, int64_t wanted,
                                Scheduled &scheduled);
  FailureOr<Solution> solveExactly(const Problem &problem);
  bool wasInterrupted() const;
  /// Whether the schedule is the same on every machine.
  bool isReproducible() const {
    return (!improvement ||
            (options.improve->isReproducible() && !wasInterrupted())) &&
           (!exact || exact->isReproducible());
  }
  /// Returns who made the schedule and, if it is known, how good it is.
  std::string describeMaker(int64_t makespan, int64_t lowerBoundCycles) const;
  /// The cycles below which the options allow no schedule. It is 0 if no more
  /// is known of these schedules than of all.
  int64_t provenCycles() const {
    if (!exact && restrictions.empty())
      return 0;
    return std::max(exact ? exact->proven() : restrictedBounds.lowerBoundCycles,
                    bounds.lowerBoundCycles);
  }
  void emitRemarks(ScheduleAttr schedule);
  InFlightDiagnostic emitOverflow() {
    return emitTooManyCycles(program, takes);
  }

  const Program &program;
  const Target &target;
  ScheduleOptions options;
  struct Placed {
    Operation *op;
    CostedTile cut;
    SlotsAttr slots;
  };
  SmallVector<Placed> placed;
  ProgramBounds bounds;
  std::string restrictions;
  ProgramBounds restrictedBounds; ///< of what the options allow
  int64_t tripsAround = 1; ///< of the loops around the stretch that is placed
  SearchLine line;
  ProblemMaker maker;
  std::optional<Improvement> improvement;
  std::optional<ExactSearch> exact;
};
} // namespace

/// Removes from the problem what the solver may not use.
void FunctionScheduler::restrict(Problem &problem) const {
  for (scheduling::Task &task : problem.tasks) {
    // Restrictions leave only the ways that are offered, so there are no
    // others.
    if (!restrictions.empty())
      task.least.clear();
    if (!options.cutsOps)
      task.alternatives.clear();
    if (options.prefetches)
      continue;
    auto dropSources = [](std::vector<scheduling::Part> &parts) {
      for (scheduling::Part &part : parts)
        part.sources.clear();
    };
    dropSources(task.parts);
    for (scheduling::Split &alternative : task.alternatives)
      dropSources(alternative.parts);
  }
}

FailureOr<Solution> FunctionScheduler::solveExactly(const Problem &problem) {
  ExactResult result = exact->solve(problem, tripsAround);
  line.takeBack();
  if (!result.hasSolution())
    return emitFunctionError(program.function())
           << "cannot be scheduled with policy=exact: " << result.reason
           << "; use policy=list";
  return std::move(result.solution);
}

FailureOr<Solution>
FunctionScheduler::solve(const Problem &problem,
                         std::optional<int64_t> lowerBoundCycles) {
  if (exact)
    return solveExactly(problem);
  std::optional<Solution> solution =
      options.policy == SchedulePolicy::Earliest
          ? scheduling::scheduleEarliest(problem)
      : improvement ? improvement->solve(problem, tripsAround)
                    : scheduling::scheduleList(
                          problem, [&] { line.showTry(); }, tripsAround,
                          lowerBoundCycles);
  line.takeBack();
  if (!solution)
    return emitOverflow();
  return std::move(*solution);
}

/// Returns the target with at most so many engines in each group that computes.
static Target withFewerEngines(Target target, int64_t most) {
  for (Engine &engine : target.engines)
    if (!engine.kinds.contains(EngineKind::Memory))
      engine.count = std::min(engine.count, most);
  return target;
}

/// Returns numbers of engines below that of the largest group that computes. If
/// there are many, it takes some of them, which are the same for all targets.
static SmallVector<int64_t> fewerEngines(const Target &target) {
  int64_t engines = 1;
  for (const Engine &engine : target.engines)
    if (!engine.kinds.contains(EngineKind::Memory))
      engines = std::max(engines, engine.count);
  SmallVector<int64_t> counts;
  for (int64_t count = 1; count < engines;
       count += count < 8 ? 1 : int64_t(llvm::PowerOf2Ceil(count + 1) / 4))
    counts.push_back(count);
  return counts;
}

/// Stands for a schedule that is too long to be of use.
static Solution noneFound() {
  Solution none;
  none.makespan = INT64_MAX;
  return none;
}

FailureOr<std::optional<Scheduled>>
FunctionScheduler::scheduleOnFewer(ArrayRef<unsigned> stretch, int64_t engines,
                                   int64_t wanted, bool isWorthMore) {
  Target fewer = withFewerEngines(target, engines);
  FailureOr<Problem> machine = maker.makeAsTiled(stretch, fewer);
  if (failed(machine))
    return failure();
  auto bounds = scheduling::lowerBounds(*machine);
  if (!bounds || scheduling::largestBound(*bounds) >= wanted)
    return std::optional<Scheduled>();
  FailureOr<SplitProblem> split =
      maker.makeSplit(stretch, fewer, options.cutsReductions);
  if (failed(split))
    return failure();
  restrict(split->problem);
  auto report = [&] { line.showTry(); };
  // The whole search seldom wins more than 1/100 over the brief one.
  constexpr int64_t much = 100;
  std::optional<Solution> solution = scheduling::scheduleListBriefly(
      split->problem, report,
      isWorthMore ? wanted + wanted / much + 1 : wanted);
  bool searchesOn = isWorthMore && solution;
  if (searchesOn)
    solution = scheduling::scheduleList(split->problem, report, tripsAround);
  line.takeBack();
  if (searchesOn && !solution)
    return emitOverflow();
  if (!solution)
    solution = noneFound();
  std::optional<int64_t> lowerBoundCycles;
  if (restrictions.empty())
    lowerBoundCycles = scheduling::largestBound(*bounds);
  return std::optional(
      Scheduled{std::move(*split), std::move(*solution), lowerBoundCycles});
}

LogicalResult FunctionScheduler::tryFewerEngines(ArrayRef<unsigned> stretch,
                                                 ArrayRef<int64_t> counts,
                                                 int64_t wanted,
                                                 Scheduled &scheduled) {
  if (counts.empty())
    return success();
  if (!scheduled.lowerBoundCycles)
    if (auto bounds = scheduling::lowerBounds(scheduled.split.problem))
      scheduled.lowerBoundCycles = scheduling::largestBound(*bounds);
  bool isNear = scheduled.lowerBoundCycles &&
                scheduling::isNearEnough(scheduled.solution.makespan,
                                         *scheduled.lowerBoundCycles);
  for (; !counts.empty(); counts = counts.drop_back()) {
    wanted = std::min(wanted, scheduled.solution.makespan);
    FailureOr<std::optional<Scheduled>> found = scheduleOnFewer(
        stretch, counts.back(), wanted, /*isWorthMore=*/!isNear);
    if (failed(found))
      return failure();
    if (!*found)
      break; // with still fewer the bound is no lower
    // If the result is not near, this tries what it would try on the smaller
    // machine.
    if (!isNear &&
        failed(tryFewerEngines(stretch, counts.drop_back(), wanted, **found)))
      return failure();
    if ((*found)->solution.makespan < scheduled.solution.makespan)
      scheduled = std::move(**found);
    if (!isNear)
      break;
  }
  return success();
}

bool FunctionScheduler::wasInterrupted() const {
  return (improvement && improvement->wasInterrupted()) ||
         (exact && exact->wasInterrupted());
}

std::string FunctionScheduler::describeMaker(int64_t makespan,
                                             int64_t lowerBoundCycles) const {
  std::string name = nameOf(options.policy).str();
  if (improvement)
    name += ", improved " + options.improve->describe();
  if (exact)
    name += ", " + exact->describe(makespan, lowerBoundCycles);
  if (wasInterrupted())
    name += ", interrupted";
  return name;
}

FailureOr<int64_t> FunctionScheduler::placeStretch(ArrayRef<unsigned> stretch,
                                                   int64_t start) {
  line.enterStretch(stretch.size());
  line.showStretch();
  FailureOr<SplitProblem> split =
      maker.makeSplit(stretch, target, options.cutsReductions);
  if (failed(split))
    return failure();
  ProgramBounds::BoundsOfStretch found =
      scheduling::lowerBounds(split->problem);
  if (failed(bounds.add(program.function(), found, tripsAround)))
    return failure();
  restrict(split->problem);
  if (!exact && !restrictions.empty() &&
      failed(restrictedBounds.add(program.function(),
                                  scheduling::lowerBounds(split->problem),
                                  tripsAround)))
    return failure();
  std::optional<int64_t> lowerBoundCycles;
  if (restrictions.empty())
    lowerBoundCycles = scheduling::largestBound(*found);
  FailureOr<Solution> own = solve(split->problem, lowerBoundCycles);
  if (failed(own))
    return failure();
  Scheduled scheduled{std::move(*split), std::move(*own), lowerBoundCycles};
  if (options.policy == SchedulePolicy::List && !wasInterrupted() &&
      failed(tryFewerEngines(stretch, fewerEngines(target),
                             scheduled.solution.makespan, scheduled)))
    return failure();
  const auto &[problem, choices] = scheduled.split;
  const Solution &solution = scheduled.solution;
  std::optional<int64_t> end = checkedAdd(start, solution.makespan);
  if (!end)
    return emitOverflow();
  // This check keeps a schedule that breaks a rule from ever leaving the pass.
  auto violations = scheduling::verify(problem, solution);
  if (!violations.empty())
    return program.ops()[stretch[violations.front().task]].op->emitOpError()
           << "the scheduler broke rule " << violations.front().rule << ": "
           << violations.front().message;
  Problem resolved = scheduling::resolve(problem, solution);
  SmallVector<SmallVector<const scheduling::Slot *, 1>> slotsOf(stretch.size());
  for (const scheduling::Slot &slot : solution.slots)
    slotsOf[slot.task].push_back(&slot);
  for (auto [task, index] : llvm::enumerate(stretch)) {
    Operation *op = program.ops()[index].op;
    placed.push_back(
        {op, choices[task][solution.choiceOf(task)],
         makeSlots(op->getContext(), resolved, slotsOf[task], start)});
  }
  return *end;
}

void FunctionScheduler::emitRemarks(ScheduleAttr schedule) {
  FunctionOpInterface function = program.function();
  std::string proven;
  if (schedule.getProvenCycles() > 0)
    proven = "; proven are " + std::to_string(schedule.getProvenCycles()) +
             ": " + schedule.describeProven();
  RemarkLock oneAtATime;
  remark::passed(function.getLoc(), remark::RemarkOpts::name("schedule")
                                        .category("llm-schedule")
                                        .function(symbolOf(function)))
      << remark::reason("'{0}' takes {1} cycles with policy {2}; no schedule "
                        "is shorter than {3}{4}",
                        symbolOf(function), schedule.getMakespanCycles(),
                        schedule.getPolicy().getValue(),
                        schedule.getLowerBoundCycles(), proven)
      << remark::metric("makespan_cycles", schedule.getMakespanCycles())
      << remark::metric("lower_bound_cycles", schedule.getLowerBoundCycles());
  if (exact && !exact->unproven().empty())
    remark::missed(function.getLoc(), remark::RemarkOpts::name("proof")
                                          .category("llm-schedule")
                                          .function(symbolOf(function)))
        << remark::reason("'{0}' may have a shorter schedule: {1}",
                          symbolOf(function), exact->unproven());
  if (!isReproducible())
    remark::analysis(function.getLoc(),
                     remark::RemarkOpts::name("not-reproducible")
                         .category("llm-schedule")
                         .function(symbolOf(function)))
        << remark::reason(
               "the search for the schedule of '{0}' ended at a point "
               "in time: another run may give another schedule",
               symbolOf(function));
}

LogicalResult FunctionScheduler::run() {
  FailureOr<PlacedItems> items =
      placeItems(program, takes,
                 [&](ArrayRef<unsigned> stretch, int64_t start, int64_t times) {
                   tripsAround = times;
                   return placeStretch(stretch, start);
                 });
  if (failed(items))
    return failure();
  FailureOr<int64_t> roofline = rooflineCycles(program, target);
  if (failed(roofline))
    return failure();
  bounds.rooflineCycles = *roofline;
  for (const Placed &each : placed) {
    each.op->setAttr(LlmDialect::tileAttrName, each.cut.tile);
    each.op->setAttr(LlmDialect::costAttrName, each.cut.cost);
    each.op->setAttr(LlmDialect::slotsAttrName, each.slots);
  }
  FunctionOpInterface function = program.function();
  MLIRContext *context = function.getContext();
  SmallVector<std::pair<StringRef, int64_t>> byName(bounds.byName.begin(),
                                                    bounds.byName.end());
  std::string maker = describeMaker(items->endCycle, bounds.lowerBoundCycles);
  auto schedule = ScheduleAttr::get(
      context, StringAttr::get(context, maker), items->endCycle,
      bounds.lowerBoundCycles, getAmounts(context, byName),
      bounds.rooflineCycles,
      restrictions.empty() ? StringAttr()
                           : StringAttr::get(context, restrictions),
      provenCycles(), items->loops);
  function->setAttr(LlmDialect::scheduleAttrName, schedule);
  emitRemarks(schedule);
  return success();
}

namespace {
struct LlmSchedulePass
    : ProgramPass<llm::impl::LlmSchedulePassBase<LlmSchedulePass>> {
  using ProgramPass::ProgramPass;

  ::llvm::cl::Option *getAnyOption() override { return &policy; }

  LogicalResult parseImprove(std::optional<ImproveLimit> &limit) {
    if (improve.empty())
      return success();
    limit = ImproveLimit::parse(improve);
    if (!limit)
      return emitPassError(*this, getOperation())
             << "option 'improve' must be a number of evaluations or of "
                "seconds above 0, such as '1000' or '10s', got '"
             << improve.getValue() << "'";
    if (policy != SchedulePolicy::List)
      return emitPassError(*this, getOperation())
             << "option 'improve' starts from policy=list, got policy="
             << nameOf(policy);
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    if (exactNodes < 0 || !(exactSeconds >= 0)) {
      emitPassError(*this, root) << "options 'exact-nodes' and "
                                    "'exact-seconds' must be 0 (no limit) or "
                                    "more, got "
                                 << exactNodes.getValue() << " and "
                                 << std::to_string(exactSeconds.getValue());
      return signalPassFailure();
    }
    std::optional<ImproveLimit> limit;
    if (failed(parseImprove(limit)))
      return signalPassFailure();
    ScheduleOptions options{policy,
                            {exactNodes, exactSeconds},
                            granularity == ScheduleGranularity::Tile,
                            splitReductions,
                            prefetch,
                            limit,
                            seed};
    FailureOr<Target> target = getOrWriteTarget(*this, root);
    if (failed(target) ||
        failed(applyEnginesOption(*this, root, engines, *target)))
      return signalPassFailure();
    std::optional<InterruptNote> note;
    if (limit || policy == SchedulePolicy::Exact)
      note.emplace();
    if (failed(forEachProgram(root, [&](const Program &program) {
          if (failed(checkCosts(program, *target)))
            return failure();
          if (failed(FunctionScheduler(program, *target, options).run()))
            return failure();
          return warnOfExcess(program, *target);
        })))
      return signalPassFailure();
    auto module = dyn_cast<ModuleOp>(root);
    if (module && failed(schedulePipeline(module, *target)))
      signalPassFailure();
  }
};
} // namespace
