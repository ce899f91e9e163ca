//===- OpRecorderTest.cpp - Tests of what runs are recorded ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OpRecorder.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

TEST(OpRecorder, RunsFollowEachOtherWithoutGaps) {
  OpRecorder recorder;
  recorder.start();
  for (int op : {3, 1, OpRecorder::between, 3})
    recorder.enter(op);
  recorder.stop();
  std::vector<RecordedRun> runs = recorder.takeRuns();
  ASSERT_EQ(runs.size(), 5u);
  int64_t end = 0;
  int expected[] = {OpRecorder::between, 3, 1, OpRecorder::between, 3};
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].op, expected[i]);
    EXPECT_EQ(runs[i].startNanoseconds, end);
    EXPECT_GE(runs[i].endNanoseconds, end);
    end = runs[i].endNanoseconds;
  }
}

TEST(OpRecorder, EachStartForgetsWhatWasBefore) {
  OpRecorder recorder;
  EXPECT_TRUE(recorder.takeRuns().empty());
  recorder.start();
  recorder.enter(7);
  recorder.start();
  recorder.stop();
  std::vector<RecordedRun> runs = recorder.takeRuns();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].op, OpRecorder::between);
  EXPECT_TRUE(recorder.takeRuns().empty());
}

/// Counters that the system has, or has not, are there in each run alike.
TEST(OpRecorder, CountsWhatRunsBetweenReadings) {
  CpuCounters counters;
  OpRecorder recorder;
  recorder.count(&counters);
  constexpr size_t touchedBytes = 64 << 20;
  std::vector<char> touched;
  recorder.start();
  recorder.enter(0);
  // Memory of its own, which no other test has given back.
  touched.resize(touchedBytes);
  recorder.enter(1);
  recorder.stop();
  std::vector<RecordedRun> runs = recorder.takeRuns();
  ASSERT_EQ(runs.size(), 3u);
  std::string refused = counters.describeRefused();
  for (auto [i, name] : llvm::enumerate(CpuCounters::names))
    for (const RecordedRun &run : runs) {
      EXPECT_EQ(run.counts[i].has_value(),
                refused.find(name.str()) == std::string::npos);
      EXPECT_GE(run.counts[i].value_or(0), 0);
    }
  // Pages are of 4 KiB or, those that the system joins, of 2 MiB.
  constexpr size_t largestPageBytes = 2 << 20;
  if (runs[1].counts[1]) {
    EXPECT_GE(size_t(*runs[1].counts[1]), touchedBytes / largestPageBytes);
    EXPECT_LT(*runs[2].counts[1], *runs[1].counts[1]);
  }
  // A gap lies between runs, in which counters were read.
  EXPECT_GT(runs[2].startNanoseconds, runs[1].endNanoseconds);
}
