//===- ReportOpTable.cpp - The report's table of ops ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOpTable.h"
#include "llm/Results/ModuleTree.h"
#include "llm/Results/RunComparison.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

namespace {
/// The widths of times and bars, and how far the rows of a module are indented.
struct Layout {
  size_t timeWidth, barCells, step;
  /// The first layout that leaves this many letters for each name is chosen.
  size_t letters;
};
} // namespace

static constexpr Layout layouts[] = {
    {11, 8, 2, SIZE_MAX}, {9, 8, 2, 16}, {9, 0, 2, 8}, {9, 0, 1, 8}};

/// Modules that are nested deeper have no row, because people do not count the
/// levels of indentation further.
static constexpr unsigned deepest = 8;

namespace {
/// The figures of an op, or of all ops of a module, over all runs.
struct Sum {
  int64_t cycles = 0; ///< not above the sum over all ops, which fits
  double elapsedMicroseconds = 0;
  double flop = 0, bytes = 0;
  /// The time in which the work is done. If engines work side by side, that of
  /// a module is the time in which any of its ops runs. Otherwise its ops run
  /// one behind the other.
  double seconds = 0, secondsWithFetches = 0;
  /// How often it runs. A module has a number if all of its ops run as often.
  std::optional<int64_t> runs;

  Sum() = default;
  explicit Sum(const OpReport &op)
      : cycles(op.allRuns.scheduledCycles), flop(2 * double(op.allRuns.macs)),
        bytes(double(op.allRuns.dramBytes)),
        seconds(op.utilization.seconds * double(op.count)),
        secondsWithFetches(op.utilization.secondsWithFetches *
                           double(op.count)),
        runs(op.count) {}

  /// The time of the whole program is the makespan.
  static Sum of(const Report &report) {
    Sum sum;
    sum.cycles = report.sum.scheduledCycles;
    sum.elapsedMicroseconds = report.makespanMicroseconds();
    sum.flop = 2 * double(report.sum.macs);
    sum.bytes = double(report.sum.dramBytes);
    sum.seconds = sum.secondsWithFetches = 1e-6 * report.makespanMicroseconds();
    return sum;
  }
  double teraflopPerSecond() const {
    return seconds > 0 ? 1e-12 * flop / seconds : 0;
  }
  double gigabytesPerSecond() const {
    return secondsWithFetches > 0 ? 1e-9 * bytes / secondsWithFetches : 0;
  }
};

/// Each unit is chosen for the largest number in its column.
struct Units {
  Units(const Report &report, const Layout &layout)
      : clockHz(report.target->clockHz),
        time(chooseUnit(timeUnits, microseconds(report.sum.scheduledCycles),
                        layout.timeWidth)),
        arithmetic(chooseUnit(
            arithmeticUnits, most(report, &Sum::teraflopPerSecond), rateWidth)),
        stream(chooseUnit(streamUnits, most(report, &Sum::gigabytesPerSecond),
                          rateWidth)) {}

  /// Ops that run side by side are together faster than each, but hardly need
  /// another unit than the whole program or its fastest op.
  static double most(const Report &report, double (Sum::*rate)() const) {
    double most = (Sum::of(report).*rate)();
    for (const OpReport &op : report.ops)
      most = std::max(most, (Sum(op).*rate)());
    for (const OpReport &op : report.ops)
      if (rate == &Sum::gigabytesPerSecond)
        most = std::max(most, op.utilization.gigabytesPerSecond);
    return most;
  }
  double microseconds(double cycles) const { return cycles * 1e6 / clockHz; }

  static constexpr size_t rateWidth = 7;
  static constexpr Unit arithmeticUnits[] = {
      {"GFLOP/s", 1e-3, 1}, {"TFLOP/s", 1, 1}, {"PFLOP/s", 1e3, 1}};
  static constexpr Unit streamUnits[] = {
      {"MB/s", 1e-3, 1}, {"GB/s", 1, 1}, {"TB/s", 1e3, 2}};

