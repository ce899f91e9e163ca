//===- NsysWork.cpp - Calls, and what devices did for them ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NsysTables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Reads calls of the runtime and the driver, or of a library of kernels.
static ::llvm::Error readCalls(NsysTables &tables, StringRef table,
                               TraceEventKind kind) {
  TraceBuilder &builder = tables.builder;
  uint32_t unnamed = builder.addText("call");
  return tables.file.forEachRow(
      table, {"start", "end", "globalTid", "correlationId", "nameId"},
      [&](const SqliteRow &row) {
        auto interval = tables.intervalOf(table, row);
        if (!interval)
          return;
        std::optional<int64_t> thread = row.integer(2);
        if (!thread)
          return tables.leaveOut(table, row, "globalTid is no whole number");
        TraceEvent event;
        event.startNanoseconds = interval->startNanoseconds;
        event.endNanoseconds = interval->endNanoseconds;
        event.kind = kind;
        event.lane = tables.threadLane(*thread);
        event.name = tables.findText(row.integer(4)).value_or(unnamed);
        uint32_t number = builder.addEvent(event);
        if (std::optional<int64_t> correlation = row.integer(3))
          builder.addLauncher(TraceBuilder::Join::Correlation,
                              tables.correlationKey(thread, *correlation),
                              number);
      });
}

//===----------------------------------------------------------------------===//
// Work of devices
//===----------------------------------------------------------------------===//

namespace {
/// The columns that all tables of work have. Columns of one table come behind
/// these.
enum WorkColumn : unsigned {
  Start,
  End,
  Device,
  Context,
  Stream,
  Correlation,
  GlobalPid,
  GraphNode,
  Others
};
constexpr StringRef workColumns[] = {"start",     "end",        "deviceId",
                                     "contextId", "streamId",   "correlationId",
                                     "globalPid", "graphNodeId"};

struct WorkTable {
  StringRef table;
  TraceEventKind kind;
  std::vector<StringRef> columns; ///< behind `workColumns`
  uint32_t (*nameOf)(NsysTables &tables, const SqliteRow &row);
  /// Writes args, with Kineto's names of members.
  void (*writeArgs)(const SqliteRow &row, raw_ostream &os);
};
} // namespace

/// Adds the place where the work of a graph was recorded.
static void addRecorder(NsysTables &tables, const SqliteRow &row,
                        uint32_t event) {
  std::optional<int64_t> process = row.integer(GlobalPid),
                         node = row.integer(GraphNode);
  if (!process || !node)
    return;
  if (auto place = tables.graphNodes.find(*process, *node))
    tables.builder.addRecorded(event, tables.threadLane(place->globalTid),
                               place->nanoseconds);
}

static void readWorkRow(NsysTables &tables, const WorkTable &work,
                        const SqliteRow &row) {
  auto interval = tables.intervalOf(work.table, row);
  if (!interval)
    return;
  // CUPTI writes this if the device did not tell the time.
  if (interval->startNanoseconds == 0 && interval->endNanoseconds == 0)
    return tables.leaveOut(work.table, row, "their times are not known");
  TraceEvent event;
  event.startNanoseconds = interval->startNanoseconds;
  event.endNanoseconds = interval->endNanoseconds;
  event.kind = work.kind;
  std::optional<int64_t> globalPid = row.integer(GlobalPid);
  event.lane = tables.streamLane(row.integer(Device).value_or(0), globalPid,
                                 row.integer(Context).value_or(0),
                                 row.integer(Stream).value_or(0));
  event.name = work.nameOf(tables, row);
  std::string args;
  ::llvm::raw_string_ostream os(args);
  os << "{";
  work.writeArgs(row, os);
  os << "}";
  event.args = tables.builder.addArgs(args);
  uint32_t number = tables.builder.addEvent(event);
  addRecorder(tables, row, number);
  std::optional<int64_t> correlation = row.integer(Correlation);
  if (correlation && (globalPid || !tables.hasGlobalPids()))
    tables.builder.addLaunched(TraceBuilder::Join::Correlation,
                               tables.correlationKey(globalPid, *correlation),
                               number);
  else
    tables.builder.countNote(
        ("Rows of " + work.table + " that do not say which call launched them")
            .str(),
        "row " + Twine(row.number()));
}

static ::llvm::Error readWork(NsysTables &tables, const WorkTable &work) {
  if (!tables.file.hasTable(work.table))
    return ::llvm::Error::success();
  std::vector<StringRef> columns(std::begin(workColumns),
                                 std::end(workColumns));
  columns.insert(columns.end(), work.columns.begin(), work.columns.end());
  return tables.file.forEachRow(work.table, columns, [&](const SqliteRow &row) {
    readWorkRow(tables, work, row);
  });
}

/// Returns the number of a column behind those that all tables have.
static constexpr unsigned other(unsigned number) { return Others + number; }

static void writeNumber(raw_ostream &os, StringRef key,
                        std::optional<int64_t> value) {
  if (value)
    os << ",\"" << key << "\":" << *value;
}

