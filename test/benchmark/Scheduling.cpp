//===- Scheduling.cpp - CPU and memory of the solvers by tasks ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ninja -C build llm-schedule-benchmark
//   build/test/benchmark/llm-schedule-benchmark [--shape=NAME] [TASKS...]
//
// Of 10^4, 10^5 and 10^6 tasks, without sources, with them, and with a way to
// cut each: CPU and most memory per task of the bounds, of each solver, of one
// run of the list scheduler, and of verify(). Each is the median of five
// processes of its own. At last, the CPU per placed part of many runs over few
// tasks, which is what a search is made of.
//
// scheduleList() tries fewer runs the more tasks there are, about a million
// placed parts in all: of it only the time for 10^6 tasks, one run, says much.
//
//===----------------------------------------------------------------------===//

#include "List/ListRun.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;

namespace {

struct Shape {
  const char *name;
  bool hasSources, hasCuts;
};
constexpr Shape shapes[] = {{"plain", false, false},
                            {"sources", true, false},
                            {"cuts", false, true},
                            {"sources+cuts", true, true}};

} // namespace

static Problem makeMachine() {
  EngineKindSet both = EngineKind::Matrix;
  both.insert(EngineKind::Vector);
  Problem problem;
  problem.clockHz = 1'000'000'000;
  problem.resources = {{"dram", 400'000'000'000, 1024}};
  problem.engines = {{"core", both, 4, {256}, 8 << 20},
                     {"dma", EngineKindSet(EngineKind::Memory), 2, {256}, 0}};
  return problem;
}

/// Two halves of a part.
static Split halve(Part part) {
  part.computeCycles /= 2;
  part.bytes[0] /= 2;
  for (Source &source : part.sources)
    source.bytes[0] /= 2;
  part.count = 2;
  return {{part}};
}

/// Tasks of all lengths, each of which waits for two of the twenty ahead of it.
static Problem makeProblem(size_t tasks, const Shape &shape) {
  Problem problem = makeMachine();
  std::mt19937 random(1); // the same numbers everywhere
  for (size_t i = 0; i < tasks; ++i) {
    Part part;
    part.computeCycles = random() % 1000;
    part.bytes = {static_cast<int64_t>(random() % 200'000)};
    part.workingSetBytes = part.bytes[0];
    int64_t half = part.bytes[0] / 2;
    if (shape.hasSources)
      part.sources = {{"weight", {half}, half}};
    Task task{"task", problem.engines[0].kinds, std::nullopt, {part}, {}};
    for (int edge = 0; edge < 2; ++edge) {
      size_t back = 1 + random() % 20;
      if (back <= i)
        task.predecessors.push_back(i - back);
    }
    if (shape.hasCuts)
      task.alternatives = {halve(part)};
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

static double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Bytes in memory at most, so far.
static double peakBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * usage.ru_maxrss;
}

[[noreturn]] static void fail(const char *what) {
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

namespace {
struct Figures {
  double seconds = 0, bytes = 0;
};
} // namespace

/// In a process of its own, so that its memory is its own.
static Figures inProcess(const std::function<Figures()> &measure) {
  int ends[2];
  if (pipe(ends) != 0)
    fail("a pipe");
  pid_t child = fork();
  if (child == 0) {
    Figures found = measure();
    _exit(write(ends[1], &found, sizeof(found)) == sizeof(found) ? 0 : 1);
  }
  close(ends[1]);
  Figures found;
  bool isWhole = read(ends[0], &found, sizeof(found)) == sizeof(found);
  close(ends[0]);
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || !isWhole)
    fail("a process");
  return found;
}

static std::optional<Solution> runOnce(const Problem &problem) {
  ListOptions options;
  options.prefetches = true;
  std::optional<Plan> plan = Plan::make(problem);
  return plan ? ListRun(problem, *plan, options).run() : std::nullopt;
}

static double medianOf(std::vector<double> values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static void measure(size_t tasks, const Shape &shape, const char *name,
                    const std::function<bool(const Problem &)> &succeeds) {
  constexpr int processes = 5;
  std::vector<double> allSeconds, allBytes;
  for (int process = 0; process < processes; ++process) {
    Figures found = inProcess([&] {
      Problem problem = makeProblem(tasks, shape);
      double bytes = peakBytes(), seconds = cpuSeconds();
      if (!succeeds(problem))
        fail(name);
      return Figures{cpuSeconds() - seconds, peakBytes() - bytes};
    });
    allSeconds.push_back(found.seconds);
    allBytes.push_back(found.bytes);
  }
  double seconds = medianOf(std::move(allSeconds));
  std::printf("%9zu %-13s %-17s %8.3f %8.3f %8.0f\n", tasks, shape.name, name,
              seconds, 1e6 * seconds / tasks,
              medianOf(std::move(allBytes)) / tasks);
  std::fflush(stdout);
}

static void measureAll(size_t tasks, const Shape &shape) {
  measure(tasks, shape, "check",
          [](const Problem &problem) { return problem.check().empty(); });
  measure(tasks, shape, "lowerBounds", [](const Problem &problem) {
    return lowerBounds(problem).has_value();
  });
  measure(tasks, shape, "scheduleEarliest", [](const Problem &problem) {
    return scheduleEarliest(problem).has_value();
  });
  measure(tasks, shape, "one run",
          [](const Problem &problem) { return runOnce(problem).has_value(); });
  measure(tasks, shape, "one run + verify", [](const Problem &problem) {
    return verify(problem, *runOnce(problem)).empty();
  });
  measure(tasks, shape, "scheduleList", [](const Problem &problem) {
    return scheduleList(problem).has_value();
  });
}

static void measureSmallRuns(const Shape &shape) {
  constexpr size_t tasks = 100, runs = 5000;
  Problem problem = makeProblem(tasks, shape);
  std::optional<Plan> plan = Plan::make(problem);
  ListOptions options;
  options.prefetches = shape.hasSources;
  double seconds = cpuSeconds();
  for (size_t run = 0; run < runs; ++run)
    if (!ListRun(problem, *plan, options).run())
      fail("a run");
  seconds = cpuSeconds() - seconds;
  std::printf("%9zu %-13s %.3f us per placed part\n", tasks, shape.name,
              1e6 * seconds / (runs * tasks));
}

int main(int argc, char **argv) {
  std::vector<size_t> counts;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    constexpr std::string_view option = "--shape=";
    std::string_view argument = argv[i];
    if (argument.substr(0, option.size()) == option)
      only = argument.substr(option.size());
    else
      counts.push_back(std::strtoull(argv[i], nullptr, 10));
  }
  if (counts.empty())
    counts = {10'000, 100'000, 1'000'000};
  std::printf("    tasks shape         what                   CPU s  us/task "
              "bytes/task\n");
  for (const Shape &shape : shapes)
    for (size_t tasks : counts)
      if (only.empty() || only == shape.name)
        measureAll(tasks, shape);
  for (const Shape &shape : {shapes[0], shapes[1]})
    if (only.empty() || only == shape.name)
      measureSmallRuns(shape);
  return 0;
}
