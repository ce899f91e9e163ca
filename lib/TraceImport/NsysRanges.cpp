//===- NsysRanges.cpp - NVTX ranges and marks of an nsys export -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges that a thread pushes and pops nest. Ranges that are started and ended
// by a number need not. Such a range may begin in a range and end behind it, or
// on another thread. It then has nothing inside it, and stands on a line of its
// own.
//
//===----------------------------------------------------------------------===//

#include "NsysTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <tuple>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// ENUM_NSYS_EVENT_TYPE, as far as NVTX has it.
enum NvtxType : int64_t {
  Category = 33,
  Mark = 34,
  ThreadName = 39,
  PushPop = 59,
  StartEnd = 60,
  DomainCreate = 75,
  DomainDestroy = 76
};
enum Column : unsigned {
  Start,
  End,
  EventType,
  Text,
  TextId,
  GlobalTid,
  EndGlobalTid,
  DomainId,
  CategoryId,
  FirstPayload
};
/// The program may give a payload to a range, in one of these columns.
constexpr StringRef payloads[] = {"uint64Value", "int64Value", "doubleValue",
                                  "uint32Value", "int32Value", "floatValue",
                                  "jsonText"};

struct Range {
  TraceEvent event;
  bool isPushPop;
  bool isOpen;  ///< nothing ended it
  bool isApart; ///< holds nothing
};

class RangeReader {
public:
  explicit RangeReader(NsysTables &tables)
      : tables(tables), builder(tables.builder) {}
  ::llvm::Error read();

private:
  /// Numbers of domains and categories are those of a process.
  using Domain = std::pair<int64_t, int64_t>;  ///< process, domain
  using Category = std::pair<Domain, int64_t>; ///< and its category
  static Domain domainOf(const SqliteRow &row) {
    return {row.integer(GlobalTid).value_or(0) >> 24,
            row.integer(DomainId).value_or(0)};
  }
  static Category categoryOf(const SqliteRow &row) {
    return {domainOf(row), row.integer(CategoryId).value_or(0)};
  }
  ::llvm::Error forEachRow(function_ref<void(const SqliteRow &)> take) const;
  void readName(const SqliteRow &row);
  void readRow(const SqliteRow &row);
  void readMark(const SqliteRow &row);
  void readRange(const SqliteRow &row, bool isPushPop);
  uint32_t nameOf(const SqliteRow &row);
  uint32_t argsOf(const SqliteRow &row);
  std::optional<TraceEvent> eventOf(const SqliteRow &row);
  void endOpenRanges();
  void setApart();
  void addRanges();

  static constexpr StringRef table = "NVTX_EVENTS";
  NsysTables &tables;
  TraceBuilder &builder;
  std::map<Domain, std::string> domains;
  std::map<Category, std::string> categories;
  std::vector<Range> ranges;
};
} // namespace

