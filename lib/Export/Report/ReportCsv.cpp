//===- ReportCsv.cpp - The report, one row per op -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/ReportWriters.h"
#include "llm/Files/CsvWriter.h"
#include "llm/Files/Utf8.h"
#include "llm/Results/OpKinds.h"
#include "llm/Results/OpShapes.h"
#include "llm/Results/RunComparison.h"
#include "llm/Support/ModuleNames.h"
#include "llm/Support/ShortestDecimal.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// One row for each op
//===----------------------------------------------------------------------===//

static void writeHeader(const Target &target, llvm::raw_ostream &os) {
  CsvLine row(os);
  for (StringRef name : {"function", "target", "clock_hz", "name", "op",
                         "module", "layer", "inputs", "outputs", "count"})
    row << name;
  for (const NamedFigure &figure : namedFigures(Utilization(), 0, 0, 0))
    row << figure.name;
  for (StringRef name :
       {"bound", "tile_strategy", "engines", "start_cycle", "end_cycle",
        "scheduled_cycles", "cycles", "overhead_cycles", "serial_cycles",
        "compute_cycles", "memory_cycles", "macs"})
    row << name;
  for (const Memory *memory : target.sharedResources())
    row << "bytes." + toUtf8(memory->name);
  for (StringRef name :
       {"compulsory_bytes", "kind", "elapsed_us", "start_us", "end_us",
        "exposed_us", "time_from", "time_p10_us", "time_p90_us"})
    row << name;
}

static std::string tileStrategyOf(Operation *op) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  return tile ? stringifyTileStrategy(tile.getStrategy()).str() : "";
}

/// Adds the two ends of the range of a time, which may have none.
static void addSpread(CsvLine &row, const std::optional<TimeSpread> &spread,
                      double microseconds) {
  row << (spread ? toShortestDecimal(microseconds * spread->p10) : "")
      << (spread ? toShortestDecimal(microseconds * spread->p90) : "");
}

static void writeRow(const Report &report, unsigned index,
                     llvm::raw_ostream &os) {
  const OpReport &op = report.ops[index];
  Operation *operation = report.program->ops()[index].op;
  const OpFigures &figures = op.figures;
  CsvLine row(os);
  row << toUtf8(report.functionName()) << toUtf8(report.target->name)
      << report.target->clockHz << toUtf8(op.name) << op.kind
      << toUtf8(moduleOf(op.name)) << toUtf8(layerOf(op.name))
      << llvm::join(inputShapes(operation), " ")
      << llvm::join(outputShapes(operation), " ") << op.count;
  for (const NamedFigure &figure :
       namedFigures(op.utilization, op.count, report.engineMicrosecondsOf(op),
                    report.sharePercentOf(op)))
    row << toShortestDecimal(figure.value);
  row << stringifyCostBound(op.bound) << tileStrategyOf(operation)
      << toUtf8(op.engines) << op.startCycle << op.endCycle
      << figures.scheduledCycles << figures.cycles << figures.overheadCycles
      << figures.serialCycles << figures.computeCycles << figures.memoryCycles
      << figures.macs;
  for (int64_t bytes : figures.bytes)
    row << bytes;
  auto microseconds = [&](int64_t cycles) {
    return cyclesToMicroseconds(cycles, report.target->clockHz);
  };
  row << op.compulsoryBytes << kindOf(operation)
      << toShortestDecimal(elapsedMicroseconds(report, index))
      << toShortestDecimal(microseconds(op.startCycle))
      << toShortestDecimal(microseconds(op.endCycle));
  std::optional<double> exposed = report.exposedMicrosecondsOf(index);
  row << (exposed ? toShortestDecimal(*exposed) : "");
  bool isMeasured = report.timeline.schedule().isMeasured();
  row << (isMeasured ? "" : stringify(op.origin.source));
  addSpread(row, op.origin.spread, report.engineMicrosecondsOf(op));
}

void mlir::llm::writeReportCsv(ArrayRef<Report> reports,
                               llvm::raw_ostream &os) {
  writeHeader(*reports.front().target, os);
  for (const Report &report : reports)
    for (unsigned op = 0; op < report.ops.size(); ++op)
      writeRow(report, op, os);
}

