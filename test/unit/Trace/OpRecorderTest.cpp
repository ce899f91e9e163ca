//===- OpRecorderTest.cpp - Tests of what runs are recorded ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OpRecorder.h"

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
