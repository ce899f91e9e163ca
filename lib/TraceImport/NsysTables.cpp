//===- NsysTables.cpp - What the tables of an nsys export share -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NsysTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

::llvm::Error NsysTables::readStrings() {
  StringRef table = "StringIds";
  if (!file.hasTable(table))
    return ::llvm::Error::success();
  return file.forEachRow(table, {"id", "value"}, [&](const SqliteRow &row) {
    std::optional<int64_t> id = row.integer(0);
    std::optional<std::string> text = row.text(1);
    if (!id || !text)
      return leaveOut(table, row, "no number and text");
    strings[*id] = builder.addText(*text);
  });
}

::llvm::Error NsysTables::readThreads() {
  if (file.hasTable("PROCESSES"))
    if (::llvm::Error error = file.forEachRow(
            "PROCESSES", {"globalPid", "name"}, [&](const SqliteRow &row) {
              std::optional<int64_t> process = row.integer(0);
              if (process && row.text(1))
                processNames[*process >> 24] = *row.text(1);
            }))
      return error;
  if (!file.hasTable("ThreadNames"))
    return ::llvm::Error::success();
  return file.forEachRow(
      "ThreadNames", {"globalTid", "nameId"}, [&](const SqliteRow &row) {
        std::optional<int64_t> thread = row.integer(0);
        std::optional<uint32_t> name = findText(row.integer(1));
        if (thread && name)
          threadNames[*thread] = builder.trace().texts[*name].str();
      });
}

::llvm::Error NsysTables::readDevices() {
  if (file.hasTable("TARGET_INFO_GPU"))
    if (::llvm::Error error = file.forEachRow(
            "TARGET_INFO_GPU", {"id", "name"}, [&](const SqliteRow &row) {
              if (std::optional<std::string> name = row.text(1))
                gpuNames[row.integer(0).value_or(row.number() - 1)] = *name;
            }))
      return error;
  if (!file.hasTable("TARGET_INFO_CUDA_DEVICE"))
    return ::llvm::Error::success();
  return file.forEachRow(
      "TARGET_INFO_CUDA_DEVICE", {"cudaId", "gpuId", "pid"},
      [&](const SqliteRow &row) {
        if (row.integer(0) && row.integer(1) && row.integer(2))
          gpuOfDevice[{*row.integer(2), *row.integer(0)}] = *row.integer(1);
      });
}

::llvm::Error NsysTables::readNames() {
  // If one table has no globalPid, it cannot tell calls of several processes
  // apart, so it is used in none.
  for (StringRef work : {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"}) {
    std::string table = ("CUPTI_ACTIVITY_KIND_" + work).str();
    if (file.hasTable(table) && !file.hasColumn(table, "globalPid"))
      namesProcesses = false;
  }
  if (::llvm::Error error = readStrings())
    return error;
  if (::llvm::Error error = readThreads())
    return error;
  return readDevices();
}

std::optional<uint32_t> NsysTables::findText(std::optional<int64_t> id) const {
  if (!id)
    return std::nullopt;
  auto found = strings.find(*id);
  if (found == strings.end())
    return std::nullopt;
  return found->second;
}

/// Returns the name of a device. Its number is one of its process, and another
/// table maps it to that of the machine.
std::string NsysTables::deviceName(int64_t device, int64_t process) const {
  auto mapped = gpuOfDevice.find({process, device});
  auto found =
      gpuNames.find(mapped == gpuOfDevice.end() ? device : mapped->second);
  return found == gpuNames.end() ? "" : found->second;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

uint32_t NsysTables::threadLane(int64_t globalTid) {
  auto [lane, isNew] = threadLanes.try_emplace(globalTid, 0);
  if (!isNew)
    return lane->second;
  TraceLane made;
  made.process = processOf(globalTid);
  made.thread = globalTid & 0xFFFFFF;
  if (auto name = processNames.find(globalTid >> 24);
      name != processNames.end())
    made.processName = name->second;
  if (auto name = threadNames.find(globalTid); name != threadNames.end())
    made.threadName = name->second;
  return lane->second = builder.addLane(std::move(made));
}

uint32_t NsysTables::streamLane(int64_t device,
                                std::optional<int64_t> globalPid,
                                int64_t context, int64_t stream) {
  int64_t process = globalPid ? processOf(*globalPid) : 0;
  auto [lane, isNew] =
      streamLanes.try_emplace(Stream{device, process, context, stream}, 0);
  if (!isNew)
    return lane->second;
  TraceLane made;
  made.isDevice = true;
  made.process = device;
  made.thread = stream;
  made.processName = deviceName(device, process);
  made.threadName = "stream " + std::to_string(stream);
  return lane->second = builder.addLane(std::move(made));
}

/// Names lanes of streams. If several processes use devices, a stream's name
/// has its process.
void NsysTables::nameLanes() {
  std::set<int64_t> processes;
  std::set<std::string> names;
  for (const auto &[stream, lane] : streamLanes) {
    processes.insert(stream.process);
    const std::string &name = builder.lane(lane).processName;
    if (!name.empty() && names.insert(name).second)
      builder.trace().devices.push_back(name);
  }
  if (processes.size() > 1)
    for (const auto &[stream, lane] : streamLanes)
      builder.lane(lane).threadName +=
          ", pid " + std::to_string(stream.process);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

uint32_t NsysTables::numberOfProcess(int64_t globalId) {
  return processes.try_emplace(globalId >> 24, processes.size()).first->second;
}

int64_t NsysTables::correlationKey(std::optional<int64_t> globalId,
                                   int64_t correlation) {
  uint64_t process =
      namesProcesses && globalId ? numberOfProcess(*globalId) : 0;
  return int64_t(process << 32 | (uint64_t(correlation) & 0xFFFFFFFF));
}

void NsysTables::leaveOut(StringRef table, const SqliteRow &row,
                          StringRef why) {
  builder.countNote(("Rows of " + table + " left out, " + why).str(),
                    "row " + Twine(row.number()));
}

std::optional<NsysTables::Interval>
NsysTables::intervalOf(StringRef table, const SqliteRow &row) {
  std::optional<int64_t> start = row.integer(0), end = row.integer(1);
  if (!start || !end) {
    leaveOut(table, row, "start or end is no whole number");
    return std::nullopt;
  }
  if (!TraceBuilder::isTime(*start) || !TraceBuilder::isTime(*end)) {
    leaveOut(table, row, "start or end is beyond 2^61 ns");
    return std::nullopt;
  }
  if (*end < *start) {
    leaveOut(table, row, "they end before they start");
    return std::nullopt;
  }
  lastNanoseconds = std::max(lastNanoseconds, *end);
  return Interval{*start, *end};
}
