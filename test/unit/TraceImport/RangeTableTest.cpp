//===- RangeTableTest.cpp - Tests of where the time of a run went ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/RangeTable.h"
#include "TraceText.h"

using namespace mlir;
using namespace mlir::llm;

/// ":a 2 calls, 1 kernels, 7 ns, 3 self" for each row.
static std::vector<std::string> describe(const RangeTable &table) {
  std::vector<std::string> rows;
  for (uint32_t row = 0; row < table.rows.size(); ++row) {
    const RangeFigures &figures = table.rows[row].figures;
    StringRef group = table.groups[table.rows[row].group];
    std::string text;
    ::llvm::raw_string_ostream(text)
        << (group.empty() ? "" : group.str() + " ") << table.pathOf(row) << " "
        << figures.calls << " calls, " << figures.kernels << " kernels, "
        << figures.nanoseconds << " ns, " << figures.selfNanoseconds << " self";
    rows.push_back(text);
  }
  return rows;
}

using Rows = std::vector<std::string>;

namespace {
/// Events of thread 1 of process 1 and of stream 7, as Kineto writes them.
class KinetoText {
public:
  KinetoText &range(StringRef name, int start, int duration) {
    return add("user_annotation", name, 1, 1, start, duration, "");
  }
  KinetoText &annotation(StringRef name, int start, int duration) {
    return add("gpu_user_annotation", name, 0, 7, start, duration, "");
  }
  KinetoText &call(int start, int correlation) {
    return add("cuda_runtime", "launch", 1, 1, start, 1,
               "\"correlation\":" + std::to_string(correlation));
  }
  KinetoText &kernel(int start, int duration, int correlation) {
    return add("kernel", "k", 0, 7, start, duration,
               "\"correlation\":" + std::to_string(correlation));
  }
  ImportedTrace read() const {
    return readText("{\"schemaVersion\":1,\"traceEvents\":[" + text + "]}");
  }

private:
  KinetoText &add(StringRef category, StringRef name, int process, int thread,
                  int start, int duration, StringRef args) {
    ::llvm::raw_string_ostream os(text);
    os << (text.empty() ? "" : ",") << R"({"ph":"X","cat":")" << category
       << R"(","name":")" << name << R"(","pid":)" << process
       << ",\"tid\":" << thread << ",\"ts\":" << start
       << ",\"dur\":" << duration << ",\"args\":{" << args << "}}";
    return *this;
  }
  std::string text;
};
} // namespace

TEST(RangeTable, AnnotationsOfStreamsStandForRangesThatAreNotThere) {
  // "fwd" is there on both sides, and counted once; "graph" on the device
  // alone.
  KinetoText text;
  text.range("fwd", 0, 10)
      .call(1, 1)
      .annotation("fwd", 20, 10)
      .kernel(21, 3, 1);
  text.annotation("graph", 40, 10).kernel(41, 5, 99);
  EXPECT_EQ(describe(makeRangeTable(text.read(), {})),
            (Rows{":fwd 1 calls, 1 kernels, 3000 ns, 3000 self",
                  ":graph 1 calls, 1 kernels, 5000 ns, 5000 self"}));
}

TEST(RangeTable, WhatIsInNoPassIsAGroupOfItsOwn) {
  KinetoText text;
  text.range("run", 0, 100)
      .range("step", 10, 10)
      .call(11, 1)
      .range("step", 30, 10);
  text.call(31, 2).call(50, 3).kernel(200, 1, 1).kernel(210, 2, 2).kernel(220,
                                                                          4, 3);
  RangeTableOptions options;
  options.groups = RangeGroups::Pass;
  options.pass = "step";
  EXPECT_EQ(describe(makeRangeTable(text.read(), options)),
            (Rows{"pass 0 :run 0 calls, 1 kernels, 1000 ns, 0 self",
                  "pass 0 :run.step 1 calls, 1 kernels, 1000 ns, 1000 self",
                  "pass 1 :run 0 calls, 1 kernels, 2000 ns, 0 self",
                  "pass 1 :run.step 1 calls, 1 kernels, 2000 ns, 2000 self",
                  "outside :run 1 calls, 1 kernels, 4000 ns, 4000 self"}));
}

TEST(RangeTable, DeepRangesCountForThoseAroundThem) {
  constexpr int depth = 70;
  KinetoText text;
  for (int level = 0; level < depth; ++level)
    text.range("r", level, 1000 - 2 * level);
  text.call(depth, 1).kernel(2000, 5, 1);
  RangeTable table = makeRangeTable(text.read(), {});
  ASSERT_EQ(table.rows.size(), size_t(RangeTable::maxDepth));
  EXPECT_EQ(table.rows.back().figures.calls, 1u);
  EXPECT_EQ(table.rows.back().figures.selfNanoseconds, 5000u);
  EXPECT_EQ(table.rows.front().figures.nanoseconds, 5000u);
  EXPECT_EQ(table.notes.back(),
            "Ranges that lie in 64 others, and count for those: 6.");
}

TEST(RangeTable, MergesWholeNumbersAlone) {
  KinetoText text;
  int start = 0;
  for (StringRef name : {"layer.3", "layer.14", "fp16", "3x3", "h[2]_5", "7"})
    text.range(name, start += 10, 5);
  text.call(start + 1, 1).kernel(200, 1, 1);
  RangeTableOptions options;
  options.mergesNumbers = true;
  EXPECT_EQ(describe(makeRangeTable(text.read(), options)),
            (Rows{":\"layer.*\" 2 calls, 0 kernels, 0 ns, 0 self",
                  ":fp16 1 calls, 0 kernels, 0 ns, 0 self",
                  ":3x3 1 calls, 0 kernels, 0 ns, 0 self",
                  ":h[*]_* 1 calls, 0 kernels, 0 ns, 0 self",
                  ":* 1 calls, 1 kernels, 1000 ns, 1000 self"}));
}

TEST(RangeTable, SumsEndAtTheLargestNumber) {
  ImportedTrace trace;
  trace.lanes.resize(1);
  trace.lanes[0].isDevice = true;
  TraceEvent event;
  event.kind = TraceEventKind::Kernel;
  event.endNanoseconds = int64_t(1) << 61;
  trace.events.assign(9, event);
  EXPECT_EQ(makeRangeTable(trace, {}).total.nanoseconds, UINT64_MAX);
}

TEST(RangeTable, AnEmptyTraceHasNoRows) {
  RangeTable table = makeRangeTable(ImportedTrace(), {});
  EXPECT_TRUE(table.rows.empty());
  std::string text;
  ::llvm::raw_string_ostream os(text);
  printRangeCsv(table, os);
  EXPECT_EQ(text, "range,calls,kernels,copies,fills,ops,time_ns,self_ns,"
                  "mean_ns,share_percent\n");
}