static void writeTriple(raw_ostream &os, StringRef key, const SqliteRow &row,
                        unsigned first) {
  os << "\"" << key << "\":[";
  for (unsigned i = 0; i < 3; ++i)
    os << (i ? "," : "") << row.integer(other(first + i)).value_or(1);
  os << "]";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static uint32_t nameKernel(NsysTables &tables, const SqliteRow &row) {
  for (unsigned column : {0, 1, 2})
    if (auto name = tables.findText(row.integer(other(column))))
      return *name;
  return tables.builder.addText("kernel");
}

static void writeKernelArgs(const SqliteRow &row, raw_ostream &os) {
  writeTriple(os, "grid", row, 3);
  os << ",";
  writeTriple(os, "block", row, 6);
  writeNumber(os, "registers per thread", row.integer(other(9)));
  std::optional<int64_t> fixed = row.integer(other(10)),
                         dynamic = row.integer(other(11));
  writeNumber(os, "static shared memory", fixed);
  writeNumber(os, "dynamic shared memory", dynamic);
  writeNumber(os, "graph node id", row.integer(GraphNode));
}

static const WorkTable kernels = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                  TraceEventKind::Kernel,
                                  {"demangledName", "shortName", "mangledName",
                                   "gridX", "gridY", "gridZ", "blockX",
                                   "blockY", "blockZ", "registersPerThread",
                                   "staticSharedMemory", "dynamicSharedMemory"},
                                  nameKernel,
                                  writeKernelArgs};

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Names of ENUM_CUDA_MEMCPY_OPER: host, device, array, between devices, and
/// moves of managed memory.
static constexpr StringRef copyKinds[] = {"of unknown kind",
                                          "HtoD",
                                          "DtoH",
                                          "HtoA",
                                          "AtoH",
                                          "AtoA",
                                          "AtoD",
                                          "DtoA",
                                          "DtoD",
                                          "HtoH",
                                          "PtoP",
                                          "managed HtoD",
                                          "managed DtoH",
                                          "managed DtoD"};

static uint32_t nameCopy(NsysTables &tables, const SqliteRow &row) {
  int64_t kind = row.integer(other(1)).value_or(0);
  bool isKnown = kind >= 0 && kind < int64_t(std::size(copyKinds));
  return tables.builder.addText(
      ("Memcpy " + copyKinds[isKnown ? kind : 0]).str());
}

static uint32_t nameFill(NsysTables &tables, const SqliteRow &) {
  return tables.builder.addText("Memset");
}

static void writeBytes(const SqliteRow &row, raw_ostream &os) {
  if (std::optional<int64_t> bytes = row.integer(other(0)))
    os << "\"bytes\":" << *bytes;
}

static const WorkTable copies = {"CUPTI_ACTIVITY_KIND_MEMCPY",
                                 TraceEventKind::Copy,
                                 {"bytes", "copyKind"},
                                 nameCopy,
                                 writeBytes};
static const WorkTable fills = {"CUPTI_ACTIVITY_KIND_MEMSET",
                                TraceEventKind::Fill,
                                {"bytes"},
                                nameFill,
                                writeBytes};

//===----------------------------------------------------------------------===//
// Whole graphs
//===----------------------------------------------------------------------===//

static uint32_t nameGraph(NsysTables &tables, const SqliteRow &row) {
  std::optional<int64_t> graph = row.integer(other(0));
  tables.builder.countNote(
      "Runs of CUDA graphs that were recorded as a whole, and count as one "
      "kernel each (nsys profile --cuda-graph-trace=node records their "
      "kernels)",
      "row " + Twine(row.number()));
  return tables.builder.addText(graph ? "CUDA graph " + std::to_string(*graph)
                                      : "CUDA graph");
}

static const WorkTable wholeGraphs = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                      TraceEventKind::Kernel,
                                      {"graphId"},
                                      nameGraph,
                                      [](const SqliteRow &, raw_ostream &) {}};

::llvm::Error mlir::llm::readNsysWork(NsysTables &tables) {
  using Kind = TraceEventKind;
  for (auto [calls, kind] :
       {std::pair("CUPTI_ACTIVITY_KIND_RUNTIME", Kind::Call),
        std::pair("CUPTI_ACTIVITY_KIND_DRIVER", Kind::Call),
        std::pair("CUBLAS_EVENTS", Kind::Op),
        std::pair("CUDNN_EVENTS", Kind::Op)})
    if (tables.file.hasTable(calls))
      if (::llvm::Error error = readCalls(tables, calls, kind))
        return error;
  StringRef graphs = "CUDA_GRAPH_EVENTS";
  if (tables.file.hasTable(graphs) &&
      !NsysGraphNodes::isIn(tables.file, graphs))
    if (::llvm::Error error = readCalls(tables, graphs, Kind::Call))
      return error;
  if (::llvm::Error error = tables.graphNodes.read(tables))
    return error;
  for (const WorkTable *work : {&kernels, &copies, &fills, &wholeGraphs})
    if (::llvm::Error error = readWork(tables, *work))
      return error;
  return ::llvm::Error::success();
}
