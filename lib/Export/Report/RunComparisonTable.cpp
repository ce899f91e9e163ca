//===- RunComparisonTable.cpp - Two runs for people -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOpTable.h"
#include "RunComparisonWriters.h"
#include "llm/Support/ModuleNames.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// A time that got longer has a "+".
static std::string withSign(const Unit &unit, double value) {
  std::string text = formatIn(unit, std::abs(value));
  if (value == 0)
    return text;
  return (value > 0 ? "+" : "-") + text;
}

static std::string showDifferencePercent(double now, double before) {
  std::optional<double> percent = differencePercent(now, before);
  return percent ? withSign({"%", 1, 1}, *percent) : "";
}

/// Writes "self_attn.attn" for one name in a layer. Of several names it writes
/// the last parts: "q_norm, q_rope, attn".
static std::string listNames(const ComparableRun &run, ArrayRef<unsigned> ops) {
  std::string text;
  for (unsigned op : ops) {
    StringRef name = run.ops[op].name;
    std::string around = ops.size() > 1 ? moduleOf(name) : layerOf(name);
    if (!around.empty() && name.consume_front(around))
      name.consume_front(".");
    text += (text.empty() ? "" : ", ") + toPrintable(name);
  }
  return text;
}

namespace {
/// The rows of one comparison.
class WorkTable {
public:
  WorkTable(const BesideBaseline &beside, unsigned index)
      : run(beside.runs[index]), comparison(*beside.comparisons[index]),
        baseline(beside.baselines[comparison.baseline]),
        unit(chooseUnit(
            timeUnits,
            std::max(run.makespanMicroseconds, baseline.makespanMicroseconds),
            /*width=*/13)) {}

  void print(llvm::raw_ostream &os);

private:
  void addHeader();
  void addWork(const SameWork &work);
  void addOnly(const ComparableRun &of, unsigned op, bool isHere);
  void addModule(const ModuleTimes &module);
  void addTotal();
  std::vector<const SameWork *> byDifference() const;

  const ComparableRun &run;
  const RunComparison &comparison;
  const ComparableRun &baseline;
  const Unit &unit;
  TextTable table{6};
};
} // namespace

void WorkTable::addHeader() {
  std::string time = unit.name.str();
  table.addRow({"op", "count", "baseline", "this", "difference", ""},
               /*isBold=*/true);
  table.addRow({"", "", time, time, time, "%"});
  table.addRule();
}

/// If the two sides run different ops for the same work, a second line names
/// those of the baseline.
void WorkTable::addWork(const SameWork &work) {
  std::string here = listNames(run, work.ops.first);
  std::string there = listNames(baseline, work.ops.second);
  table.addRow(
      {here, withThousandsSeparators(work.runs),
       formatIn(unit, work.baselineMicroseconds),
       formatIn(unit, work.microseconds), withSign(unit, work.difference()),
       showDifferencePercent(work.microseconds, work.baselineMicroseconds)});
  if (here != there)
    table.addRow({"  before: " + there, "", "", "", "", ""});
}

void WorkTable::addOnly(const ComparableRun &of, unsigned op, bool isHere) {
  std::string time = formatIn(unit, of.elapsedMicroseconds(op));
  table.addRow({listNames(of, op),
                withThousandsSeparators(of.extents[op].count),
                isHere ? "-" : time, isHere ? time : "-",
                isHere ? "only here" : "only there", ""});
}

/// Ops that run side by side count once in their module.
void WorkTable::addModule(const ModuleTimes &module) {
  double now = module.microseconds;
  std::optional<double> before = module.baselineMicroseconds;
  table.addRow({toPrintable(module.module), "",
                before ? formatIn(unit, *before) : "-", formatIn(unit, now),
                before ? withSign(unit, now - *before) : "",
                before ? showDifferencePercent(now, *before) : ""});
}

