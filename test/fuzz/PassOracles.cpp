//===- PassOracles.cpp - What is required of each pass --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassOracles.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Target/Target.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <map>

namespace mlir::llm::fuzz {

namespace {
/// A file that is gone with the process, unless that is killed.
struct TemporaryFile {
  TemporaryFile() {
    ::llvm::SmallString<128> name;
    std::error_code error =
        ::llvm::sys::fs::createTemporaryFile("llm-fuzz", "out", name);
    require(!error, "no temporary file: " + error.message());
    path = name.str().str();
  }
  ~TemporaryFile() { ::llvm::sys::fs::remove(path); }
  std::string path;
};
} // namespace

static StringRef temporaryPath() {
  static TemporaryFile file;
  return file.path;
}

/// What does not fit into the memory is scheduled, with a warning.
static constexpr StringLiteral verifySchedule =
    "llm-verify-schedule{capacity=false}";

LogicalResult PassOracle::runPass(ModuleOp on, StringRef pipeline) {
  PassManager manager(on.getContext());
  auto [head, tail] = pipeline.split('$');
  std::string text = head.str();
  if (head.size() < pipeline.size())
    text += (temporaryPath() + tail).str();
  require(succeeded(parsePassPipeline(text, manager)), "no pipeline: " + text);
  LogicalResult result = manager.run(on);
  judge.judge(result, pipeline);
  return result;
}

void PassOracle::requirePass(ModuleOp on, StringRef pipeline) {
  require(succeeded(runPass(on, pipeline)),
          pipeline + " refuses what was made for it:\n" + print(on));
}

void PassOracle::forget() {
  hasFreshCosts = hasSchedule = false;
  lastCosts = lastSchedule = "";
}

LogicalResult PassOracle::run(StringRef pipeline, StepKind kind) {
  switch (kind) {
  case StepKind::Target:
    forget();
    if (failed(runPass(module, pipeline)))
      return failure();
    require(succeeded(readTarget(module)), "no target behind llm-target");
    return success();
  case StepKind::Rewrite:
    return runRewrite(pipeline);
  case StepKind::Cut:
    forget();
    return runPass(module, pipeline);
  case StepKind::Cost:
    forget();
    if (failed(runPass(module, pipeline)))
      return failure();
    if (!functionsWithBody(module).empty())
      requirePass(module, "llm-verify-cost");
    hasFreshCosts = true;
    lastCosts = pipeline.str();
    return success();
  case StepKind::Schedule:
    if (failed(runPass(module, pipeline)))
      return failure();
    requirePass(module, verifySchedule);
    hasSchedule = true;
    lastSchedule = pipeline.str();
    checkSchedules();
    if (pipeline == "llm-schedule")
      checkListBeatsEarliest();
    return success();
  case StepKind::VerifyCost:
  case StepKind::VerifySchedule:
  case StepKind::Perfetto:
  case StepKind::Report:
  case StepKind::ReportJson:
    return runReadOnly(pipeline, kind);
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Rewrites
//===----------------------------------------------------------------------===//

/// The work of all functions together, or nothing where it cannot be counted.
static std::optional<Totals> sumTotals(ModuleOp module) {
  Totals sum;
  if (failed(
          forEachProgram(module, [&](const Program &program) -> LogicalResult {
            FailureOr<Totals> totals = computeTotals(program);
            if (failed(totals))
              return failure();
            sum.macs += totals->macs;
            sum.weightBytes += totals->weightBytes;
            sum.kvElements += totals->kvElements;
            sum.kvReadBytes += totals->kvReadBytes;
            sum.kvWriteBytes += totals->kvWriteBytes;
            sum.matmulWeightElements += totals->matmulWeightElements;
            return success();
          })))
    return std::nullopt;
  return sum;
}

/// A rewrite says that the values stay: then so does the work.
LogicalResult PassOracle::runRewrite(StringRef pipeline) {
  forget();
  // Each count is below 2^61: sums of three fit.
  if (functionsWithBody(module).size() > 3)
    return runPass(module, pipeline);
  std::optional<Totals> before = sumTotals(module);
  judge.judge(success(before.has_value()), "counting");
  if (failed(runPass(module, pipeline)))
    return failure();
  std::optional<Totals> after = sumTotals(module);
  judge.judge(success(after.has_value()), "counting");
  if (!before || !after)
    return success();
  auto same = [&](StringRef what, int64_t a, int64_t b) {
    require(a == b,
            pipeline + " makes " + Twine(b) + " " + what + " of " + Twine(a));
  };
  same("macs", before->macs, after->macs);
  same("weight bytes", before->weightBytes, after->weightBytes);
  same("weights of products", before->matmulWeightElements,
       after->matmulWeightElements);
  same("cached elements", before->kvElements, after->kvElements);
  same("bytes read", before->kvReadBytes, after->kvReadBytes);
  same("bytes written", before->kvWriteBytes, after->kvWriteBytes);
  return success();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static ScheduleAttr scheduleOf(FunctionOpInterface function) {
  return function->getAttrOfType<ScheduleAttr>(LlmDialect::scheduleAttrName);
}

/// What holds of every schedule that llm-verify-schedule accepts.
void PassOracle::checkSchedules() {
  for (FunctionOpInterface function : functionsWithBody(module)) {
    ScheduleAttr schedule = scheduleOf(function);
    require(bool(schedule), "a function without a schedule");
    int64_t lower = schedule.getLowerBoundCycles();
    require(lower <= schedule.getMakespanCycles(),
            "a makespan below the lower bound:\n" + print(module));
    // The closed form leaves out some of the bytes.
    if (hasFreshCosts && lastCosts == "llm-tile")
      require(schedule.getRooflineCycles() <= schedule.getMakespanCycles(),
              "a makespan below the roofline:\n" + print(module));
    for (NamedAttribute bound : schedule.getBounds())
      require(getAmount(schedule.getBounds(), bound.getName()) <= lower,
              "a bound above the lower bound:\n" + print(module));
  }
  if (isShortTrace())
    checkAbsoluteTime(module, judge);
}

/// Policy `list` keeps the shortest of several, `earliest` among them.
void PassOracle::checkListBeatsEarliest() {
  OwningOpRef<ModuleOp> other(module.clone());
  if (failed(runPass(*other, "llm-schedule{policy=earliest}")))
    return;
  for (auto [mine, its] :
       llvm::zip_equal(functionsWithBody(module), functionsWithBody(*other)))
    require(scheduleOf(mine).getMakespanCycles() <=
                scheduleOf(its).getMakespanCycles(),
            "policy list is worse than earliest:\n" + print(module));
}

//===----------------------------------------------------------------------===//
// Passes that change nothing
//===----------------------------------------------------------------------===//

LogicalResult PassOracle::runReadOnly(StringRef pipeline, StepKind kind) {
  std::string before = print(module);
  bool isVerifier =
      kind == StepKind::VerifyCost || kind == StepKind::VerifySchedule;
  LogicalResult result =
      isVerifier ? runPass(module, pipeline) : runExport(pipeline, kind);
  require(before == print(module), pipeline + " changes the module");
  if (failed(result))
    return failure();
  hasFreshCosts |= kind == StepKind::VerifyCost;
  hasSchedule |= kind == StepKind::VerifySchedule;
  if (kind == StepKind::VerifySchedule)
    checkSchedules();
  return success();
}

/// Whether a trace of the module's program is one that a fuzzer can wait for:
/// each run of each op is a slice.
bool PassOracle::isShortTrace() {
  constexpr int64_t maxSlices = 2000, maxTracks = 4096;
  int64_t slices = 0;
  LogicalResult counted =
      forEachProgram(module, [&](const Program &program) -> LogicalResult {
        for (const ProgramOp &entry : program.ops())
          if (auto slots =
                  entry.op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName))
            for (SlotRunAttr run : slots.getRuns())
              slices =
                  checkedAdd(slices, checkedMul(entry.count, run.getCount())
                                         .value_or(maxSlices))
                      .value_or(maxSlices);
        return success();
      });
  judge.judge(counted, "counting slices");
  if (!hasTarget(module))
    return slices < maxSlices;
  int64_t tracks = 0;
  FailureOr<Target> target = readTarget(module);
  judge.judge(target, "reading the target");
  if (succeeded(target))
    for (const Engine &engine : target->engines)
      tracks += engine.count;
  return slices < maxSlices && tracks < maxTracks;
}

static ::llvm::json::Value readExport(StringRef pipeline) {
  auto file = ::llvm::MemoryBuffer::getFile(temporaryPath());
  require(bool(file), "the export is not there");
  ::llvm::Expected<::llvm::json::Value> json =
      ::llvm::json::parse((*file)->getBuffer());
  if (!json)
    require(false, pipeline + " wrote what is not JSON: " +
                       ::llvm::toString(json.takeError()));
  return std::move(*json);
}

/// Slices that share a track do not overlap, in whole nanoseconds, but for
/// those that lie around parts.
static void checkTrace(const ::llvm::json::Value &trace) {
  // By category, too: modules lie in layers.
  using Track = std::pair<int64_t, bool>;
  std::map<Track, std::vector<std::pair<int64_t, int64_t>>> tracks;
  const ::llvm::json::Array *events =
      trace.getAsObject() ? trace.getAsObject()->getArray("traceEvents")
                          : trace.getAsArray();
  require(events, "a trace without events");
  for (const ::llvm::json::Value &value : *events) {
    const ::llvm::json::Object &event = *value.getAsObject();
    if (event.getString("ph") != "X" || event.getString("cat") == "parts")
      continue;
    auto nanoseconds = [&](StringRef key) {
      return std::llround(event.getNumber(key).value_or(-1) * 1000);
    };
    int64_t start = nanoseconds("ts"), length = nanoseconds("dur");
    require(start >= 0 && length >= 0, "a slice before the start");
    // Later ones are not whole numbers of nanoseconds in a double.
    constexpr int64_t lastExact = int64_t(1) << 50;
    Track track = {event.getInteger("tid").value_or(-1),
                   event.getString("cat") == "module"};
    if (length > 0 && start + length < lastExact)
      tracks[track].emplace_back(start, start + length);
  }
  for (auto &[track, slices] : tracks) {
    ::llvm::sort(slices);
    for (auto [before, after] : ::llvm::zip(slices, ::llvm::drop_begin(slices)))
      require(before.second <= after.first,
              "slices overlap on track " + Twine(track.first));
  }
}

LogicalResult PassOracle::runExport(StringRef pipeline, StepKind kind) {
  if (kind == StepKind::Perfetto && !isShortTrace())
    return success();
  LogicalResult result = runPass(module, pipeline);
  bool isReport = kind != StepKind::Perfetto;
  // Sums over runs that are side by side may be too large where none of the
  // figures is.
  if (isReport && hasFreshCosts && hasSchedule)
    require(succeeded(result) || judge.lastError().contains("64 bits"),
            pipeline + " refuses a fresh schedule (" + judge.lastError() +
                "):\n" + print(module));
  if (failed(result))
    return failure();
  if (kind == StepKind::Report || functionsWithBody(module).empty())
    return success();
  ::llvm::json::Value json = readExport(pipeline);
  if (kind == StepKind::Perfetto && hasSchedule)
    checkTrace(json);
  return success();
}

void PassOracle::checkRoundTrip() {
  OwningOpRef<ModuleOp> again = writeAndRead(module, judge);
  if (functionsWithBody(*again).empty())
    return;
  if (hasFreshCosts)
    requirePass(*again, "llm-verify-cost");
  if (hasSchedule)
    requirePass(*again, verifySchedule);
  if (hasFreshCosts && !lastCosts.empty() && !hasSchedule)
    checkRepeats(*again, lastCosts);
  if (hasSchedule && !lastSchedule.empty())
    checkRepeats(*again, lastSchedule);
}

/// What a pass writes must not hang on addresses, which differ in `again`.
void PassOracle::checkRepeats(ModuleOp again, StringRef pipeline) {
  requirePass(again, pipeline);
  require(print(module) == print(again),
          pipeline + " writes something else the second time:\n" +
              print(module) + "\nis not\n" + print(again));
}

} // namespace mlir::llm::fuzz