  int64_t clockHz;
  const Unit &time, &arithmetic, &stream;
};
} // namespace

/// Says whether an op takes another time than its engines together, as several
/// of them run its parts. Otherwise one column says both.
static bool hasOwnElapsed(const Report &report) {
  return llvm::any_of(report.ops, [](const OpReport &op) {
    return op.figures.scheduledCycles != op.endCycle - op.startCycle;
  });
}

static Sum sumOf(ArrayRef<Sum> sums) {
  Sum all;
  all.runs = sums.empty() ? std::nullopt : sums.front().runs;
  for (const Sum &sum : sums) {
    all.cycles += sum.cycles;
    all.flop += sum.flop;
    all.bytes += sum.bytes;
    all.seconds += sum.seconds;
    all.secondsWithFetches += sum.secondsWithFetches;
    if (sum.runs != all.runs)
      all.runs = std::nullopt;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
class OpTable {
public:
  OpTable(const Report &report, const ModuleTree &tree, const Layout &layout,
          Look look);
  const TextTable &text() const { return table; }

private:
  void sumModules();
  void addHeader();
  void addRows(const ModuleTree::Module &module, unsigned depth);
  void addModule(const ModuleTree::Module &in, unsigned index, unsigned depth);
  void addOp(const ModuleTree::Module &in, const OpReport &op, unsigned depth);
  void addOpsWithin(const ModuleTree::Module &module);
  /// Adds the columns from the time on behind `cells`; for an op, also what
  /// bounds it.
  void addRow(std::vector<std::string> cells, const Sum &sum, bool isBold,
              const OpReport *op = nullptr);
  std::string nameIn(const ModuleTree::Module &in, StringRef name,
                     unsigned depth) const;

  const Report &report;
  const ModuleTree &tree;
  Layout layout;
  Look look;
  Units units;
  bool hasElapsed;
  std::vector<Sum> sums; ///< by module
  TextTable table;
};
} // namespace

OpTable::OpTable(const Report &report, const ModuleTree &tree,
                 const Layout &layout, Look look)
    : report(report), tree(tree), layout(layout), look(look),
      units(report, layout), hasElapsed(hasOwnElapsed(report)),
      table((layout.barCells > 0 ? 10 : 9) + (hasElapsed ? 1 : 0)) {
  sumModules();
  addHeader();
  addRows(tree.root(), 0);
  table.addRule();
  addRow({"total", "", ""}, Sum::of(report), /*isBold=*/true);
}

/// Inner modules stand behind outer ones, so their sums are ready first.
void OpTable::sumModules() {
  sums.resize(tree.size());
  std::vector<std::vector<unsigned>> ops(tree.size());
  for (size_t index = tree.size(); index-- > 0;) {
    std::vector<Sum> parts;
    for (ModuleTree::Child child : tree.module(index).children) {
      parts.push_back(child.isModule ? sums[child.index]
                                     : Sum(report.ops[child.index]));
      if (child.isModule)
        llvm::append_range(ops[index], ops[child.index]);
      else
        ops[index].push_back(child.index);
    }
    sums[index] = sumOf(parts);
    if (!hasElapsed)
      continue;
    Sum &sum = sums[index];
    sum.elapsedMicroseconds = elapsedMicroseconds(report, ops[index]);
    sum.seconds = sum.secondsWithFetches = 1e-6 * sum.elapsedMicroseconds;
  }
}

void OpTable::addHeader() {
  constexpr size_t widestMemory = 8;
  std::string time = units.time.name.str();
  std::vector<std::string> names = {"op", "count", "engine"};
  std::vector<std::string> shown = {"", "", ""};
  if (hasElapsed) {
    names.push_back("elapsed");
    shown.push_back(time);
  }
  llvm::append_range(names, std::array<std::string, 2>{
                                hasElapsed ? "on engines" : "time", "share"});
  llvm::append_range(shown, std::array<std::string, 2>{time, "%"});
  table.setText(2);
  if (layout.barCells > 0) {
    table.setText(names.size());
    names.push_back("");
    shown.push_back("");
  }
  names.push_back("compute");
  names.push_back(showName(report.target->dram().name, widestMemory));
  names.push_back("limit");
  table.setText(names.size());
  names.push_back("bound");
  shown.push_back(units.arithmetic.name.str());
  shown.push_back(units.stream.name.str());
  shown.push_back("%");
  shown.push_back("");
  table.addRow(std::move(names), /*isBold=*/true);
  table.addRow(std::move(shown));
  table.addRule();
}

void OpTable::addRows(const ModuleTree::Module &module, unsigned depth) {
  if (depth == deepest)
    return addOpsWithin(module);
  for (ModuleTree::Child child : module.children)
    if (child.isModule)
      addModule(module, child.index, depth);
    else
      addOp(module, report.ops[child.index], depth);
}

/// Adds the ops of a module and of the modules in it, in the order of the
/// program.
void OpTable::addOpsWithin(const ModuleTree::Module &module) {
  std::vector<unsigned> ops;
  SmallVector<const ModuleTree::Module *> left = {&module};
  while (!left.empty())
    for (ModuleTree::Child child : left.pop_back_val()->children)
      if (child.isModule)
        left.push_back(&tree.module(child.index));
      else
        ops.push_back(child.index);
  llvm::sort(ops);
  for (unsigned op : ops)
    addOp(module, report.ops[op], deepest);
}

/// Blanks at the ends of a name and empty names would be invisible, so they are
/// written as `\20` and `""`.
static std::string showRowName(StringRef name) {
  StringRef inner = name.trim(' ');
  if (name.empty())
    return "\"\"";
  size_t before = inner.empty() ? name.size() : inner.data() - name.data();
  size_t behind = name.size() - before - inner.size();
  auto blanks = [](size_t count) {
    std::string text;
    while (count-- > 0)
      text += "\\20";
    return text;
  };
  return blanks(before) + toPrintable(inner) + blanks(behind);
}

std::string OpTable::nameIn(const ModuleTree::Module &in, StringRef name,
                            unsigned depth) const {
  return std::string(layout.step * depth, ' ') +
         showRowName(ModuleTree::relativeName(name, in));
}

void OpTable::addModule(const ModuleTree::Module &in, unsigned index,
                        unsigned depth) {
  const ModuleTree::Module &module = tree.module(index);
  const Sum &sum = sums[index];
  addRow({nameIn(in, module.path, depth),
          sum.runs ? std::to_string(*sum.runs) : "", ""},
         sum, /*isBold=*/true);
  addRows(module, depth + 1);
}

void OpTable::addOp(const ModuleTree::Module &in, const OpReport &op,
                    unsigned depth) {
  constexpr size_t widestEngine = 12;
  Sum sum(op);
  sum.elapsedMicroseconds =
      double(op.count) * units.microseconds(op.endCycle - op.startCycle);
  addRow({nameIn(in, op.name, depth), std::to_string(op.count),
          showName(op.engines, widestEngine)},
         sum, /*isBold=*/false, &op);
}

static TextTable::Color colorOf(CostBound bound) {
  switch (bound) {
  case CostBound::Compute:
    return TextTable::Color::GREEN;
  case CostBound::Memory:
    return TextTable::Color::BLUE;
  case CostBound::Overhead:
    return TextTable::Color::YELLOW;
  }
  return TextTable::Color::SAVEDCOLOR;
}

void OpTable::addRow(std::vector<std::string> cells, const Sum &sum,
                     bool isBold, const OpReport *op) {
  double cycles = sum.cycles;
  double share = cycles / std::max<int64_t>(report.sum.scheduledCycles, 1);
  constexpr Unit percent{"%", 1, 1};
  if (hasElapsed)
    cells.push_back(formatIn(units.time, sum.elapsedMicroseconds));
  cells.push_back(formatIn(units.time, units.microseconds(cycles)));
  cells.push_back(formatIn(percent, 100 * share));
  std::optional<size_t> barColumn;
  if (layout.barCells > 0) {
    barColumn = cells.size();
    cells.push_back(formatBar(share, layout.barCells, look.hasBlocks));
  }
  cells.push_back(formatIn(units.arithmetic, sum.teraflopPerSecond()));
  cells.push_back(formatIn(units.stream, op ? op->utilization.gigabytesPerSecond
                                            : sum.gigabytesPerSecond()));
  cells.push_back(op ? formatIn(percent, op->utilization.percentOfLimit())
                     : "");
  size_t boundColumn = cells.size();
  cells.push_back(op ? stringifyCostBound(op->bound).str() : "");
  table.addRow(std::move(cells), isBold);
  if (barColumn)
    table.setColor(*barColumn, TextTable::Color::CYAN);
  if (op)
    table.setColor(boundColumn, colorOf(op->bound));
}

//===----------------------------------------------------------------------===//
// With what is to be known of it
//===----------------------------------------------------------------------===//

/// Returns " (arithmetic at 1.980 GHz)" if a clock above that of the datasheet's
/// rates limits the arithmetic.
static std::string describeFastestClock(const Target &target) {
  int64_t fastest = 0;
  for (const Engine &engine : target.engines)
    fastest = std::max(fastest, engine.boostClockHz.value_or(0));
  return fastest > target.clockHz
             ? llvm::formatv(" (arithmetic at the boost clock, {0:f3} GHz)",
                             1e-9 * double(fastest))
                   .str()
             : "";
}

static void printLegend(const Report &report, const ModuleTree &tree,
                        const Layout &layout, Look look,
                        llvm::raw_ostream &os) {
  const ModuleTree::Module &root = tree.root();
  std::string text;
  if (!root.path.empty())
    text = "Names without \"" + toPrintable(root.path) + ".\". ";
  text += hasOwnElapsed(report)
              ? "Elapsed: from an op's first start to its last end, all runs. "
                "On engines, and share: the times of all its engines together; "
                "engines work side by side. "
              : "Time and share: engine time of all runs. ";
  text +=
      "Compute and " + showName(report.target->dram().name) +
      ": what the op achieves while it runs, two FLOP for each MAC" +
      (report.target->network.empty()
           ? ""
           : "; of an exchange, the bytes over its link, which is its engine") +
      ". Limit: its share of the nearest of the whole machine's peaks" +
      describeFastestClock(*report.target) +
      ". Bound: what binds "
      "the op on the whole machine; more of that shortens neither launches nor "
      "what is serial.";
  if (llvm::any_of(root.children,
                   [](ModuleTree::Child child) { return child.isModule; }))
    text += hasOwnElapsed(report)
                ? " A module has the sum of the rows indented under it. Its "
                  "elapsed time, in which it achieves its rates, is that in "
                  "which any of them runs."
                : " A module has the sum of the rows indented under it.";
  if (layout.barCells > 0 && !look.hasBlocks)
    text += llvm::formatv(" A # is {0:f1} %, a - half of that.",
                          100.0 / double(layout.barCells));
  printWrapped(os, text, pageWidth);
}

void mlir::llm::printOpTable(const Report &report, Look look,
                             llvm::raw_ostream &os) {
  ModuleTree tree(llvm::map_to_vector(
      report.ops, [](const OpReport &op) { return op.name; }));
  for (const Layout &layout : layouts) {
    OpTable table(report, tree, layout, look);
    bool isLast = &layout == std::end(layouts) - 1;
    if (table.text().width(layout.letters) > pageWidth && !isLast)
      continue;
    printLegend(report, tree, layout, look, os);
    os << "\n";
    return table.text().print(os, pageWidth);
  }
}
