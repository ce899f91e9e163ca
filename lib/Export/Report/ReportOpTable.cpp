//===- ReportOpTable.cpp - The report's table of ops ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOpTable.h"
#include "llm/Results/ModuleTree.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

namespace {
/// How wide numbers may be, and bars; and how much further in the rows of a
/// module stand than its own.
struct Layout {
  size_t timeWidth, workWidth, barCells, step;
  /// The first one that leaves room for so many letters of each name is chosen.
  size_t letters;
};
} // namespace

static constexpr Layout layouts[] = {{11, 9, 8, 2, SIZE_MAX},
                                     {9, 6, 8, 2, 16},
                                     {9, 6, 0, 2, 8},
                                     {9, 6, 0, 1, 8}};

/// Modules that are deeper in others have no row: people do not count further.
static constexpr unsigned deepest = 8;

namespace {
/// The units of the columns, chosen for the largest number in each.
struct Units {
  Units(const Report &report, const Layout &layout)
      : clockHz(report.target->clockHz),
        cycles(chooseUnit(
            cycleUnits,
            std::max<double>(lastStart(report), report.sum.scheduledCycles),
            layout.timeWidth)),
        time(chooseUnit(timeUnits, microseconds(report.sum.scheduledCycles),
                        layout.timeWidth)),
        macs(chooseUnit(macUnits, report.sum.macs, layout.workWidth)),
        bytes(
            chooseUnit(byteUnits, report.sum.bytes.back(), layout.workWidth)) {}

  static double lastStart(const Report &report) {
    int64_t last = 0;
    for (const OpReport &op : report.ops)
      last = std::max(last, op.startCycle);
    return last;
  }
  double microseconds(double cycles) const { return cycles * 1e6 / clockHz; }

  static constexpr Unit cycleUnits[] = {{"cycles", 1, 0},
                                        {"Mcycles", 1e6, 3},
                                        {"Gcycles", 1e9, 3},
                                        {"Tcycles", 1e12, 3}};
  static constexpr Unit macUnits[] = {{"MACs", 1, 0},
                                      {"MMACs", 1e6, 2},
                                      {"GMACs", 1e9, 2},
                                      {"TMACs", 1e12, 2},
                                      {"PMACs", 1e15, 2}};
  static constexpr Unit byteUnits[] = {
      {"bytes", 1, 0}, {"MB", 1e6, 2}, {"GB", 1e9, 2}, {"TB", 1e12, 2}};

  int64_t clockHz;
  const Unit &cycles, &time, &macs, &bytes; ///< cycles: starts, too
};
} // namespace

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// Of an op or of all ops of a module, over all runs. Not above the sum over
/// all ops, which fits.
struct Sum {
  int64_t cycles = 0, macs = 0, bytes = 0;
  /// How often it runs; of a module, if all of it runs as often.
  std::optional<int64_t> runs;

  Sum() = default;
  Sum(const OpFigures &figures, std::optional<int64_t> runs)
      : cycles(figures.scheduledCycles), macs(figures.macs),
        bytes(figures.bytes.back()), runs(runs) {}
};
} // namespace

static Sum sumOf(ArrayRef<Sum> sums) {
  Sum all;
  all.runs = sums.empty() ? std::nullopt : sums.front().runs;
  for (const Sum &sum : sums) {
    all.cycles += sum.cycles;
    all.macs += sum.macs;
    all.bytes += sum.bytes;
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
  /// Cells from the time to the bytes behind these, and what bounds it.
  void addRow(std::vector<std::string> cells, const Sum &sum, bool isBold,
              std::optional<CostBound> bound);
  std::string nameIn(const ModuleTree::Module &in, StringRef name,
                     unsigned depth) const;

  const Report &report;
  const ModuleTree &tree;
  Layout layout;
  Look look;
  Units units;
  std::vector<Sum> sums; ///< by module
  TextTable table;
};
} // namespace

OpTable::OpTable(const Report &report, const ModuleTree &tree,
                 const Layout &layout, Look look)
    : report(report), tree(tree), layout(layout), look(look),
      units(report, layout), table(layout.barCells > 0 ? 11 : 10) {
  sumModules();
  addHeader();
  addRows(tree.root(), 0);
  table.addRule();
  addRow({"total", "", "", ""}, Sum(report.sum, std::nullopt), /*isBold=*/true,
         std::nullopt);
}