::llvm::Error
RangeReader::forEachRow(function_ref<void(const SqliteRow &)> take) const {
  SmallVector<StringRef> columns = {"start",        "end",      "eventType",
                                    "text",         "textId",   "globalTid",
                                    "endGlobalTid", "domainId", "category"};
  ::llvm::append_range(columns, payloads);
  return tables.file.forEachRow(table, columns, take);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the name of a range. A registered string has its text elsewhere. Its
/// own is empty if the column of older exports must have a text.
uint32_t RangeReader::nameOf(const SqliteRow &row) {
  std::optional<std::string> text = row.text(Text);
  if (text && !text->empty())
    return builder.addText(*text);
  if (std::optional<uint32_t> registered = tables.findText(row.integer(TextId)))
    return *registered;
  return builder.addText("(no name)");
}

/// Reads the name of a domain or a category, which may stand behind the ranges
/// in it.
void RangeReader::readName(const SqliteRow &row) {
  std::optional<int64_t> type = row.integer(EventType);
  if (type != DomainCreate && type != NvtxType::Category)
    return;
  std::string name = builder.trace().texts[nameOf(row)].str();
  if (type == DomainCreate)
    domains[domainOf(row)] = name;
  else
    categories[categoryOf(row)] = name;
}

/// Returns the payload, a number as the file has it, or a text.
static std::optional<::llvm::json::Value> payloadOf(const SqliteRow &row) {
  for (unsigned i = 0; i < std::size(payloads); ++i) {
    if (auto whole = row.integer(FirstPayload + i))
      return *whole;
    if (auto number = row.real(FirstPayload + i))
      return *number;
    if (auto text = row.text(FirstPayload + i))
      return *text;
  }
  return std::nullopt;
}

uint32_t RangeReader::argsOf(const SqliteRow &row) {
  ::llvm::json::Object args;
  if (auto named = domains.find(domainOf(row)); named != domains.end())
    args["domain"] = named->second;
  auto named = categories.find(categoryOf(row));
  if (named != categories.end())
    args["category"] = named->second;
  if (auto payload = payloadOf(row))
    args["payload"] = std::move(*payload);
  if (args.empty())
    return 0;
  std::string text;
  ::llvm::raw_string_ostream(text) << ::llvm::json::Value(std::move(args));
  return builder.addArgs(text);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Makes the event of a range, all but its end.
std::optional<TraceEvent> RangeReader::eventOf(const SqliteRow &row) {
  std::optional<int64_t> start = row.integer(Start);
  std::optional<int64_t> thread = row.integer(GlobalTid);
  if (!start || !TraceBuilder::isTime(*start)) {
    tables.leaveOut(table, row, "start is no whole number below 2^61 ns");
    return std::nullopt;
  }
  if (!thread) {
    tables.leaveOut(table, row, "globalTid is no whole number");
    return std::nullopt;
  }
  TraceEvent event;
  event.startNanoseconds = event.endNanoseconds = *start;
  event.lane = tables.threadLane(*thread);
  event.name = nameOf(row);
  event.args = argsOf(row);
  tables.lastNanoseconds = std::max(tables.lastNanoseconds, *start);
  return event;
}

void RangeReader::readMark(const SqliteRow &row) {
  if (std::optional<TraceEvent> event = eventOf(row))
    builder.addEvent(*event);
}

/// Whether nothing ended the range. It then has no end, or 0 or -1 if the
/// column must have a value.
static bool isWithoutEnd(const SqliteRow &row) {
  std::optional<int64_t> end = row.integer(End);
  return row.isNull(End) ||
         (end && (*end == 0 || *end == -1) && row.integer(Start) > *end);
}

void RangeReader::readRange(const SqliteRow &row, bool isPushPop) {
  std::optional<TraceEvent> event;
  bool isOpen = isWithoutEnd(row);
  if (isOpen) {
    event = eventOf(row);
  } else if (auto interval = tables.intervalOf(table, row)) {
    event = eventOf(row);
    if (event)
      event->endNanoseconds = interval->endNanoseconds;
  }
  if (!event)
    return;
  event->kind = TraceEventKind::Range;
  int64_t endThread = row.integer(EndGlobalTid).value_or(0);
  bool endsElsewhere =
      !isPushPop && endThread != 0 && endThread != row.integer(GlobalTid);
  ranges.push_back({*event, isPushPop, isOpen, endsElsewhere});
}

void RangeReader::readRow(const SqliteRow &row) {
  // Without a column of types, all ranges are taken as pushed and popped.
  bool tellsTypes = tables.file.hasColumn(table, "eventType");
  std::optional<int64_t> type = tellsTypes ? row.integer(EventType) : PushPop;
  if (!type)
    return tables.leaveOut(table, row, "eventType is no whole number");
  switch (*type) {
  case PushPop:
  case StartEnd:
    return readRange(row, *type == PushPop);
  case Mark:
    return readMark(row);
  case NvtxType::Category:
  case ThreadName:
  case DomainCreate:
  case DomainDestroy:
    return;
  default:
    return tables.leaveOut(table, row, "eventType is unknown");
  }
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

void RangeReader::endOpenRanges() {
  uint64_t open = 0;
  for (Range &range : ranges) {
    if (!range.isOpen)
      continue;
    range.event.endNanoseconds = tables.lastNanoseconds;
    ++open;
  }
  if (open > 0)
    builder.addNote("Ranges that nothing ended, and that last until the end "
                    "of the one around them, or of the recording, here: " +
                    Twine(open) + ".");
}

/// Finds ranges of a thread that cut each other, and sets one of two apart. A
/// range that was pushed and popped stays, or else the one that starts first.
void RangeReader::setApart() {
  std::vector<uint32_t> order(ranges.size());
  for (auto [place, number] : ::llvm::enumerate(order))
    number = place;
  ::llvm::sort(order, [&](uint32_t a, uint32_t b) {
    auto key = [&](uint32_t number) {
      const TraceEvent &event = ranges[number].event;
      return std::tuple(event.lane, event.startNanoseconds,
                        -event.endNanoseconds, number);
    };
    return key(a) < key(b);
  });
  std::vector<Range *> open; // each ends no later than the one before
  for (uint32_t number : order) {
    Range &range = ranges[number];
    TraceEvent &event = range.event;
    while (!open.empty() &&
           (open.back()->event.lane != event.lane ||
            open.back()->event.endNanoseconds <= event.startNanoseconds))
      open.pop_back();
    if (range.isOpen && !open.empty())
      event.endNanoseconds =
          std::min(event.endNanoseconds, open.back()->event.endNanoseconds);
    while (!range.isApart && !open.empty() &&
           open.back()->event.endNanoseconds < event.endNanoseconds) {
      bool staysOpen = open.back()->isPushPop || !range.isPushPop;
      (staysOpen ? range : *open.back()).isApart = true;
      if (!staysOpen)
        open.pop_back();
    }
    if (!range.isApart)
      open.push_back(&range);
  }
}

void RangeReader::addRanges() {
  std::map<uint32_t, uint32_t> besides; // lanes of those that are apart
  uint64_t apart = 0;
  for (Range &range : ranges) {
    TraceEvent &event = range.event;
    if (range.isApart) {
      ++apart;
      auto [beside, isNew] = besides.try_emplace(event.lane, 0);
      if (isNew) {
        TraceLane lane = builder.lane(event.lane);
        lane.threadName += lane.threadName.empty() ? "" : ", ";
        lane.threadName += "ranges that overlap";
        beside->second = builder.addLane(std::move(lane));
      }
      event.lane = beside->second;
      event.kind = TraceEventKind::Other;
    }
    builder.addEvent(event);
  }
  if (apart > 0)
    builder.addNote("Ranges that overlap others without lying in them, or end "
                    "on another thread, and so are around no work: " +
                    Twine(apart) + ".");
}

::llvm::Error RangeReader::read() {
  if (!tables.file.hasTable(table))
    return ::llvm::Error::success();
  if (::llvm::Error error =
          forEachRow([&](const SqliteRow &row) { readName(row); }))
    return error;
  if (::llvm::Error error =
          forEachRow([&](const SqliteRow &row) { readRow(row); }))
    return error;
  endOpenRanges();
  setApart();
  addRanges();
  return ::llvm::Error::success();
}

::llvm::Error mlir::llm::readNsysRanges(NsysTables &tables) {
  return RangeReader(tables).read();
}
