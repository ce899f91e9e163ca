//===- KinetoTest.cpp - A trace of PyTorch with all joins -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
using Names = std::vector<std::string>;

/// Made by hand after the form of today's profiler: two threads, two streams,
/// and each way in which work can be joined to the host. Times are those of
/// 2023 with nanoseconds; all figures below are differences to ...000.000.
constexpr StringLiteral sample = R"json({
"schemaVersion": 1,
"deviceProperties": [{"id": 0, "name": "GPU A", "numSms": 132},
                     {"id": 1, "name": "GPU B", "numSms": 132}],
"displayTimeUnit": "ms", "baseTimeNanoseconds": 1700000000000000000,
"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "step", "pid": 100, "tid": 100,
 "ts": 1700000000123000.000, "dur": 100.000, "args": {"External id": 1,
 "Record function id": 0, "Ev Idx": 0}},
{"ph": "X", "cat": "python_function", "name": "nn.Module: Attention_0",
 "pid": 100, "tid": 100, "ts": 1700000000123001.000, "dur": 60.000,
 "args": {"Python parent id": null, "Python id": 1, "Python module id": 0,
 "Ev Idx": 1}},
{"ph": "X", "cat": "python_function", "name": "model.py(7): forward",
 "pid": 100, "tid": 100, "ts": 1700000000123001.500, "dur": 59.000,
 "args": {"Python parent id": 1, "Python id": 2}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 100, "tid": 100,
 "ts": 1700000000123010.250, "dur": 20.500, "args": {"External id": 2,
 "Record function id": 5, "Sequence number": 9, "Fwd thread id": 0,
 "Input Dims": [[1, 64], [64, 64]], "Input type": ["float", "float"],
 "Ev Idx": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100,
 "tid": 100, "ts": 1700000000123015.001, "dur": 5.002,
 "args": {"External id": 2, "cbid": 211, "correlation": 70}},
{"ph": "s", "id": 70, "pid": 100, "tid": 100, "ts": 1700000000123015.001,
 "cat": "ac2g", "name": "ac2g"},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
 "ts": 1700000000123018.125, "dur": 30.001, "args": {"External id": 2,
 "queued": 0, "device": 0, "stream": 7, "correlation": 70,
 "grid": [1, 2, 3], "est. achieved occupancy %": 12.5}},
{"ph": "f", "id": 70, "pid": 0, "tid": 7, "ts": 1700000000123018.125,
 "cat": "ac2g", "name": "ac2g", "bp": "e"},
{"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 100,
 "tid": 200, "ts": 1700000000123040.000, "dur": 2.000,
 "args": {"cbid": 307, "correlation": 71}},
{"ph": "X", "cat": "kernel", "name": "without an op", "pid": 0, "tid": 20,
 "ts": 1700000000123041.000, "dur": 10.000, "args": {"device": 0,
 "stream": 20, "correlation": 71}},
{"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 100, "tid": 200,
 "ts": 1700000000123050.000, "dur": 9.000, "args": {"External id": 3}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 20,
 "ts": 1700000000123060.000, "dur": 4.000, "args": {"External id": 3,
 "correlation": 72, "bytes": 4096}},
{"ph": "X", "cat": "gpu_memset", "name": "Memset", "pid": 0, "tid": 7,
 "ts": 1700000000123047.126, "dur": 2.000, "args": {"correlation": 73}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "step on the device",
 "pid": 0, "tid": 7, "ts": 1700000000123018.125, "dur": 50.000,
 "args": {"External id": 1}},
{"ph": "X", "cat": "overhead", "name": "Instrumentation", "pid": -1, "tid": 0,
 "ts": 1700000000123002.000, "dur": 1.000},
{"ph": "X", "cat": "Trace", "ts": 1700000000123000.000, "dur": 101.000,
 "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)",
 "args": {"Op count": 0}},
{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
 "pid": 100, "tid": 0, "ts": 1700000000123012.000,
 "args": {"Total Allocated": 18446744073709551615, "Device Id": -1}},
{"name": "process_name", "ph": "M", "ts": 1700000000123000.000, "pid": 100,
 "tid": 0, "args": {"name": "python"}},
{"name": "process_labels", "ph": "M", "pid": 100, "args": {"labels": "CPU"}},
{"name": "thread_name", "ph": "M", "pid": 100, "tid": 100,
 "args": {"name": "main"}},
{"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "python"}},
{"name": "process_labels", "ph": "M", "pid": 0, "args": {"labels": "GPU 0"}},
{"name": "thread_name", "ph": "M", "pid": 0, "tid": 7,
 "args": {"name": "stream 7 "}},
{"name": "thread_name", "ph": "M", "pid": 3, "tid": 9,
 "args": {"name": "without events"}}
], "traceName": "trace.json"})json";
} // namespace

