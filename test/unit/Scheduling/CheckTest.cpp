//===- CheckTest.cpp - What makes a problem meaningless -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "llm/Support/Units.h"

#include <functional>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// A sound problem with one of everything.
static Problem sound() {
  Problem problem = machine(2, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {256}, 0});
  problem.tasks = {task("norm", vector, 10, 5),
                   task("q_proj", matrix, 20, 100, {0})};
  problem.tasks[1].parts[0].workingSetBytes = 100;
  problem.tasks[1].parts[0].sources = {{"w", {60}, 60}, {"b", {40}, 40}};
  return problem;
}

/// The one message about the sound problem after `change`.
static std::string messageAfter(const std::function<void(Problem &)> &change) {
  Problem problem = sound();
  change(problem);
  std::vector<std::string> messages = problem.check();
  EXPECT_EQ(messages.size(), 1u);
  return messages.empty() ? "" : messages.front();
}

static const std::string most = std::to_string(maxCount);

// The problem that the other tests break is sound.
TEST(Check, SoundProblem) {
  EXPECT_EQ(sound().check(), std::vector<std::string>());
}

// Neither tasks nor resources are needed; without a task no engine is.
TEST(Check, EmptyProblems) {
  Problem problem;
  problem.clockHz = 1;
  EXPECT_TRUE(problem.check().empty());
}

// Clock, rates, lanes and counts are positive.
TEST(Check, MachineNumbersArePositive) {
  EXPECT_EQ(messageAfter([](Problem &p) { p.clockHz = 0; }),
            "hertz of the clock: expected 1 to " + most + ", found 0");
  EXPECT_EQ(
      messageAfter([](Problem &p) { p.resources[0].bytesPerSecond = -1; }),
      "bytes per second of 'dram': expected 1 to " + most + ", found -1");
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.resources[0].lanes = 0;
              p.engines.clear();
              p.tasks.clear();
            }),
            "lanes of 'dram': expected 1 to " + most + ", found 0");
  EXPECT_EQ(messageAfter([](Problem &p) { p.engines[1].count = 0; }),
            "count of 'dma': expected 1 to " + most + ", found 0");
  EXPECT_EQ(messageAfter([](Problem &p) { p.engines[0].privateBytes = -1; }),
            "private bytes of 'npu': expected 0 to " + most + ", found -1");
}

// A port has at least a lane of each resource, and no more than there are.
TEST(Check, PortsAreWithinTheLanes) {
  EXPECT_EQ(messageAfter([](Problem &p) { p.engines[1].portLanes = {0}; }),
            "port lanes of 'dma' to 'dram': expected 1 to 1024, found 0");
  EXPECT_EQ(messageAfter([](Problem &p) { p.engines[0].portLanes = {1025}; }),
            "port lanes of 'npu' to 'dram': expected 1 to 1024, found 1025");
}

// 300 MB/s of 1 GB/s are 307.2 of 1024 lanes.
TEST(Check, PortsHaveTheLanesThatCarryTheirRate) {
  auto messageWith = [](int64_t rate, int64_t lanes) {
    return messageAfter([=](Problem &p) {
      p.engines[0].portBytesPerSecond = {rate};
      p.engines[0].portLanes = {lanes};
    });
  };
  for (int64_t lanes : {307, 309})
    EXPECT_EQ(messageWith(300000000, lanes),
              "port lanes, just enough for its rate, of 'npu' to 'dram': "
              "expected 308 to 308, found " +
                  std::to_string(lanes));
  EXPECT_EQ(messageWith(0, 308),
            "bytes per second of the port of 'npu' to 'dram': expected 1 to "
            "1000000000, found 0");
  EXPECT_EQ(messageWith(1000000001, 1024),
            "bytes per second of the port of 'npu' to 'dram': expected 1 to "
            "1000000000, found 1000000001");
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.engines[0].portBytesPerSecond = {1, 1};
            }),
            "ports of 'npu': expected 1, one for each resource, found 2");
}

// What a source waits for is something that its task waits for.
TEST(Check, WritersOfSourcesArePredecessors) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.tasks[1].parts[0].sources[0].predecessors = {0, 7};
            }),
            "predecessors of source 'w' of 'q_proj': expected some of those of "
            "its task, found 7");
}

// What is per resource has one number for each.
TEST(Check, VectorsHaveOneNumberForEachResource) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.engines[0].portLanes = {1, 1};
            }),
            "port lanes of 'npu': expected 1, one for each resource, found 2");
  EXPECT_EQ(messageAfter([](Problem &p) { p.tasks[0].parts[0].bytes = {}; }),
            "bytes of 'norm': expected 1, one for each resource, found 0");
  EXPECT_EQ(
      messageAfter([](Problem &p) {
        p.tasks[1].parts[0].sources[1].bytes = {1, 2};
      }),
      "bytes of source 'b' of 'q_proj': expected 1, one for each resource, "
      "found 2");
}

