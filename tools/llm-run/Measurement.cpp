//===- Measurement.cpp - Runs of a program beside its prediction ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"
#include "llm/Planning/MeasuredSchedule.h"
#include "llm/Target/Host.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Before the run
//===----------------------------------------------------------------------===//

static LogicalResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  return manager.run(module);
}

/// The module with nothing but that function.
static OwningOpRef<ModuleOp> cloneWith(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(module->clone());
  for (auto other : llvm::make_early_inc_range(clone->getOps<func::FuncOp>()))
    if (other.getName() != function.getName() && !other.isExternal())
      other.erase();
  return clone;
}

static LogicalResult bindSizes(ModuleOp module,
                               const llvm::StringMap<int64_t> &sizes) {
  if (sizes.empty())
    return success();
  LlmBindShapesPassOptions options;
  for (const auto &[name, size] : sizes)
    options.sizes.push_back((name + "=" + Twine(size)).str());
  llvm::sort(options.sizes);
  return runPass(module, createLlmBindShapesPass(options));
}

/// This machine with the cores that the program runs on.
static FailureOr<Target> readCores(unsigned threads, Location loc) {
  HostSources sources = hostSources();
  if (sources.cpus.size() > threads)
    sources.cpus.resize(threads);
  return readHost(sources, [&] { return emitError(loc); });
}

FailureOr<Measurement>
Measurement::prepare(func::FuncOp function,
                     const llvm::StringMap<int64_t> &sizes, unsigned threads) {
  Measurement own;
  own.threads = threads;
  own.name = function.getName().str();
  own.measured = cloneWith(function);
  ModuleOp module = *own.measured;
  if (failed(bindSizes(module, sizes)))
    return failure();
  if (!hasTarget(module)) {
    FailureOr<Target> host = readCores(threads, function.getLoc());
    if (failed(host))
      return failure();
    writeTarget(module, *host);
  }
  FailureOr<Target> target = readTarget(module);
  if (failed(target))
    return failure();
  own.target = std::make_unique<Target>(std::move(*target));
  if (failed(own.plan()))
    return failure();
  return own;
}

LogicalResult Measurement::plan() {
  auto function = measured->lookupSymbol<func::FuncOp>(name);
  bool isScheduled = function->hasAttr(LlmDialect::scheduleAttrName);
  if (!isScheduled && failed(runPass(*measured, createLlmTilePass())))
    return failure();
  predicted = cast<ModuleOp>((*measured)->clone());
  if (!isScheduled && failed(runPass(*predicted, createLlmSchedulePass())))
    return failure();
  // Threads share an op as engines share its parts.
  if (threads > 1)
    measured = cast<ModuleOp>((*predicted)->clone());
  FailureOr<Report> report =
      Report::create(predicted->lookupSymbol<func::FuncOp>(name), *target);
  if (failed(report))
    return failure();
  predictedReport = std::move(*report);
  return success();
}

//===----------------------------------------------------------------------===//
// Behind it
//===----------------------------------------------------------------------===//

void Measurement::add(std::vector<RecordedRun> runs) {
  allRuns.push_back(std::move(runs));
}

static double nanosecondsOf(ArrayRef<RecordedRun> runs) {
  return runs.empty() ? 0
                      : double(runs.back().endNanoseconds -
                               runs.front().startNanoseconds);
}

/// Of each op, one run of it on average.
static std::vector<double> averageRuns(ArrayRef<RecordedRun> runs,
                                       const Program &program) {
  std::vector<double> sums(program.ops().size());
  for (const RecordedRun &run : runs)
    if (run.op >= 0)
      sums[run.op] += double(run.endNanoseconds - run.startNanoseconds);
  for (auto [sum, op] : llvm::zip_equal(sums, program.ops()))
    sum /= double(op.count);
  return sums;
}

static double takeMedian(std::vector<double> numbers) {
  auto middle = numbers.begin() + numbers.size() / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

LogicalResult Measurement::finish() {
  auto function = measured->lookupSymbol<func::FuncOp>(name);
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  std::vector<std::vector<double>> ofRuns;
  for (const std::vector<RecordedRun> &runs : allRuns)
    ofRuns.push_back(averageRuns(runs, *program));
  std::vector<double> medians;
  for (size_t op = 0; op < program->ops().size(); ++op) {
    std::vector<double> ofOp;
    for (const std::vector<double> &run : ofRuns)
      ofOp.push_back(run[op]);
    medians.push_back(takeMedian(std::move(ofOp)));
  }
  std::string maker = "median of " + std::to_string(allRuns.size()) +
                      (allRuns.size() == 1 ? " run" : " runs");
  if (failed(writeMeasuredSchedule(*program, *target, medians, threads, maker)))
    return failure();
  FailureOr<Report> report = Report::create(function, *target);
  if (failed(report))
    return failure();
  measuredReport = std::move(*report);
  llvm::stable_sort(allRuns, [](const auto &a, const auto &b) {
    return nanosecondsOf(a) < nanosecondsOf(b);
  });
  medianRun = std::move(allRuns[allRuns.size() / 2]);
  return success();
}

double Measurement::getWallMicroseconds() const {
  return nanosecondsOf(medianRun) * 1e-3;
}

double Measurement::getBetweenMicroseconds() const {
  double nanoseconds = 0;
  for (const RecordedRun &run : medianRun)
    if (run.op < 0)
      nanoseconds += double(run.endNanoseconds - run.startNanoseconds);
  return nanoseconds * 1e-3;
}