TEST(Kineto, BecomesLanesOfThreadsAndStreams) {
  ImportedTrace trace = readText(sample);
  EXPECT_EQ(trace.format, "Kineto JSON, schema 1");
  EXPECT_EQ(trace.devices, (Names{"GPU A", "GPU B"}));
  EXPECT_TRUE(trace.notes.empty());
  Names lanes;
  for (const TraceLane &lane : trace.lanes)
    lanes.push_back((lane.isDevice ? "device " : "") + lane.processName + " " +
                    std::to_string(lane.process) + "/" + lane.threadName + " " +
                    std::to_string(lane.thread));
  // Texts in place of numbers come behind the largest number, 200.
  EXPECT_EQ(lanes, (Names{"python 100/main 100", "device GPU 0 0/stream 7  7",
                          "python 100/ 200", "device GPU 0 0/ 20", " -1/ 0",
                          "Spans 201/PyTorch Profiler 202", "python 100/ 0"}));
}

TEST(Kineto, KnowsWhatEventsAre) {
  ImportedTrace trace = readText(sample);
  EXPECT_EQ(trace.events.size(), 15u);
  EXPECT_EQ(describe(trace, "step"),
            "range 0-100000 of python/main in none by none ");
  EXPECT_EQ(describe(trace, "nn.Module: Attention_0"),
            "range 1000-61000 of python/main in step by none ");
  EXPECT_EQ(describe(trace, "model.py(7): forward"),
            "function 1500-60500 of python/main in nn.Module: Attention_0 by "
            "none ");
  EXPECT_EQ(describe(trace, "aten::mm"),
            "op 10250-30750 of python/main in model.py(7): forward by none "
            R"({"Fwd thread id":0,"Input Dims":[[1,64],[64,64]],)"
            R"("Input type":["float","float"]})");
  EXPECT_EQ(describe(trace, "cudaLaunchKernel"),
            "call 15001-20003 of python/main in aten::mm by none "
            R"({"cbid":211})");
  EXPECT_EQ(describe(trace, "Instrumentation"),
            "other 2000-3000 of / in none by none ");
  EXPECT_EQ(describe(trace, "PyTorch Profiler (0)"),
            "other 0-101000 of Spans/PyTorch Profiler in none by none "
            R"({"Op count":0})");
  EXPECT_EQ(describe(trace, "[memory]"),
            "other 12000-12000 of python/ in none by none "
            R"({"Total Allocated":18446744073709551615,"Device Id":-1})");
}

TEST(Kineto, JoinsWorkToWhoLaunchedIt) {
  ImportedTrace trace = readText(sample);
  EXPECT_EQ(describe(trace, "gemm"),
            "kernel 18125-48126 of device GPU 0/stream 7  in step on the "
            "device by cudaLaunchKernel "
            R"({"queued":0,"device":0,"stream":7,"grid":[1,2,3],)"
            R"("est. achieved occupancy %":12.5})");
  EXPECT_EQ(describe(trace, "without an op"),
            "kernel 41000-51000 of device GPU 0/ in none by cuLaunchKernel "
            R"({"device":0,"stream":20})");
  EXPECT_EQ(describe(trace, "Memcpy DtoH"),
            "copy 60000-64000 of device GPU 0/ in none by aten::copy_ "
            R"({"bytes":4096})");
  // It begins before `gemm` ends, and ends behind it: beside it.
  EXPECT_EQ(describe(trace, "Memset"),
            "fill 47126-49126 of device GPU 0/stream 7  in step on the device "
            "by none ");
  EXPECT_EQ(arrowsOf(trace), "cudaLaunchKernel>gemm");
}

