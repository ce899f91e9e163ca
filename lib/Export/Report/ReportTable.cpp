//===- ReportTable.cpp - The report for people ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOpTable.h"
#include "RunComparisonWriters.h"
#include "llm/Console/TextTable.h"
#include "llm/Export/Report/ReportWriters.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Above the table
//===----------------------------------------------------------------------===//

static void printMachine(const Report &report, llvm::raw_ostream &os) {
  const Target &target = *report.target;
  std::string text;
  llvm::raw_string_ostream line(text);
  line << "Schedule: "
       << toPrintable(report.timeline.schedule().getPolicy().getValue())
       << ". Machine: ";
  bool isFirst = true;
  for (const Engine &engine : target.engines)
    line << (std::exchange(isFirst, false) ? "" : ", ") << engine.count << " x "
         << showName(engine.name);
  for (const Memory *memory : target.sharedResources())
    line << ", " << showName(memory->name) << " "
         << formatIn({"GB/s", 1e9, 1}, double(memory->bytesPerSecond))
         << " GB/s";
  line << ", " << formatIn({"GHz", 1e9, 3}, double(target.clockHz))
       << (target.clockIsGiven ? " GHz"
                               : " GHz (no clock is given: a stated tick)");
  printWrapped(os, text, pageWidth);
  printWrapped(os, describeCertainty(target), pageWidth);
}

namespace {
/// A length of time with a remark on it.
struct BoundRow {
  StringRef name;
  int64_t cycles;
  std::string remark;
};
} // namespace

/// Says how far the makespan is above a bound, and what the bound is.
static std::string describeGap(const Report &report, int64_t boundCycles,
                               std::optional<double> percent,
                               ArrayRef<std::string> meaning) {
  std::string text = llvm::join(meaning, ", ");
  if (!report.doesHold())
    return text;
  text += text.empty() ? "" : "; ";
  if (report.timeline.schedule().getMakespanCycles() == boundCycles)
    text += "reached: optimal for these tiles";
  else if (percent && *percent < 0 && report.timeline.schedule().isMeasured())
    text += "measured were " + formatIn({"%", 1, 1}, -*percent) +
            " % less: the machine is faster than its figures";
  else if (percent)
    text +=
        "the makespan is " + formatIn({"%", 1, 1}, *percent) + " % above it";
  return text;
}

/// Writes "by dram; the makespan is 0.1 % above it".
static std::string describeLowerBound(const Report &report) {
  ScheduleAttr schedule = report.timeline.schedule();
  SmallVector<std::string, 2> meaning;
  if (StringRef largest = report.largestBound(); !largest.empty())
    meaning.push_back("by " + showName(largest));
  if (schedule.getOptions())
    meaning.push_back("with any options");
  return describeGap(report, schedule.getLowerBoundCycles(),
                     report.gapPercent(), meaning);
}

static TextTable layOutBounds(ArrayRef<BoundRow> rows, int64_t clockHz,
                              bool hasRemarks) {
  constexpr size_t widestTime = 13;
  double longest = 0;
  for (const BoundRow &row : rows)
    longest = std::max(longest, cyclesToMicroseconds(row.cycles, clockHz));
  const Unit &unit = chooseUnit(timeUnits, longest, widestTime);
  TextTable table(hasRemarks ? 4 : 3);
  if (hasRemarks)
    table.setText(3);
  for (const BoundRow &row : rows) {
    double time = cyclesToMicroseconds(row.cycles, clockHz);
    std::vector<std::string> cells = {
        row.name.str(), withThousandsSeparators(row.cycles) + " cycles",
        formatIn(unit, time) + " " + unit.name.str()};
    if (hasRemarks)
      cells.push_back(row.remark);
    table.addRow(std::move(cells));
  }
  return table;
}