/// Inner modules stand behind outer ones.
void OpTable::sumModules() {
  sums.resize(tree.size());
  for (size_t index = tree.size(); index-- > 0;) {
    std::vector<Sum> parts;
    for (ModuleTree::Child child : tree.module(index).children) {
      if (child.isModule) {
        parts.push_back(sums[child.index]);
        continue;
      }
      const OpReport &op = report.ops[child.index];
      parts.push_back(Sum(op.allRuns, op.count));
    }
    sums[index] = sumOf(parts);
  }
}

void OpTable::addHeader() {
  constexpr size_t widestMemory = 8;
  std::vector<std::string> names = {"op",   "runs", "engine", "start",
                                    "time", "time", "share"};
  std::vector<std::string> shown = {"",
                                    "",
                                    "",
                                    units.cycles.name.str(),
                                    units.cycles.name.str(),
                                    units.time.name.str(),
                                    "%"};
  table.setText(2);
  if (layout.barCells > 0) {
    table.setText(names.size());
    names.push_back("");
    shown.push_back("");
  }
  names.push_back("MACs");
  names.push_back(showName(report.target->dram().name, widestMemory));
  table.setText(names.size());
  names.push_back("bound");
  shown.push_back(units.macs.name.str());
  shown.push_back(units.bytes.name.str());
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

/// Of modules in it, too, as if they were its own: in the order of the program.
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

/// Blanks at the ends are written as other letters that nobody sees, and so is
/// a name without a letter.
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
          sum.runs ? std::to_string(*sum.runs) : "", "", ""},
         sum, /*isBold=*/true, std::nullopt);
  addRows(module, depth + 1);
}

void OpTable::addOp(const ModuleTree::Module &in, const OpReport &op,
                    unsigned depth) {
  constexpr size_t widestEngine = 12;
  addRow({nameIn(in, op.name, depth), std::to_string(op.count),
          showName(op.engines, widestEngine),
          formatIn(units.cycles, op.startCycle)},
         Sum(op.allRuns, op.count), /*isBold=*/false, op.bound);
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
                     bool isBold, std::optional<CostBound> bound) {
  double cycles = sum.cycles;
  double share = cycles / std::max<int64_t>(report.sum.scheduledCycles, 1);
  cells.push_back(formatIn(units.cycles, cycles));
  cells.push_back(formatIn(units.time, units.microseconds(cycles)));
  cells.push_back(formatIn({"%", 1, 1}, 100 * share));
  std::optional<size_t> barColumn;
  if (layout.barCells > 0) {
    barColumn = cells.size();
    cells.push_back(formatBar(share, layout.barCells, look.hasBlocks));
  }
  cells.push_back(formatIn(units.macs, sum.macs));
  cells.push_back(formatIn(units.bytes, sum.bytes));
  size_t boundColumn = cells.size();
  cells.push_back(bound ? stringifyCostBound(*bound).str() : "");
  table.addRow(std::move(cells), isBold);
  if (barColumn)
    table.setColor(*barColumn, TextTable::Color::CYAN);
  if (bound)
    table.setColor(boundColumn, colorOf(*bound));
}

//===----------------------------------------------------------------------===//
// With what is to be known of it
//===----------------------------------------------------------------------===//

static void printLegend(const ModuleTree &tree, const Layout &layout, Look look,
                        llvm::raw_ostream &os) {
  const ModuleTree::Module &root = tree.root();
  std::string text;
  if (!root.path.empty())
    text = "Names without \"" + toPrintable(root.path) + ".\". ";
  text += "Start: of the first run. Time, share, MACs and bytes: all runs "
          "together; time is engine time.";
  if (llvm::any_of(root.children,
                   [](ModuleTree::Child child) { return child.isModule; }))
    text += " A module has the sum of the rows indented under it.";
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
    printLegend(tree, layout, look, os);
    os << "\n";
    return table.text().print(os, pageWidth);
  }
}