TEST(Kineto, SaysWhatIsAroundWork) {
  ImportedTrace trace = readText(sample);
  Names work = {"gemm 30001", "without an op 10000", "Memset 2000",
                "Memcpy DtoH 4000"};
  EXPECT_EQ(describe(trace, listOwnWork(trace)), work);
  EXPECT_EQ(describe(trace, listWholeWork(trace)), work);
  auto around = [&](StringRef name) {
    return namesOf(trace, eventsAround(trace, findEvent(trace, name)));
  };
  EXPECT_EQ(around("gemm"),
            (Names{"step", "nn.Module: Attention_0", "aten::mm"}));
  EXPECT_EQ(around("without an op"), Names{});
  EXPECT_EQ(around("Memcpy DtoH"), Names{"aten::copy_"});
  EXPECT_EQ(around("Memset"), Names{"step on the device"});
  EXPECT_EQ(around("aten::mm"), (Names{"step", "nn.Module: Attention_0"}));
  EXPECT_EQ(around("step"), Names{});
}

/// Spellings of PyTorch 1.8.
TEST(Kineto, KnowsItsFirstVersions) {
  ImportedTrace trace = readText(R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "Operator", "name": "op", "pid": 1, "tid": "2", "ts": 10,
 "dur": 9, "args": {"Device": 1, "External id": "5", "Input dims": [[2]]}},
{"ph": "X", "cat": "Runtime", "name": "call", "pid": 1, "tid": "2", "ts": 12,
 "dur": 3, "args": {"cbid": 211, "correlation": "6", "external id": "5"}},
{"ph": "X", "cat": "Kernel", "name": "kernel", "pid": 0, "tid": "stream 7",
 "ts": 16, "dur": 2, "args": {"correlation": "6", "external id": "5"}},
{"ph": "X", "cat": "Memset", "name": "fill", "pid": 0, "tid": "stream 7",
 "ts": 19, "dur": 2, "args": {"correlation": "9", "external id": "5"}}]})");
  EXPECT_EQ(describe(trace, "op"), "op 0-9000 of /2 in none by none "
                                   R"({"Device":1,"Input dims":[[2]]})");
  EXPECT_EQ(describe(trace, "kernel"),
            "kernel 6000-8000 of device /stream 7 in none by call ");
  EXPECT_EQ(describe(trace, "fill"),
            "fill 9000-11000 of device /stream 7 in none by op ");
}

/// PyTorch without Kineto writes a list; what is a kernel's, an arrow says.
TEST(Kineto, ReadsTheListOfPyTorchWithoutIt) {
  ImportedTrace trace = readText(
      R"([{"name": "forward", "ph": "X", "ts": 10.0, "dur": 8.0, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "aten::mm", "ph": "X", "ts": 12.5, "dur": 3.25, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "aten::mm", "ph": "s", "ts": 12.5, "tid": 1, "pid": "CPU functions", "id": 0, "cat": "cpu_to_cuda", "args": {}}, )"
      R"({"name": "aten::mm", "ph": "f", "ts": 20.125, "tid": 0, "pid": "CUDA functions", "id": 0, "cat": "cpu_to_cuda", "args": {}}, )"
      R"({"name": "gemm", "ph": "X", "ts": 20.125, "dur": 4, "tid": 0, "pid": "CUDA functions", "args": {}}, )"
      R"({"name": "MmBackward0", "ph": "X", "ts": 17, "dur": 1, "tid": 2, "pid": "CPU functions", "args": {}}])");
  EXPECT_EQ(trace.format, "Chrome JSON");
  EXPECT_EQ(describe(trace, "forward"),
            "range 0-8000 of CPU functions/ in none by none ");
  EXPECT_EQ(describe(trace, "aten::mm"),
            "op 2500-5750 of CPU functions/ in forward by none ");
  EXPECT_EQ(describe(trace, "MmBackward0"),
            "op 7000-8000 of CPU functions/ in none by none ");
  EXPECT_EQ(describe(trace, "gemm"),
            "kernel 10125-14125 of device CUDA functions/ in none by "
            "aten::mm ");
  EXPECT_EQ(arrowsOf(trace), "aten::mm>gemm");
}