/// A remark stands in the table, or below it if there is no room.
static void printBounds(const Report &report, llvm::raw_ostream &os) {
  ScheduleAttr schedule = report.timeline.schedule();
  // Theoretical tiles do not count the bytes of results, while the roofline
  // does.
  bool isBeaten = schedule.getMakespanCycles() < schedule.getRooflineCycles();
  SmallVector<BoundRow, 4> rows = {
      {"makespan", schedule.getMakespanCycles(), ""},
      {"lower bound", schedule.getLowerBoundCycles(),
       describeLowerBound(report)}};
  if (std::optional<double> gap = report.provenGapPercent())
    rows.push_back({"proven", schedule.getProvenCycles(),
                    describeGap(report, schedule.getProvenCycles(), gap,
                                toPrintable(schedule.describeProven()))});
  rows.push_back({"roofline", schedule.getRooflineCycles(),
                  isBeaten ? "counts results, which these tiles leave out"
                           : "no tile and no schedule can beat it"});
  int64_t clockHz = report.target->clockHz;
  TextTable table = layOutBounds(rows, clockHz, /*hasRemarks=*/true);
  bool fits = table.width() <= pageWidth;
  if (!fits)
    table = layOutBounds(rows, clockHz, /*hasRemarks=*/false);
  table.print(os, pageWidth);
  for (const BoundRow &row : rows)
    if (!fits && !row.remark.empty())
      printWrapped(os, row.name.str() + ": " + row.remark, pageWidth);
}

/// Writes ", which predicts 1 further token".
static std::string describeFurther(ProgramAttr program) {
  int64_t count = program.getFurtherTokens();
  if (!count)
    return "";
  return ", which predicts " + std::to_string(count) + " further token" +
         (count == 1 ? "" : "s");
}

/// Writes "Qwen3-8B, decode, batch 16, seq 1, 4096 keys, the whole model".
static std::string describeProgram(ProgramAttr program) {
  RunProgram run = RunProgram::of(program);
  return toPrintable(run.model) + ", " + run.phase + ", " + run.sequences +
         ", " + run.layers + describeFurther(program);
}

static std::string describeTokens(const Report &report, double rate) {
  ProgramAttr program = report.imported;
  std::string text = formatIn({"", 1, 1}, rate);
  switch (program.getPhase()) {
  case Phase::Verify:
    text += ", were all drafts accepted";
    break;
  case Phase::Mixed:
    text += ", those of the chunk too";
    break;
  case Phase::Decode:
  case Phase::Prefill:
    break;
  }
  if (!program.getIsWhole())
    text += ", if all " + std::to_string(program.getModelLayers()) +
            " layers took this long, without embedding, head and sampling";
  return text;
}

/// If the target gives energies, prints the energy of the program and its mean
/// power over the makespan. The power of the idle device is added if the target
/// gives it.
static void printEnergy(const Report &report, llvm::raw_ostream &os) {
  int64_t picojoules = report.sum.energyPicojoules;
  double seconds = 1e-6 * cyclesToMicroseconds(
                              report.timeline.schedule().getMakespanCycles(),
                              report.target->clockHz);
  if (picojoules == 0 || seconds == 0)
    return;
  double joules = 1e-12 * double(picojoules);
  std::optional<int64_t> idle = report.target->idleWatts;
  double watts = joules / seconds + double(idle.value_or(0));
  bool countsBytes =
      llvm::any_of(report.target->memories, [](const Memory &memory) {
        return memory.femtojoulesPerByte.has_value();
      });
  std::string text =
      formatIn({"mJ", 1e-3, 3}, joules) +
      (countsBytes ? " mJ of multiply-accumulates and bytes, as far as the "
                     "target gives their energies; on average "
                   : " mJ of multiply-accumulates alone, as the target gives "
                     "no energy of bytes; on average ") +
      formatIn({"W", 1, 1}, watts) + " W";
  text += idle ? " with the " + std::to_string(*idle) + " W of an idle device"
               : " above those of an idle device, which the target does not "
                 "give";
  printWrapped(os, text, pageWidth);
}

static std::string showBytes(int64_t bytes) {
  constexpr Unit units[] = {{"bytes", 1, 0},
                            {"kB", 1e3, 1},
                            {"MB", 1e6, 1},
                            {"GB", 1e9, 1},
                            {"TB", 1e12, 1}};
  const Unit &unit = chooseUnit(units, double(bytes), /*width=*/5);
  return formatIn(unit, double(bytes)) + " " + unit.name.str();
}

