//===- Measurement.cpp - Runs of a program beside its prediction ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measurement.h"
#include "llm/Console/Interrupts.h"
#include "llm/Target/Host.h"

#include <chrono>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
/// Puts other data into the caches, as the other layers of a model do before
/// the layer that is measured. A block alone would find its own weights there.
class CacheEviction {
public:
  CacheEviction() {
    // This is twice the cache, because caches do not always replace the oldest
    // lines.
    constexpr int64_t least = int64_t(64) << 20, most = int64_t(1) << 30;
    int64_t bytes = readCacheBytes(hostSources()).value_or(least);
    others.resize(std::clamp(2 * std::min(bytes, most), least, most));
  }

  void evict() {
    constexpr size_t lineBytes = 64;
    for (size_t at = 0; at < others.size(); at += lineBytes)
      *static_cast<volatile char *>(&others[at]) = 1;
  }

private:
  std::vector<char> others;
};
} // namespace

std::vector<HostTensor>
llm::runRepeatedly(function_ref<std::vector<HostTensor>()> run,
                   Repetition often, const Chips &chips,
                   function_ref<void(double)> onRun) {
  using Clock = std::chrono::steady_clock;
  std::optional<CacheEviction> caches;
  if (often.isCold)
    caches.emplace();
  std::vector<HostTensor> results;
  auto measured = static_cast<uint64_t>(often.repeat);
  for (uint64_t left = often.warmup + measured; left > 0; --left) {
    if (caches)
      caches->evict();
    bool isInterrupted = chips.doesAnySay(InterruptNote::isNoted());
    auto start = Clock::now();
    results = run();
    std::chrono::duration<double, std::micro> passed = Clock::now() - start;
    isInterrupted |= chips.doesAnySay(InterruptNote::isNoted());
    if (left > measured && !isInterrupted)
      continue; // this run only warms up
    onRun(passed.count());
    if (isInterrupted)
      break;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Before them
//===----------------------------------------------------------------------===//

/// Returns this machine as a target, with the cores that the program runs on.
/// Each chip of a cut program has as many of its own, if there are so many.
static FailureOr<Target> readCores(unsigned threads, int64_t chips,
                                   Location loc) {
  HostSources sources = hostSources();
  sources.processes = chips;
  if (sources.cpus.size() > threads)
    sources.cpus.resize(threads);
  return readHost(sources, [&] { return emitError(loc); });
}

FailureOr<Measurement>
Measurement::prepare(func::FuncOp function,
                     const llvm::StringMap<int64_t> &sizes, unsigned threads,
                     int64_t chips) {
  std::vector<std::string> texts;
  for (const auto &[name, size] : sizes)
    texts.push_back((name + "=" + Twine(size)).str());
  llvm::sort(texts);
  FailureOr<PlannedFunction> planned = PlannedFunction::create(
      function, texts,
      [&] { return readCores(threads, chips, function.getLoc()); }, threads);
  if (failed(planned))
    return failure();
  return Measurement(std::move(*planned));
}

//===----------------------------------------------------------------------===//
// Behind them
//===----------------------------------------------------------------------===//

/// Returns the average time of each op's runs.
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

double llm::takeMedian(std::vector<double> numbers) {
  auto middle = numbers.begin() + numbers.size() / 2;
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

LogicalResult Measurement::finish(size_t run) {
  shown = run;
  const Program &program = *planned.getPredicted().program;
  std::vector<std::vector<double>> ofRuns;
  for (const auto &ofChips : allRuns)
    ofRuns.push_back(averageRuns(ofChips.front(), program));
  std::vector<double> medians;
  for (size_t op = 0; op < program.ops().size(); ++op) {
    std::vector<double> ofOp;
    for (const std::vector<double> &each : ofRuns)
      ofOp.push_back(each[op]);
    medians.push_back(takeMedian(std::move(ofOp)));
  }
  std::string maker = "median of " + std::to_string(allRuns.size()) +
                      (allRuns.size() == 1 ? " run" : " runs");
  return planned.setMeasured(medians, maker);
}

std::pair<int64_t, int64_t> Measurement::getNanosecondsOf(size_t run) const {
  const std::vector<RecordedRun> &ofFirst = allRuns[run].front();
  if (ofFirst.empty())
    return {0, 0};
  return {ofFirst.front().startNanoseconds, ofFirst.back().endNanoseconds};
}

double Measurement::getWallMicroseconds() const {
  auto [start, end] = getNanosecondsOf(shown);
  return double(end - start) * 1e-3;
}

std::vector<double> Measurement::getAllMicroseconds() const {
  std::vector<double> microseconds;
  for (size_t run = 0; run < allRuns.size(); ++run) {
    auto [start, end] = getNanosecondsOf(run);
    microseconds.push_back(double(end - start) * 1e-3);
  }
  return microseconds;
}

double Measurement::getBetweenMicroseconds() const {
  double nanoseconds = 0;
  for (const RecordedRun &run : getMedianRun().front())
    if (run.op < 0)
      nanoseconds += double(run.endNanoseconds - run.startNanoseconds);
  return nanoseconds * 1e-3;
}

size_t llm::findMedianRun(ArrayRef<Measurement> functions) {
  auto timeOf = [&](size_t run) {
    return functions.back().getNanosecondsOf(run).second -
           functions.front().getNanosecondsOf(run).first;
  };
  std::vector<size_t> byTime(functions.front().countRuns());
  std::iota(byTime.begin(), byTime.end(), 0);
  llvm::stable_sort(byTime,
                    [&](size_t a, size_t b) { return timeOf(a) < timeOf(b); });
  return byTime[byTime.size() / 2];
}
