//===- NsysReader.cpp - Reads what `nsys export --type=sqlite` writes -----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads exports of nsys. A table exists only if it has rows, and columns differ
// between versions of nsys. Only start and end are required.
//
//===----------------------------------------------------------------------===//

#include "NsysTables.h"
#include "TraceFormats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr StringRef tablesRead[] = {"NVTX_EVENTS",
                                           "CUPTI_ACTIVITY_KIND_RUNTIME",
                                           "CUPTI_ACTIVITY_KIND_DRIVER",
                                           "CUPTI_ACTIVITY_KIND_KERNEL",
                                           "CUPTI_ACTIVITY_KIND_MEMCPY",
                                           "CUPTI_ACTIVITY_KIND_MEMSET",
                                           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                           "CUDA_GRAPH_NODE_EVENTS",
                                           "CUDA_GRAPH_EVENTS",
                                           "CUBLAS_EVENTS",
                                           "CUDNN_EVENTS"};

/// Tables with names of what is in tables of events.
static constexpr StringRef namesRead[] = {
    "StringIds",       "META_DATA_EXPORT", "EXPORT_META_DATA",
    "TARGET_INFO_GPU", "ThreadNames",      "TARGET_INFO_CUDA_DEVICE",
    "PROCESSES"};

static ::llvm::Error checkTables(const SqliteFile &file) {
  bool isExport = ::llvm::any_of(
      tablesRead, [&](StringRef table) { return file.hasTable(table); });
  for (StringRef table : {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA"})
    isExport |= file.hasTable(table);
  if (!isExport)
    return file.fail("", "a SQLite database, but no export of Nsight Systems: "
                         "it has no table StringIds, NVTX_EVENTS or "
                         "CUPTI_ACTIVITY_KIND_KERNEL; expected what 'nsys "
                         "export --type=sqlite report.nsys-rep' writes");
  for (StringRef table : tablesRead)
    for (StringRef column : {"start", "end"})
      if (file.hasTable(table) && !file.hasColumn(table, column))
        return file.fail(table, "has no column '" + column +
                                    "'; this is no version of nsys's tables "
                                    "that is known");
  return ::llvm::Error::success();
}

/// Reads versions for "nsys SQLite export (nsys 2026.1.1, schema 3.24.14)".
static ::llvm::Error readVersions(NsysTables &tables) {
  std::string nsys, schema;
  for (StringRef table : {"EXPORT_META_DATA", "META_DATA_EXPORT"}) {
    if (!tables.file.hasTable(table))
      continue;
    auto take = [&](const SqliteRow &row) {
      if (!row.text(0) || !row.text(1))
        return;
      if (*row.text(0) == "EXPORT_SCHEMA_VERSION")
        schema = *row.text(1);
      if (*row.text(0) == "EXPORT_PRODUCT_VERSION")
        nsys = *row.text(1);
    };
    if (::llvm::Error error =
            tables.file.forEachRow(table, {"name", "value"}, take))
      return error;
  }
  std::vector<std::string> versions;
  if (!nsys.empty())
    versions.push_back("nsys " + nsys);
  if (!schema.empty())
    versions.push_back("schema " + schema);
  tables.builder.trace().format =
      "nsys SQLite export" +
      (versions.empty() ? "" : " (" + ::llvm::join(versions, ", ") + ")");
  return ::llvm::Error::success();
}

static bool isRead(const SqliteFile &file, StringRef table) {
  if (table == NsysGraphNodes::names[0])
    return NsysGraphNodes::isIn(file, table);
  return ::llvm::is_contained(tablesRead, table) ||
         ::llvm::is_contained(namesRead, table);
}

/// Notes the tables that are not read: those whose rows have times, and others.
/// Tables without rows are left out, and so are tables of enumerations, which
/// only name the numbers of columns.
static ::llvm::Error noteUnread(NsysTables &tables) {
  std::vector<std::string> events, others;
  for (const std::string &table : tables.file.listTables()) {
    StringRef name = table;
    if (isRead(tables.file, name) || name.starts_with("ENUM_") ||
        name.starts_with("sqlite_"))
      continue;
    ::llvm::Expected<uint64_t> rows = tables.file.countRows(name);
    if (!rows)
      return rows.takeError();
    bool hasTimes = ::llvm::any_of(
        ArrayRef<StringRef>{"start", "timestamp", "rawTimestamp"},
        [&](StringRef column) { return tables.file.hasColumn(name, column); });
    if (*rows > 0)
      (hasTimes ? events : others)
          .push_back(table + " (" + std::to_string(*rows) +
                     (*rows == 1 ? " row)" : " rows)"));
  }
  auto note = [&](StringRef what, ArrayRef<std::string> unread) {
    if (!unread.empty())
      tables.builder.addNote(
          what + " that are not read: " + ::llvm::join(unread, ", ") + ".");
  };
  note("Tables of events", events);
  note("Tables without times", others);
  return ::llvm::Error::success();
}

static void noteProcesses(NsysTables &tables) {
  if (!tables.hasGlobalPids())
    tables.builder.addNote(
        "Work does not say of which process it is (no column globalPid): where "
        "calls of several processes have the same correlationId, the last call "
        "before the work is taken.");
}

::llvm::Expected<ImportedTrace> mlir::llm::readNsys(TraceInput &input) {
  ::llvm::Expected<SqliteFile> file = SqliteFile::open(input);
  if (!file)
    return file.takeError();
  if (::llvm::Error error = checkTables(*file))
    return error;
  NsysTables tables(std::move(*file));
  for (auto read :
       {readVersions, +[](NsysTables &all) { return all.readNames(); },
        readNsysWork, readNsysRanges, noteUnread})
    if (::llvm::Error error = read(tables))
      return error;
  tables.nameLanes();
  noteProcesses(tables);
  return std::move(tables.builder).finish();
}
