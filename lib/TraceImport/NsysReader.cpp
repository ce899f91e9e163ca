//===- NsysReader.cpp - Reads what `nsys export --type=sqlite` writes -----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables are there where there is something to put into them, and columns
// differ between versions of nsys: nothing but start and end must be there.
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
                                           "CUBLAS_EVENTS",
                                           "CUDNN_EVENTS"};

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

/// "nsys SQLite export (nsys 2026.1.1, schema 3.24.14)"
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

static void noteUnread(NsysTables &tables) {
  std::set<std::string> unread;
  for (StringRef moment : {"start", "timestamp"})
    for (const std::string &table : tables.file.tablesWith(moment))
      if (!::llvm::is_contained(tablesRead, StringRef(table)) &&
          table != NsysGraphNodes::table)
        unread.insert(table);
  if (!unread.empty())
    tables.builder.addNote("Tables of events that are not read: " +
                           ::llvm::join(unread, ", ") + ".");
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
        readNsysWork, readNsysRanges})
    if (::llvm::Error error = read(tables))
      return error;
  tables.nameLanes();
  noteUnread(tables);
  return std::move(tables.builder).finish();
}