// No number of a part is negative or beyond maxCount.
TEST(Check, PartNumbersAreCounts) {
  for (int64_t bad : {int64_t(-1), maxCount + 1, INT64_MIN, INT64_MAX}) {
    std::string tail =
        ": expected 0 to " + most + ", found " + std::to_string(bad);
    auto part = [](Problem &p) -> Part & { return p.tasks[0].parts[0]; };
    EXPECT_EQ(messageAfter([&](Problem &p) { part(p).overheadCycles = bad; }),
              "overhead cycles of 'norm'" + tail);
    EXPECT_EQ(messageAfter([&](Problem &p) { part(p).serialCycles = bad; }),
              "serial cycles of 'norm'" + tail);
    EXPECT_EQ(messageAfter([&](Problem &p) { part(p).computeCycles = bad; }),
              "compute cycles of 'norm'" + tail);
    EXPECT_EQ(messageAfter([&](Problem &p) { part(p).workingSetBytes = bad; }),
              "working set bytes of 'norm'" + tail);
    EXPECT_EQ(messageAfter([&](Problem &p) { part(p).bytes = {bad}; }),
              "bytes of 'norm'" + tail);
    EXPECT_EQ(messageAfter([&](Problem &p) {
                p.tasks[1].parts[0].sources[0].sliceBytes = bad;
              }),
              "slice bytes of source 'w' of 'q_proj'" + tail);
  }
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.tasks[1].parts[0].sources[0].bytes = {-1};
            }),
            "bytes of source 'w' of 'q_proj': expected 0 to " + most +
                ", found -1");
}

// A part of several says which one it is; a task without a name its index.
TEST(Check, NamesOfParts) {
  auto change = [](Problem &p) {
    p.tasks[0].name.clear();
    p.tasks[0].parts.push_back(p.tasks[0].parts[0]);
    p.tasks[0].parts[1].serialCycles = -7;
  };
  EXPECT_EQ(messageAfter(change), "serial cycles of part 1 of task 0: expected "
                                  "0 to " +
                                      most + ", found -7");
}

// All sources together are within the bytes of the part: 61 + 40 > 100.
TEST(Check, SourcesAreWithinThePart) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.tasks[1].parts[0].sources[0].bytes = {61};
            }),
            "bytes of the sources of 'q_proj' from 'dram': expected at most "
            "the 100 of the part, found 101");
}

// A task has parts, and predecessors that exist and are others.
TEST(Check, TasksHavePartsAndPredecessors) {
  EXPECT_EQ(messageAfter([](Problem &p) { p.tasks[0].parts.clear(); }),
            "parts of 'norm': expected one or more, found none");
  EXPECT_EQ(messageAfter([](Problem &p) { p.tasks[0].predecessors = {2}; }),
            "predecessors of 'norm': expected tasks below 2, found 2");
  EXPECT_EQ(messageAfter([](Problem &p) { p.tasks[0].predecessors = {0}; }),
            "predecessors of 'norm': it waits for itself");
}

// The same predecessor twice says nothing new, and is sound.
TEST(Check, RepeatedPredecessors) {
  Problem problem = sound();
  problem.tasks[1].predecessors = {0, 0};
  EXPECT_TRUE(problem.check().empty());
  EXPECT_TRUE(isValid(problem, *scheduleList(problem)));
  EXPECT_TRUE(isValid(problem, *scheduleEarliest(problem)));
}

// A cycle is named task by task, without those that only wait for it.
TEST(Check, CyclesAreNamed) {
  auto change = [](Problem &p) {
    p.tasks.push_back(task("x", vector, 1, 0, {1, 4}));
    p.tasks.push_back(task("y", vector, 1, 0, {2}));
    p.tasks.push_back(task("z", vector, 1, 0, {3}));
    p.tasks.push_back(task("behind", vector, 1, 0, {3}));
  };
  EXPECT_EQ(messageAfter(change),
            "the tasks wait for each other: 'x' for 'z' for 'y' for 'x'");
}

// A task needs an engine that has all of its kinds at once.
TEST(Check, SomeEngineHasTheKinds) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.engines[0].kinds = matrix;
              p.engines.push_back({"vec", vector, 1, {1}, 0});
              p.tasks[1].kinds = both();
            }),
            "engines for 'q_proj': expected one with kind matrix+vector, found "
            "none");
}

// A task whose cycles hold for one group needs that one to exist and to have
// the kinds and the memory, whatever others have.
TEST(Check, TheGroupOfTheTaskHasTheKinds) {
  auto confine = [](Problem &p) {
    p.engines.push_back({"vec", vector, 1, {1}, 0});
    p.tasks[1].group = p.engines.size() - 1;
  };
  EXPECT_EQ(messageAfter([&](Problem &p) {
              confine(p);
              p.tasks[1].kinds = matrix;
            }),
            "engines for 'q_proj': expected 'vec' with kind matrix, found "
            "none");
  EXPECT_EQ(messageAfter([&](Problem &p) {
              confine(p);
              p.tasks[1].kinds = vector;
              p.tasks[1].parts[0].workingSetBytes = 1;
            }),
            "working set of 'q_proj': expected at most the 0 private bytes of "
            "'vec', found 1, 1 too many");
  EXPECT_EQ(messageAfter([](Problem &p) { p.tasks[1].group = 9; }),
            "engine group of 'q_proj': expected below 2, found 9");
}

