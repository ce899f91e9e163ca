//===- RangeTable.cpp - Where the time of a recorded run went -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/RangeTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <tuple>
#include <unordered_map>

using namespace mlir;
using namespace mlir::llm;

static constexpr uint32_t none = ~uint32_t(0);

static bool isNumberEnd(StringRef name, size_t at) {
  return at >= name.size() || !::llvm::isAlnum(name[at]);
}

/// Replaces whole numbers by stars. This changes "layer.3" and "h[3]", but not
/// "fp16" and "3x3".
static std::string mergeNumbers(StringRef name) {
  std::string merged;
  for (size_t at = 0; at < name.size();) {
    size_t end = name.find_if_not(::llvm::isDigit, at);
    end = std::min(end, name.size());
    bool isNumber = end > at && (at == 0 || isNumberEnd(name, at - 1)) &&
                    isNumberEnd(name, end);
    merged += isNumber ? "*" : name.slice(at, std::max(end, at + 1)).str();
    at = std::max(end, at + 1);
  }
  return merged;
}

static void addTo(uint64_t &sum, uint64_t value) {
  sum = ::llvm::SaturatingAdd(sum, value);
}

static void addTo(RangeFigures &sum, const RangeFigures &other) {
  sum.kernels += other.kernels;
  sum.copies += other.copies;
  sum.fills += other.fills;
  sum.ops += other.ops;
  addTo(sum.nanoseconds, other.nanoseconds);
}

namespace {
/// A path, as its last name and the path ahead of it.
struct Path {
  uint32_t parent = none;
  uint32_t name = 0;
  unsigned depth = 0;
};

class TableMaker {
public:
  TableMaker(const ImportedTrace &trace, RangeTableOptions options)
      : trace(trace), pathOf(trace.events.size(), none),
        groupOf(trace.events.size(), none) {
    table.options = std::move(options);
    table.notes = trace.notes;
  }
  RangeTable make() &&;

private:
  struct Row {
    uint32_t group, path;
    int64_t firstNanoseconds = INT64_MAX;
    uint64_t deviceCalls = 0; ///< annotations on streams
    RangeFigures figures = {};
  };
  bool isOnPath(const TraceEvent &event) const;
  uint32_t pathAround(const TraceEvent &event) const {
    return event.parent == none ? none : pathOf[event.parent];
  }
  bool isPass(const TraceEvent &event) const;
  uint32_t addPath(uint32_t parent, StringRef name);
  uint32_t addNamed(uint32_t parent, uint32_t text);
  uint32_t addGroup(uint32_t number, std::string name);
  uint32_t findGroup(const TraceEvent &event);
  void numberPasses();
  void findPathsAndGroups();
  uint32_t numberOfRow(uint32_t group, uint32_t path);
  Row &rowOf(uint32_t group, uint32_t path) {
    return rows[numberOfRow(group, path)];
  }
  bool isOutermost(const Row &row) const {
    return row.path == none || paths[row.path].parent == none;
  }
  void countCalls();
  void countWork();
  void addAncestors();
  void orderRows();
  void note(const Twine &sentence) { table.notes.push_back(sentence.str()); }