/// Says whether the program fits, what it holds, and how much more would fit.
static std::string describeCapacity(const Report &report) {
  const Capacity &capacity = report.capacity;
  std::string memory = showName(capacity.memory().name);
  std::string holds =
      "weights " + showBytes(capacity.weightBytes) + ", KV caches " +
      showBytes(capacity.cacheBytes) +
      (capacity.stateBytes > 0 ? ", states " + showBytes(capacity.stateBytes)
                               : "") +
      ", values " + showBytes(capacity.valueBytes) + ", workspace " +
      showBytes(capacity.workspaceBytes);
  std::string needed = showBytes(capacity.neededBytes());
  if (!capacity.isChecked())
    return "not checked, " + memory +
           " has no capacity in the target: " + needed + " (" + holds + ")";
  int64_t given = capacity.memory().capacityBytes;
  std::string text = (capacity.fits() ? "yes: " : "NO: ") + needed + " of " +
                     showBytes(given) + " in " + memory;
  if (!capacity.fits())
    text += ", " + showBytes(capacity.neededBytes() - given) + " too many";
  text += " (" + holds + ")";
  if (capacity.largestBatch)
    text += "; largest batch " +
            withThousandsSeparators(*capacity.largestBatch) + " at these keys";
  if (capacity.largestContext)
    text += "; most keys " + withThousandsSeparators(*capacity.largestContext) +
            " at this batch";
  if (capacity.allLayersBytes &&
      *capacity.allLayersBytes > capacity.memory().capacityBytes)
    text += "; all " + std::to_string(report.imported.getModelLayers()) +
            " layers, if like these, would hold " +
            showBytes(*capacity.allLayersBytes) + " and do not fit";
  return text;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static std::string showPercent(double share) {
  return formatIn({"%", 1, 1}, 100 * share) + " %";
}

/// Prints "Idle: core 41.0 % (dependence 20.0 %, no_work 21.0 %); dma 100.0 %".
static void printIdle(const Report &report, llvm::raw_ostream &os) {
  int64_t makespan = report.timeline.schedule().getMakespanCycles();
  if (!report.explanation || makespan == 0)
    return;
  std::string text = "Idle: ";
  llvm::raw_string_ostream line(text);
  llvm::interleave(
      llvm::zip_equal(report.target->engines, report.explanation->engines),
      line,
      [&](auto group) {
        const auto &[engine, cycles] = group;
        double all = double(engine.count) * makespan;
        line << showName(engine.name) << " "
             << showPercent(1 - cycles.busyCycles / all);
        std::string causes;
        for (auto [cause, idle] :
             llvm::zip_equal(scheduling::allCauses, cycles.idleCycles))
          if (idle > 0)
            causes += (causes.empty() ? "" : ", ") +
                      std::string(scheduling::stringify(cause)) + " " +
                      showPercent(idle / all);
        if (!causes.empty())
          line << " (" << causes << ")";
      },
      "; ");
  os << "\n";
  printWrapped(os, text, pageWidth);
}

/// Returns the shares that are not 0 when they are shown, the largest first.
static SmallVector<TimeShare> largestFirst(ArrayRef<TimeShare> shares) {
  SmallVector<TimeShare> shown;
  llvm::copy_if(shares, std::back_inserter(shown),
                [](const TimeShare &share) { return share.percent >= 0.05; });
  llvm::stable_sort(shown, [](const TimeShare &one, const TimeShare &other) {
    return one.percent > other.percent;
  });
  return shown;
}

/// Writes "memory 93.2 % of the time, overhead 5.1 %, waiting 1.7 %". It is the
/// time of the engines that have work for longest, if there are several kinds.
static std::string describeBound(const Report &report) {
  const WhatBinds &binds = report.whatBinds;
  if (!binds.engine)
    return "nothing takes time";
  bool isOnly =
      llvm::count_if(report.target->engines, [](const Engine &engine) {
        return engine.isCompute();
      }) == 1;
  std::string of = isOnly ? " of the time"
                          : " of the time of " + showName(binds.engine->name);
  std::string text;
  for (const TimeShare &share : largestFirst(binds.shares))
    text += (text.empty() ? "" : ", ") + share.name.str() + " " +
            showPercent(share.percent / 100) + std::exchange(of, "");
  return text;
}

/// Says which change would save so much.
static std::string describeChange(const Target &target, StringRef saving) {
  if (saving == "bandwidth")
    return "twice the bandwidth of " + showName(target.dram().name) + " about ";
  if (saving == "arithmetic")
    return "twice the arithmetic about ";
  if (saving == "launches")
    return "half the launch overhead about ";
  if (saving == "power")
    return "twice the power above idle about ";
  std::string links = target.network.size() == 1
                          ? showName(target.network.front().name)
                          : "the links";
  return "twice the rates of " + links + " about ";
}

/// Writes "twice the bandwidth of dram about 31.0 %, half the launches 4.4 %".
static std::string describeSavings(const Report &report) {
  std::string text;
  for (const TimeShare &saving : largestFirst(report.whatBinds.savings))
    text += (text.empty() ? "" : ", ") +
            describeChange(*report.target, saving.name) +
            showPercent(saving.percent / 100);
  return text;
}

/// Writes "21.5 % of the time between chips, 20.1 % exposed, with no op beside
/// it".
static std::string describeExchange(const Report &report) {
  const WhatBinds &binds = report.whatBinds;
  return showPercent(*binds.exchangePercent / 100) +
         " of the time between chips, " +
         showPercent(binds.percentOf("exchange") / 100) +
         " exposed, with no op beside it";
}

/// Writes ", one of 16 chips (dp = 2, tp = 8)": the figures are those of one
/// chip, but for tokens.
static std::string describeGrid(const Report &report) {
  GridAttr grid = GridAttr::ofModule(report.program->function());
  if (!grid || grid.countChips() == 1)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ", one of " << withThousandsSeparators(grid.countChips()) << " chips (";
  llvm::interleaveComma(llvm::zip_equal(grid.getAxes(), grid.getSizes()), os,
                        [&](auto axis) {
                          os << toPrintable(std::get<0>(axis).getValue())
                             << " = " << std::get<1>(axis);
                        });
  os << ")";
  return text;
}

/// Writes "12.3 ms" in a unit that fits.
static std::string showTime(double microseconds) {
  const Unit &unit = chooseUnit(timeUnits, microseconds, /*width=*/7);
  return formatIn(unit, microseconds) + " " + unit.name.str();
}

/// Writes "20.1 ms until each of 2 microbatches is through again; 10.0 ms of it
/// for one of them in this stage".
static std::string describeTime(const Report &report) {
  if (!report.pipeline)
    return showTime(report.makespanMicroseconds());
  int64_t microbatches = report.pipeline->stage.getMicrobatches();
  return showTime(report.periodMicroseconds()) + " from one round of " +
         std::to_string(microbatches) +
         (microbatches == 1 ? " microbatch" : " microbatches") +
         " to the next; " + showTime(report.makespanMicroseconds()) +
         " for one in this stage";
}

/// Writes "7.1 to 8.2 ms in eight of ten cases, by the errors of kernels like
/// these".
static std::string describeRange(const Report &report) {
  double time = report.makespanMicroseconds();
  double most = time * report.spread->p90;
  Unit unit = chooseUnit(timeUnits, most, /*width=*/7);
  // Three digits say enough of a range.
  unit.decimals = most >= 100 * unit.size ? 0 : most >= 10 * unit.size ? 1 : 2;
  return formatIn(unit, time * report.spread->p10) + " to " +
         formatIn(unit, most) + " " + unit.name.str() +
         (report.pipeline ? " for one in this stage" : "") +
         " in eight of ten cases, by the errors of kernels like these";
}

/// Writes "36.0 % of the time is measured, 61.5 % is corrected by measured
/// times of ops like it".
static std::string describeMeasured(const Report &report) {
  return showPercent(report.percentFrom(TimeSource::Measured) / 100) +
         " of the time is measured, " +
         showPercent(report.percentFrom(TimeSource::Corrected) / 100) +
         " is corrected by measured times of ops like it";
}

/// Writes "stage 1 of 4 (from 0), at work in 96.1 % of the time; a first round
/// is through after 30.5 ms; results take 15.2 us to the next stage".
static std::string describePipeline(const Report &report) {
  const StageTimes &times = *report.pipeline;
  int64_t clockHz = report.target->clockHz;
  PipelineAttr pipeline = times.pipeline;
  std::string text =
      "stage " + std::to_string(times.stage.getNumber()) + " of " +
      std::to_string(times.stage.getCount()) + " (from 0), " +
      (times.stage.getRounds() > 1
           ? "one of " + std::to_string(times.stage.getRounds()) +
                 " on its chips, which are "
           : "") +
      "at work in " + showPercent(report.stageBusyPercent() / 100) +
      " of the time; the first round is through after " +
      showTime(cyclesToMicroseconds(pipeline.getMakespanCycles(), clockHz));
  if (times.transferCycles > 0)
    text += "; results take " +
            showTime(cyclesToMicroseconds(times.transferCycles, clockHz)) +
            " to the next stage";
  return text;
}

/// Prints a line of the headline, with a name in front.
static void printLine(StringRef name, const std::string &text,
                      llvm::raw_ostream &os) {
  std::string head = name.str() + std::string(10 - name.size(), ' ');
  printWrapped(os, text, pageWidth, head);
}

static void printProblems(const Report &report, llvm::raw_ostream &os) {
  std::string excess = report.describeExcess();
  if (!excess.empty())
    printWrapped(os, "DOES NOT FIT: " + toPrintable(excess), pageWidth);
  for (const std::string &problem : report.problems)
    if (problem != excess)
      printWrapped(os, "DOES NOT HOLD: " + toPrintable(problem), pageWidth);
}

/// Prints what follows from the time. Nothing does if the schedule does not
/// hold.
static void printTime(const Report &report, llvm::raw_ostream &os) {
  std::string text = describeTime(report);
  if (!report.doesHold())
    return printLine("time",
                     text + ", as the schedule says, which does not hold: "
                            "what would follow from it is left out",
                     os);
  constexpr Unit percent{"%", 1, 1};
  std::string excess = report.mbuPercent > 100 ? ": see the note" : "";
  printLine("time", text, os);
  if (report.spread)
    printLine("range", describeRange(report), os);
  if (!report.target->measured.empty())
    printLine("measured", describeMeasured(report), os);
  if (report.pipeline)
    printLine("pipeline", describePipeline(report), os);
  if (std::optional<double> rate = report.tokensPerSecond())
    printLine("tokens/s", describeTokens(report, *rate), os);
  printLine("bound", describeBound(report), os);
  if (std::string savings = describeSavings(report); !savings.empty())
    printLine("savings", savings, os);
  if (report.whatBinds.exchangePercent)
    printLine("exchange", describeExchange(report), os);
  printLine("of peak",
            "MFU " + formatIn(percent, report.mfuPercent) + " %, MBU " +
                formatIn(percent, report.mbuPercent) + " %" + excess,
            os);
}

/// Prints what most readers want to know.
static void printHeadline(const Report &report, llvm::raw_ostream &os) {
  printProblems(report, os);
  std::string title = toPrintable(report.functionName()) + " on " +
                      showName(report.target->name, widestTarget) +
                      describeGrid(report);
  if (report.imported)
    title += ": " + describeProgram(report.imported);
  if (report.pipeline)
    title += ", of which this is a stage; all sizes are those of a microbatch";
  printWrapped(os, title, pageWidth);
  printLine("fits", describeCapacity(report), os);
  printTime(report, os);
  for (const std::string &remark : report.remarks)
    printLine("note", toPrintable(remark), os);
}

/// Lists the ops whose tiles the search did not choose.
static void printTilesByHand(const Report &report, llvm::raw_ostream &os) {
  constexpr size_t mostNames = 8;
  auto print = [&](TileStrategy strategy, StringRef what) {
    SmallVector<std::string> names;
    for (auto [entry, op] : llvm::zip_equal(report.program->ops(), report.ops))
      if (auto tile =
              entry.op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
          tile && tile.getStrategy() == strategy)
        names.push_back(toPrintable(op.name));
    if (names.empty())
      return;
    size_t shown = std::min(names.size(), mostNames);
    std::string text =
        ("By hand (" + stringifyTileStrategy(strategy) + "), " + what + ": ")
            .str() +
        llvm::join(ArrayRef(names).take_front(shown), ", ");
    if (names.size() > shown)
      text += " and " + std::to_string(names.size() - shown) + " more";
    printWrapped(os, text, pageWidth);
  };
  print(TileStrategy::Manual, "the tiles, not how they are split, of");
  print(TileStrategy::Pinned, "the tiles and how they are split, of");
}

void mlir::llm::writeReportSummary(const Report &report,
                                   llvm::raw_ostream &os) {
  printHeadline(report, os);
  os << "\n";
  printMachine(report, os);
  printBounds(report, os);
  printEnergy(report, os);
}

void mlir::llm::writeReportTable(ArrayRef<Report> reports,
                                 llvm::raw_ostream &os,
                                 const BesideBaseline *beside) {
  Look look = Look::of(os);
  for (auto [index, report] : llvm::enumerate(reports)) {
    if (index > 0)
      os << "\n";
    writeReportSummary(report, os);
    printOpTable(report, look, os);
    printIdle(report, os);
    printTilesByHand(report, os);
    if (beside)
      printRunComparison(*beside, index, os);
  }
}