/// Ops that run side by side count once in the makespan.
void WorkTable::addTotal() {
  double now = run.makespanMicroseconds, before = baseline.makespanMicroseconds;
  table.addRule();
  table.addRow({"makespan", "", formatIn(unit, before), formatIn(unit, now),
                withSign(unit, now - before),
                showDifferencePercent(now, before)},
               /*isBold=*/true);
}

std::vector<const SameWork *> WorkTable::byDifference() const {
  std::vector<const SameWork *> sorted;
  for (const SameWork &work : comparison.work)
    sorted.push_back(&work);
  ::llvm::stable_sort(sorted, [](const SameWork *one, const SameWork *other) {
    return std::abs(one->difference()) > std::abs(other->difference());
  });
  return sorted;
}

void WorkTable::print(llvm::raw_ostream &os) {
  constexpr size_t most = 40; // of each kind of row
  addHeader();
  std::vector<const SameWork *> sorted = byDifference();
  for (const SameWork *work : ArrayRef(sorted).take_front(most))
    addWork(*work);
  for (unsigned op : ArrayRef(comparison.onlyHere).take_front(most))
    addOnly(run, op, /*isHere=*/true);
  for (unsigned op : ArrayRef(comparison.onlyInBaseline).take_front(most))
    addOnly(baseline, op, /*isHere=*/false);
  if (!comparison.modules.empty())
    table.addRule();
  for (const ModuleTimes &module :
       ArrayRef(comparison.modules).take_front(most))
    addModule(module);
  addTotal();
  table.print(os, pageWidth);
  auto countLeft = [&](size_t all) { return all - std::min(all, most); };
  size_t left = countLeft(sorted.size()) +
                countLeft(comparison.onlyHere.size()) +
                countLeft(comparison.onlyInBaseline.size()) +
                countLeft(comparison.modules.size());
  if (left > 0)
    os << "and " << left << " more, which format=json lists\n";
}

/// Says how many ops take longer, and how many less long, or that none can be
/// compared.
static std::string describeOutcome(const RunComparison &comparison) {
  size_t here = comparison.onlyHere.size(),
         there = comparison.onlyInBaseline.size();
  auto count = [](size_t number) {
    return withThousandsSeparators(static_cast<int64_t>(number));
  };
  if (comparison.work.empty())
    return "No op is in both runs, by its name: " + count(here) +
           " are only here, " + count(there) +
           " only in the baseline. (One layer alone, layers.0, has other names "
           "than a loop over layers, layers.{}.)";
  std::string text = "Of " + count(comparison.work.size()) +
                     " ops in both runs, " + count(comparison.countLonger()) +
                     " take longer than in the baseline, and " +
                     count(comparison.countShorter()) + " less long.";
  if (here + there > 0)
    text += " " + count(here) + " are only here, " + count(there) +
            " only in the baseline.";
  return text;
}

void mlir::llm::printRunComparison(const BesideBaseline &beside, unsigned index,
                                   llvm::raw_ostream &os) {
  const std::optional<RunComparison> &comparison = beside.comparisons[index];
  if (!comparison)
    return;
  const ComparableRun &baseline = beside.baselines[comparison->baseline];
  os << "\n";
  printWrapped(
      os,
      "Beside the baseline, " + toPrintable(baseline.function) + " on " +
          showName(baseline.target) +
          ": the time of all runs, each from its first start to its "
          "last end; what differs most stands first. What one run "
          "has fused is compared with the time of all its parts. Modules "
          "stand below their ops.",
      pageWidth);
  printWrapped(os, toPrintable(describeOutcome(*comparison)), pageWidth);
  std::vector<std::string> other =
      describeOtherWork(beside.runs[index].program, baseline.program);
  if (!other.empty())
    printWrapped(os,
                 "The baseline did other work (" +
                     toPrintable(::llvm::join(other, "; ")) + ").",
                 pageWidth);
  os << "\n";
  WorkTable(beside, index).print(os);
}