  const ImportedTrace &trace;
  RangeTable table;
  TraceTexts names; ///< of paths
  std::vector<Path> paths;
  ::llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> pathOfName;
  ::llvm::DenseMap<uint32_t, uint32_t> nameOfText; ///< with numbers merged
  std::vector<uint32_t> pathOf, groupOf;           ///< of events
  std::map<std::tuple<bool, int64_t, int64_t>, uint32_t> groupOfThread;
  std::vector<uint32_t> passes; ///< the event of each pass, by time
  std::vector<Row> rows;
  std::unordered_map<uint64_t, uint32_t> rowOfPath; ///< by group and path
  uint64_t tooDeep = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Paths and groups
//===----------------------------------------------------------------------===//

bool TableMaker::isOnPath(const TraceEvent &event) const {
  return event.kind == TraceEventKind::Range ||
         (event.kind == TraceEventKind::Op &&
          table.options.levels != RangeLevels::Ranges);
}

uint32_t TableMaker::addPath(uint32_t parent, StringRef name) {
  unsigned depth = parent == none ? 0 : paths[parent].depth + 1;
  if (depth >= RangeTable::maxDepth) {
    ++tooDeep;
    return parent;
  }
  uint32_t number = names.add(name);
  auto [path, isNew] = pathOfName.try_emplace({parent, number}, paths.size());
  if (isNew)
    paths.push_back({parent, number, depth});
  return path->second;
}

/// Adds a path with an event's name. The numbers of each text are merged once.
uint32_t TableMaker::addNamed(uint32_t parent, uint32_t text) {
  StringRef name = trace.texts[text];
  if (!table.options.mergesNumbers)
    return addPath(parent, name);
  auto [merged, isNew] = nameOfText.try_emplace(text, 0);
  if (isNew)
    merged->second = names.add(mergeNumbers(name));
  return addPath(parent, names[merged->second]);
}

bool TableMaker::isPass(const TraceEvent &event) const {
  if (event.kind != TraceEventKind::Range || trace.lanes[event.lane].isDevice)
    return false;
  if (!table.options.pass.empty())
    return trace.nameOf(event) == table.options.pass;
  uint32_t around = event.parent;
  while (around != none && trace.events[around].kind != TraceEventKind::Range)
    around = trace.events[around].parent;
  return around == none;
}

/// Numbers passes in the order of time, on all threads together.
void TableMaker::numberPasses() {
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (isPass(event))
      passes.push_back(number);
  ::llvm::sort(passes, [&](uint32_t a, uint32_t b) {
    return std::pair(trace.events[a].startNanoseconds, a) <
           std::pair(trace.events[b].startNanoseconds, b);
  });
  table.hasPasses = !passes.empty();
  for (auto [pass, event] : ::llvm::enumerate(passes)) {
    groupOf[event] = pass;
    table.groups.push_back("pass " + std::to_string(pass));
  }
}

uint32_t TableMaker::findGroup(const TraceEvent &event) {
  const TraceLane &lane = trace.lanes[event.lane];
  bool byThread = table.options.groups == RangeGroups::Thread;
  if (table.options.groups == RangeGroups::All)
    return 0;
  if (lane.isDevice)
    return none;
  auto [group, isNew] = groupOfThread.try_emplace(
      {false, lane.process, byThread ? lane.thread : 0}, table.groups.size());
  if (isNew) {
    std::string name = "process " + std::to_string(lane.process);
    if (byThread)
      name += ", thread " + std::to_string(lane.thread);
    StringRef shown = byThread ? lane.threadName : lane.processName;
    table.groups.push_back(name +
                           (shown.empty() ? "" : " (" + shown.str() + ")"));
  }
  return group->second;
}

/// Finds the path and group of each event. Events around an event have smaller
/// numbers, so theirs are known.
void TableMaker::findPathsAndGroups() {
  bool byPass = table.options.groups == RangeGroups::Pass;
  if (byPass)
    numberPasses();
  if (table.options.groups == RangeGroups::All)
    table.groups.push_back("");
  for (auto [number, event] : ::llvm::enumerate(trace.events)) {
    uint32_t around = pathAround(event);
    pathOf[number] = isOnPath(event) ? addNamed(around, event.name) : around;
    if (!byPass)
      groupOf[number] = findGroup(event);
    else if (groupOf[number] == none && event.parent != none)
      groupOf[number] = groupOf[event.parent];
  }
  if (tooDeep > 0)
    note("Ranges that lie in " + Twine(RangeTable::maxDepth) +
         " others, and count for those: " + Twine(tooDeep) + ".");
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

uint32_t TableMaker::numberOfRow(uint32_t group, uint32_t path) {
  auto [row, isNew] =
      rowOfPath.try_emplace(uint64_t(group) << 32 | path, rows.size());
  if (isNew)
    rows.push_back(Row{group, path});
  return row->second;
}

void TableMaker::countCalls() {
  for (auto [number, event] : ::llvm::enumerate(trace.events)) {
    if (!isOnPath(event) || pathOf[number] == pathAround(event))
      continue;
    Row &row = rowOf(groupOf[number], pathOf[number]);
    row.firstNanoseconds =
        std::min(row.firstNanoseconds, event.startNanoseconds);
    if (trace.lanes[event.lane].isDevice)
      ++row.deviceCalls;
    else
      ++row.figures.calls;
  }
  // These ranges were annotated on streams only.
  for (Row &row : rows)
    if (row.figures.calls == 0)
      row.figures.calls = row.deviceCalls;
}

static uint64_t &countOf(RangeFigures &figures, TraceEventKind kind) {
  switch (kind) {
  case TraceEventKind::Kernel:
    return figures.kernels;
  case TraceEventKind::Copy:
    return figures.copies;
  case TraceEventKind::Fill:
    return figures.fills;
  default:
    return figures.ops;
  }
}

void TableMaker::countWork() {
  for (const TraceWork &piece : listOwnWork(trace)) {
    const TraceEvent &event = trace.events[piece.event];
    uint32_t around = event.launchedBy == none ? piece.event : event.launchedBy;
    uint32_t path = pathOf[around];
    // An op of the host is in its own path already.
    if (table.options.levels == RangeLevels::Kernels && !isOnPath(event))
      path = addPath(path, trace.nameOf(event));
    Row &row = rowOf(groupOf[around], path);
    row.firstNanoseconds =
        std::min(row.firstNanoseconds, event.startNanoseconds);
    RangeFigures figures;
    ++countOf(figures, event.kind);
    figures.nanoseconds = piece.nanoseconds;
    row.figures.calls += path != pathOf[around];
    addTo(row.figures, figures);
    addTo(row.figures.selfNanoseconds, figures.nanoseconds);
    addTo(table.total, figures);
  }
  if (table.total.ops > 0)
    note("No device is in the trace: what is counted are the ops of the host "
         "and, of threads without ops, ranges, each without those in it.");
}

/// Adds figures of rows to the rows around them. Paths have larger numbers than
/// those around them. So going backwards, a row is complete when it is added.
void TableMaker::addAncestors() {
  for (size_t at = 0; at < rows.size(); ++at)
    if (!isOutermost(rows[at]))
      numberOfRow(rows[at].group, paths[rows[at].path].parent);
  std::vector<uint32_t> order(rows.size());
  for (auto [place, number] : ::llvm::enumerate(order))
    number = place;
  ::llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::tuple(int64_t(rows[a].path), rows[a].group) >
           std::tuple(int64_t(rows[b].path), rows[b].group);
  });
  for (uint32_t number : order) {
    const Row row = rows[number];
    if (isOutermost(row))
      continue;
    Row &parent = rowOf(row.group, paths[row.path].parent);
    addTo(parent.figures, row.figures);
    parent.firstNanoseconds =
        std::min(parent.firstNanoseconds, row.firstNanoseconds);
  }
}

/// Orders rows by time. The group without a name comes last, and in each group
/// the row of work outside ranges.
void TableMaker::orderRows() {
  std::vector<std::vector<uint32_t>> children(rows.size());
  std::vector<uint32_t> outermost;
  for (auto [number, row] : ::llvm::enumerate(rows)) {
    (isOutermost(row)
         ? outermost
         : children[numberOfRow(row.group, paths[row.path].parent)])
        .push_back(number);
  }
  auto isBefore = [&](uint32_t a, uint32_t b) {
    auto key = [&](const Row &row) {
      return std::tuple(row.group, row.path == none, row.firstNanoseconds,
                        row.path);
    };
    return key(rows[a]) < key(rows[b]);
  };
  struct Next {
    uint32_t row, parent;
  };
  std::vector<Next> next; // a stack: the last one is next
  auto addNext = [&](std::vector<uint32_t> &found, uint32_t parent) {
    ::llvm::sort(found, isBefore);
    for (uint32_t row : ::llvm::reverse(found))
      next.push_back({row, parent});
  };
  addNext(outermost, none);
  while (!next.empty()) {
    auto [number, parent] = next.back();
    next.pop_back();
    const Row &row = rows[number];
    RangeRow made;
    made.group = row.group;
    made.parent = parent;
    made.figures = row.figures;
    made.isOutside = row.path == none;
    if (!made.isOutside) {
      made.name = names[paths[row.path].name].str();
      made.depth = paths[row.path].depth;
    }
    table.rows.push_back(std::move(made));
    addNext(children[number], table.rows.size() - 1);
  }
}

RangeTable TableMaker::make() && {
  findPathsAndGroups();
  countCalls();
  countWork();
  addAncestors();
  // Work that belongs to no pass, thread or process is a group of its own.
  uint32_t unnamed = table.groups.size();
  bool hasUnnamed =
      ::llvm::any_of(rows, [](const Row &row) { return row.group == none; });
  if (hasUnnamed)
    table.groups.push_back("outside");
  orderRows();
  for (RangeRow &row : table.rows)
    if (row.group == none)
      row.group = unnamed;
  return std::move(table);
}

RangeTable mlir::llm::makeRangeTable(const ImportedTrace &trace,
                                     const RangeTableOptions &options) {
  return TableMaker(trace, options).make();
}