//===----------------------------------------------------------------------===//
// One row for each function
//===----------------------------------------------------------------------===//

static std::string numberOr(std::optional<int64_t> number) {
  return number ? std::to_string(*number) : "";
}

static void writeSummaryRow(const Report &report, llvm::raw_ostream &os) {
  ProgramAttr program = report.imported;
  const Capacity &capacity = report.capacity;
  ScheduleAttr schedule = report.timeline.schedule();
  std::optional<double> rate = report.tokensPerSecond();
  std::string tokens = rate ? toShortestDecimal(*rate) : "";
  bool isWhole = program && program.getIsWhole();
  CsvLine row(os);
  row << toUtf8(report.functionName()) << toUtf8(report.target->name)
      << report.target->clockHz
      << (program ? toUtf8(program.getModel().getValue()) : "")
      << (program ? stringifyPhase(program.getPhase()) : "")
      << (program ? std::to_string(program.getLayers()) : "")
      << (program ? std::to_string(program.getModelLayers()) : "")
      << (!capacity.isChecked() ? ""
          : capacity.fits()     ? "true"
                                : "false")
      << toShortestDecimal(report.makespanMicroseconds())
      << (isWhole ? tokens : "") << (isWhole ? "" : tokens)
      << report.whatBinds.largest();
  for (const TimeShare &share : report.whatBinds.shares)
    row << toShortestDecimal(share.percent);
  row << toShortestDecimal(report.mfuPercent)
      << toShortestDecimal(report.mbuPercent) << schedule.getMakespanCycles()
      << schedule.getLowerBoundCycles() << schedule.getRooflineCycles()
      << capacity.neededBytes()
      << (capacity.isChecked() ? std::to_string(capacity.memory().capacityBytes)
                               : "")
      << numberOr(capacity.largestBatch) << numberOr(capacity.largestContext);
  const WhatBinds &binds = report.whatBinds;
  row << (binds.exchangePercent ? toShortestDecimal(*binds.exchangePercent)
                                : "");
  // Measured runs have none, and one chip alone has no links.
  for (StringRef name :
       {"bandwidth", "arithmetic", "launches", "power", "links"}) {
    const TimeShare *saving = binds.findSaving(name);
    row << (saving ? toShortestDecimal(saving->percent) : "");
  }
  row << toUtf8(llvm::join(report.problems, "; "))
      << toUtf8(llvm::join(report.remarks, "; "));
  bool isStage = report.pipeline.has_value();
  row << (isStage ? std::to_string(report.pipeline->stage.getNumber()) : "")
      << (isStage ? toShortestDecimal(report.periodMicroseconds()) : "")
      << (isStage ? toShortestDecimal(report.stageBusyPercent()) : "");
  addSpread(row, report.spread, report.makespanMicroseconds());
}

void mlir::llm::writeReportSummaryCsv(ArrayRef<Report> reports,
                                      llvm::raw_ostream &os) {
  {
    CsvLine row(os);
    for (StringRef name : {"function",
                           "target",
                           "clock_hz",
                           "model",
                           "phase",
                           "layers",
                           "model_layers",
                           "fits",
                           "makespan_us",
                           "tokens_per_second",
                           "tokens_per_second_if_all_layers",
                           "bound",
                           "bound_percent.compute",
                           "bound_percent.memory",
                           "bound_percent.overhead",
                           "bound_percent.exchange",
                           "bound_percent.waiting",
                           "mfu_percent",
                           "mbu_percent",
                           "makespan_cycles",
                           "lower_bound_cycles",
                           "roofline_cycles",
                           "needed_bytes",
                           "capacity_bytes",
                           "largest_batch",
                           "largest_kv_len",
                           "exchange_percent",
                           "savings_percent.bandwidth",
                           "savings_percent.arithmetic",
                           "savings_percent.launches",
                           "savings_percent.power",
                           "savings_percent.links",
                           "problems",
                           "remarks",
                           "stage",
                           "pipeline_period_us",
                           "stage_busy_percent",
                           "makespan_p10_us",
                           "makespan_p90_us"})
      row << name;
  }
  for (const Report &report : reports)
    writeSummaryRow(report, os);
}
