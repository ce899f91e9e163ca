//===- ReportCsv.cpp - The report, one row per op -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/ReportWriters.h"
#include "llm/Files/CsvWriter.h"
#include "llm/Files/Utf8.h"

using namespace mlir;
using namespace mlir::llm;

static void writeHeader(const Target &target, llvm::raw_ostream &os) {
  CsvLine row(os);
  row << "function"
      << "name"
      << "op"
      << "runs"
      << "engine"
      << "start_cycle"
      << "end_cycle"
      << "scheduled_cycles_per_run"
      << "cycles_per_run"
      << "overhead_cycles_per_run"
      << "serial_cycles_per_run"
      << "compute_cycles_per_run"
      << "memory_cycles_per_run"
      << "macs_per_run";
  for (const Memory *memory : target.sharedMemories())
    row << toUtf8(memory->name) + "_bytes_per_run";
  row << "bound";
}

static void writeRow(StringRef function, const OpReport &op,
                     llvm::raw_ostream &os) {
  const OpFigures &figures = op.figures;
  CsvLine row(os);
  row << toUtf8(function) << toUtf8(op.name) << op.kind << op.count
      << toUtf8(op.engines) << op.startCycle << op.endCycle
      << figures.scheduledCycles << figures.cycles << figures.overheadCycles
      << figures.serialCycles << figures.computeCycles << figures.memoryCycles
      << figures.macs;
  for (int64_t bytes : figures.bytes)
    row << bytes;
  row << stringifyCostBound(op.bound);
}

void mlir::llm::writeReportCsv(ArrayRef<Report> reports,
                               llvm::raw_ostream &os) {
  writeHeader(*reports.front().target, os);
  for (const Report &report : reports)
    for (const OpReport &op : report.ops)
      writeRow(report.functionName(), op, os);
}