// Engines that a part holds beside its own are of groups that there are, each
// once, and bring their kinds.
TEST(Check, GroupsBesideItsOwn) {
  auto change = [](Problem &p, std::vector<unsigned> with) {
    p.engines.push_back({"vec", vector, 1, {1}, 0});
    p.engines[0].kinds = matrix;
    for (Task &task : p.tasks)
      task.kinds = matrix;
    p.tasks[1].kinds = both();
    p.tasks[1].group = 0;
    p.tasks[1].with = std::move(with);
  };
  auto messageWith = [&](std::vector<unsigned> with) {
    return messageAfter([&](Problem &p) { change(p, with); });
  };
  Problem good = sound();
  change(good, {2});
  EXPECT_EQ(good.check(), std::vector<std::string>());
  EXPECT_EQ(messageWith({}), "engines for 'q_proj': expected 'npu' with kind "
                             "matrix+vector, found none");
  EXPECT_EQ(messageWith({3}), "groups beside that of 'q_proj': expected below "
                              "3, found 3");
  EXPECT_EQ(messageWith({2, 2}),
            "groups beside that of 'q_proj': expected each once, found 2");
  EXPECT_EQ(messageWith({2, 0}), "groups beside that of 'q_proj': expected "
                                 "others than its own, found 0");
}

// Chains are of equal length and have no part that joins the others.
TEST(Check, Chains) {
  auto messageWith = [](int64_t parts, Chains chains, bool combines = false) {
    return messageAfter([&](Problem &p) {
      p.tasks[0].parts[0].count = parts;
      if (combines)
        p.tasks[0].parts.push_back(task("joins", vector, 1, 0).parts[0]);
      p.tasks[0].lastCombines = combines;
      p.tasks[0].chains = chains;
    });
  };
  EXPECT_EQ(messageWith(5, {3, 2}), "the chains of 'norm': expected a multiple "
                                    "of 3 x 2 parts, found 5");
  EXPECT_EQ(messageWith(5, {0, 1}), "length of the chains of 'norm': expected "
                                    "1 to 2147483647, found 0");
  EXPECT_EQ(messageWith(5, {5, -1}), "stride of the chains of 'norm': expected "
                                     "1 to 2147483647, found -1");
  EXPECT_EQ(messageWith(5, {6, 1}, true),
            "the chains of 'norm': expected none, "
            "as the last part joins the others");
}

// A working set fits the private memory of some engine that has the kinds; the
// message says how much is missing in the roomiest. Without a working set none
// is needed.
TEST(Check, WorkingSetsFit) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.engines.push_back({"small", both(), 1, {1}, 900});
              p.engines.push_back({"vec", vector, 1, {1}, 5000});
              p.tasks[1].parts[0].workingSetBytes = 1024;
            }),
            "working set of 'q_proj': expected at most the 1000 private bytes "
            "of 'npu', found 1024, 24 too many");
  Problem problem = sound();
  problem.engines[0].privateBytes = 0;
  problem.tasks[1].parts[0].workingSetBytes = 0;
  EXPECT_TRUE(problem.check().empty());
}

// A length that no count holds is an error of the part, also that of a fetch:
// maxCount bytes through half of the lanes take twice maxCount cycles.
TEST(Check, LengthsCanBeCounted) {
  std::string tail = ": expected at most " + most + " cycles, found more";
  EXPECT_EQ(
      messageAfter([](Problem &p) { p.tasks[0].parts[0].bytes = {maxCount}; }),
      "length of 'norm'" + tail);
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.tasks[0].parts[0].overheadCycles = maxCount;
              p.tasks[0].parts[0].serialCycles = 1;
            }),
            "length of 'norm'" + tail);
  // The part itself takes 2^60 - 1 cycles at full rate; its fetch, at a
  // quarter, four times as many.
  EXPECT_EQ(messageAfter([](Problem &p) {
              p.engines[0].portLanes = {1024};
              p.tasks[0].parts[0].bytes = {maxCount / 2};
              p.tasks[0].parts[0].sources = {{"w", {maxCount / 2}, 0}};
            }),
            "length of 'norm'" + tail);
}

// Lengths that can be counted one by one must also be so together.
TEST(Check, TotalsCanBeCounted) {
  EXPECT_EQ(messageAfter([](Problem &p) {
              for (Task &task : p.tasks)
                task.parts[0].computeCycles = maxCount / 2 + 1;
            }),
            "length of all tasks together: expected at most " + most +
                " cycles, found more");
}

// So many engines that their number cannot be counted.
TEST(Check, EnginesCanBeCounted) {
  EXPECT_EQ(messageAfter([](Problem &p) { p.engines[0].count = maxCount; }),
            "engines in all: expected fewer than " + most);
}

// Every fault of a large problem is reported, one sentence each.
TEST(Check, ReportsAllFaults) {
  Problem problem = sound();
  problem.clockHz = -1;
  problem.tasks[0].parts[0].serialCycles = -1;
  problem.tasks[1].predecessors = {9};
  EXPECT_EQ(problem.check().size(), 3u);
}
