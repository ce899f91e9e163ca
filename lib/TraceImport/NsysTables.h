//===- NsysTables.h - What the tables of an nsys export share ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_NSYSTABLES_H
#define LLM_TRACEIMPORT_NSYSTABLES_H

#include "SqliteFile.h"
#include "TraceBuilder.h"

#include <unordered_map>

namespace mlir::llm {

class NsysTables;

/// The nodes of CUDA graphs.
class NsysGraphNodes {
public:
  /// The tables of nodes. nsys 2022 wrote nodes into the second one, where
  /// later versions write when graphs were made.
  static constexpr StringRef names[] = {"CUDA_GRAPH_NODE_EVENTS",
                                        "CUDA_GRAPH_EVENTS"};
  static bool isIn(const SqliteFile &file, StringRef table) {
    return file.hasColumn(table, "graphNodeId");
  }
  struct Place {
    int64_t globalTid, nanoseconds;
  };

  llvm::Error read(NsysTables &tables);
  /// Returns where the node was recorded; nothing if the tables do not say.
  std::optional<Place> find(int64_t globalPid, int64_t node) const;

private:
  struct Node {
    int64_t original; ///< 0: the node was recorded itself
    int64_t globalTid, startNanoseconds;
  };
  llvm::Error readTable(NsysTables &tables, StringRef table);

  using Key = std::pair<int64_t, int64_t>; ///< process, number
  static Key keyOf(int64_t globalId, int64_t node) {
    return {globalId >> 24, node};
  }
  std::map<Key, Node> nodes;
};

/// Texts, threads, processes and devices, which tables name by number.
class NsysTables {
public:
  explicit NsysTables(SqliteFile file) : file(std::move(file)) {}
  /// Reads the tables of names. Must be called before events are read.
  llvm::Error readNames();
  /// Sets the names of lanes that are only known when all is read.
  void nameLanes();

  struct Interval {
    int64_t startNanoseconds, endNanoseconds;
  };
  /// Returns the interval in the first two columns. A row without one is left
  /// out and counted.
  std::optional<Interval> intervalOf(StringRef table, const SqliteRow &row);
  /// Counts a row that cannot be shown, and says why: "no globalTid".
  void leaveOut(StringRef table, const SqliteRow &row, StringRef why);

  /// Returns a text of StringIds; nothing if there is none of this number.
  std::optional<uint32_t> findText(std::optional<int64_t> id) const;
  uint32_t threadLane(int64_t globalTid);
  /// Returns the lane of a stream. Contexts number their streams independently.
  uint32_t streamLane(int64_t device, std::optional<int64_t> globalPid,
                      int64_t context, int64_t stream);
  /// Returns a key for a correlation, which is a number within a process.
  int64_t correlationKey(std::optional<int64_t> globalPid, int64_t correlation);
  bool hasGlobalPids() const { return namesProcesses; }

  static int64_t processOf(int64_t globalId) {
    return globalId >> 24 & 0xFFFFFF;
  }

  SqliteFile file;
  TraceBuilder builder;
  NsysGraphNodes graphNodes;
  int64_t lastNanoseconds = INT64_MIN;

private:
  struct Stream {
    int64_t device, process, context, stream;
    bool operator<(const Stream &other) const {
      return std::tie(device, process, context, stream) <
             std::tie(other.device, other.process, other.context, other.stream);
    }
  };
  llvm::Error readStrings();
  llvm::Error readThreads();
  llvm::Error readDevices();
  uint32_t numberOfProcess(int64_t globalId);
  std::string deviceName(int64_t device, int64_t process) const;

  std::unordered_map<int64_t, uint32_t> strings;
  std::unordered_map<int64_t, std::string> threadNames, processNames;
  std::unordered_map<int64_t, uint32_t> threadLanes, processes;
  std::map<int64_t, std::string> gpuNames;
  std::map<std::pair<int64_t, int64_t>, int64_t> gpuOfDevice;
  std::map<Stream, uint32_t> streamLanes;
  bool namesProcesses = true;
};

/// Reads NVTX ranges and marks.
llvm::Error readNsysRanges(NsysTables &tables);
/// Reads calls of the runtime and the driver, and the work of devices.
llvm::Error readNsysWork(NsysTables &tables);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_NSYSTABLES_H
