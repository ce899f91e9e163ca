//===- ChromeReader.cpp - Traces in Chrome's JSON, Kineto's among them ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives events their meaning. The format is that of Chrome's about:tracing.
// PyTorch's profiler (Kineto) adds the numbers in args that join calls to
// kernels.
//
//===----------------------------------------------------------------------===//

#include "ChromeFlows.h"
#include "ChromeKinds.h"
#include "TraceFormats.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;

namespace {
class ChromeTrace : public ChromeEventHandler {
public:
  int64_t numberText(StringRef text) override { return lanes.numberText(text); }
  void event(const ChromeEvent &event, const ChromeHead &head) override;
  void note(const Twine &sentence) override { builder.addNote(sentence); }
  ImportedTrace finish(const ChromeHead &head) &&;

private:
  void countNote(StringRef text, const ChromeEvent &event) {
    builder.countNote(text, "byte " + Twine(event.offsetBytes));
  }
  bool checkStart(const ChromeEvent &event);
  std::optional<int64_t> endOfComplete(const ChromeEvent &event);
  uint32_t addEvent(const ChromeEvent &event, uint32_t lane, int64_t end);
  void addJoins(const ChromeEvent &event, uint32_t number);
  void addComplete(const ChromeEvent &event);
  void addInstant(const ChromeEvent &event);
  void begin(const ChromeEvent &event, uint32_t lane);
  void end(const ChromeEvent &event, uint32_t lane);
  void endAsync(const ChromeEvent &event);
  void addSamples(const ChromeEvent &event);
  uint32_t counterOf(const ChromeEvent &event, const std::string &unit);
  void endWhatIsOpen();
  void nameCounters();

  TraceBuilder builder;
  ChromeLanes lanes{builder};
  ChromeFlows flows{builder, lanes};
  const ChromeHead *head = nullptr;
  int64_t now = 0; ///< when the event starts, in nanoseconds

  struct CounterKey {
    ChromeId process, id;
    std::string name, unit;
    bool operator<(const CounterKey &other) const {
      return std::tie(process, id, name, unit) <
             std::tie(other.process, other.id, other.name, other.unit);
    }
  };
  std::map<CounterKey, uint32_t> counters;
};
} // namespace

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// Checks that an event has a start. Viewers silently drop events that start
/// before 0.
bool ChromeTrace::checkStart(const ChromeEvent &event) {
  if (event.hasStart == ChromeEvent::Time::Missing)
    countNote("Events without 'ts' are left out", event);
  else if (event.hasStart == ChromeEvent::Time::Bad)
    countNote("Events whose 'ts' is no time are left out", event);
  else if (event.start->isNegative())
    countNote("Events with a negative 'ts' are left out", event);
  else
    return true;
  return false;
}

std::optional<int64_t> ChromeTrace::endOfComplete(const ChromeEvent &event) {
  if (event.hasDuration == ChromeEvent::Time::Missing)
    countNote("Complete events (X) without 'dur' are left out", event);
  else if (event.hasDuration == ChromeEvent::Time::Bad)
    countNote("Events whose 'dur' is no time are left out", event);
  else if (event.duration->isNegative())
    countNote("Events with a negative 'dur' are left out", event);
  else if (int64_t end = (*event.start + *event.duration).roundToNanoseconds();
           !TraceBuilder::isTime(end))
    countNote("Events whose 'dur' is no time are left out", event);
  else
    return end;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

uint32_t ChromeTrace::addEvent(const ChromeEvent &event, uint32_t lane,
                               int64_t end) {
  ChromeKind kind =
      classify(event, lanes.textOf(event.process), head->isKineto);
  TraceEvent added;
  added.startNanoseconds = now;
  added.endNanoseconds = end;
  added.lane = lane;
  added.name = builder.addText(event.name);
  added.args = builder.addArgs(event.args);
  added.kind = kind.kind;
  if (event.argsTooLong)
    countNote("Args of more than 1 MiB are left out", event);
  uint32_t number = builder.addEvent(added);
  builder.lane(lane).isDevice |= kind.isOfDevice;
  ChromeLanes::State &state = lanes.stateOf(lane);
  state.last = number;
  state.lastNanoseconds = std::max(state.lastNanoseconds, end);
  addJoins(event, number);
  if (event.flow.isThere() && (event.flowsIn || event.flowsOut))
    flows.addBound(event, number);
  return number;
}

void ChromeTrace::addJoins(const ChromeEvent &event, uint32_t number) {
  using Join = TraceBuilder::Join;
  switch (builder.event(number).kind) {
  case TraceEventKind::Call:
    if (event.correlation)
      builder.addLauncher(Join::Correlation, *event.correlation, number);
    return;
  case TraceEventKind::Op:
    if (event.externalId)
      builder.addLauncher(Join::ExternalId, *event.externalId, number);
    return;
  case TraceEventKind::Kernel:
  case TraceEventKind::Copy:
  case TraceEventKind::Fill:
    if (event.correlation)
      builder.addLaunched(Join::Correlation, *event.correlation, number);
    if (event.externalId)
      builder.addLaunched(Join::ExternalId, *event.externalId, number);
    return;
  default:
    return;
  }
}

void ChromeTrace::addComplete(const ChromeEvent &event) {
  if (std::optional<int64_t> end = endOfComplete(event))
    addEvent(event, lanes.laneOf(event.process, event.thread), *end);
}

/// Adds an instant, except the one in which our own exports repeat what they
/// say of the whole trace, for viewers.
void ChromeTrace::addInstant(const ChromeEvent &event) {
  if (!event.args.empty() && event.args == head->otherData)
    return;
  addEvent(event, lanes.laneOf(event.process, event.thread), now);
}

void ChromeTrace::begin(const ChromeEvent &event, uint32_t lane) {
  uint32_t number = addEvent(event, lane, now);
  lanes.stateOf(lane).open.push_back({number, event.offsetBytes});
}

void ChromeTrace::end(const ChromeEvent &event, uint32_t lane) {
  ChromeLanes::State &state = lanes.stateOf(lane);
  state.lastNanoseconds = std::max(state.lastNanoseconds, now);
  if (state.open.empty())
    return countNote("Ends (E, e) without a beginning are left out", event);
  TraceEvent &begun = builder.event(state.open.back().event);
  state.open.pop_back();
  if (now < begun.startNanoseconds)
    return countNote("Events that end (E, e) before they begin have no length",
                     event);
  begun.endNanoseconds = now;
  if (begun.args == 0)
    begun.args = builder.addArgs(event.args);
}

void ChromeTrace::endAsync(const ChromeEvent &event) {
  uint32_t lane = lanes.asyncLaneOf(event);
  end(event, lane);
  lanes.releaseAsync(event, lane);
}

void ChromeTrace::endWhatIsOpen() {
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    ChromeLanes::State &state = lanes.stateOf(lane);
    for (const ChromeLanes::Open &open : state.open) {
      TraceEvent &event = builder.event(open.event);
      event.endNanoseconds =
          std::max(event.startNanoseconds, state.lastNanoseconds);
    }
    if (!state.open.empty())
      builder.countNote("Events that begin (B, b) and do not end are taken to "
                        "end with the last event of their thread",
                        "byte " + Twine(state.open.front().offsetBytes),
                        state.open.size());
  }
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

uint32_t ChromeTrace::counterOf(const ChromeEvent &event,
                                const std::string &unit) {
  auto [entry, isNew] = counters.try_emplace(
      CounterKey{event.process, event.id, event.name, unit}, 0);
  if (isNew)
    entry->second = builder.addCounter(event.name, unit);
  return entry->second;
}

/// Adds a line for each number in args. Its key says what it counts.
void ChromeTrace::addSamples(const ChromeEvent &event) {
  auto args = nlohmann::json::parse(event.args.begin(), event.args.end(),
                                    nullptr, /*allow_exceptions=*/false);
  if (!args.is_object() || args.empty())
    return countNote("Counters (C) without args are left out", event);
  for (const auto &[key, value] : args.items()) {
    if (value.is_number())
      builder.addSample(counterOf(event, key), now, value.get<double>());
    else
      countNote("Values of counters (C) that are no numbers are left out",
                event);
  }
}

/// Tells apart counters of several processes that have one name.
void ChromeTrace::nameCounters() {
  std::map<std::pair<std::string, std::string>, unsigned> uses;
  for (const auto &[key, number] : counters)
    ++uses[{key.name, key.unit}];
  for (const auto &[key, number] : counters) {
    if (uses[{key.name, key.unit}] == 1)
      continue;
    std::string process = lanes.nameOf(key.process);
    if (key.process.kind == ChromeId::Number)
      process +=
          (process.empty() ? "" : " ") + std::to_string(key.process.value);
    std::string &name = builder.trace().counters[number].name;
    if (!process.empty())
      name += " (" + process + ")";
    if (key.id.isThere())
      name += " [" +
              (key.id.kind == ChromeId::Text ? lanes.textOf(key.id).str()
                                             : std::to_string(key.id.value)) +
              "]";
  }
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void ChromeTrace::event(const ChromeEvent &event, const ChromeHead &known) {
  head = &known;
  if (event.phase == 'M')
    return lanes.setName(event);
  if (!StringRef("XBEiIRCstfbnenSTpF").contains(event.phase) || !event.phase)
    return countNote(
        event.phase
            ? ("Events of phase " + Twine(event.phase) + " are left out").str()
            : "Objects without a phase ('ph') are left out",
        event);
  if (!checkStart(event))
    return;
  now = event.start->roundToNanoseconds();
  switch (event.phase) {
  case 'X':
    return addComplete(event);
  case 'B':
    return begin(event, lanes.laneOf(event.process, event.thread));
  case 'E':
    return end(event, lanes.laneOf(event.process, event.thread));
  case 'i':
  case 'I':
  case 'R':
    return addInstant(event);
  case 'C':
    return addSamples(event);
  case 's':
  case 't':
  case 'f':
    return flows.addEnd(event, now);
  case 'b':
  case 'S':
    return begin(event, lanes.asyncLaneOf(event));
  case 'e':
  case 'F':
    return endAsync(event);
  default: { // n, T, p: an instant of an id
    uint32_t lane = lanes.asyncLaneOf(event);
    addEvent(event, lane, now);
    return lanes.releaseAsync(event, lane);
  }
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static std::vector<std::string> namesOfDevices(const ChromeHead &head) {
  std::vector<std::string> names;
  auto parse = [](const std::string &text) {
    return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  };
  auto add = [&](const nlohmann::json &object, const char *key) {
    if (object.is_object() && object.contains(key) && object[key].is_string())
      names.push_back(object[key].get<std::string>());
  };
  auto devices = parse(head.deviceProperties);
  if (devices.is_array())
    for (const nlohmann::json &device : devices)
      add(device, "name");
  add(parse(head.otherData), "target"); // in our own exports
  return names;
}

ImportedTrace ChromeTrace::finish(const ChromeHead &known) && {
  endWhatIsOpen();
  flows.draw();
  lanes.nameLanes();
  nameCounters();
  builder.trace().format = known.isKineto
                               ? "Kineto JSON, schema " + known.schemaVersion
                               : "Chrome JSON";
  builder.trace().devices = namesOfDevices(known);
  return std::move(builder).finish();
}

bool mlir::llm::isChromeJson(StringRef beginning) {
  beginning.consume_front("\xEF\xBB\xBF");
  beginning = beginning.ltrim(" \t\r\n");
  return beginning.starts_with("{") || beginning.starts_with("[");
}

::llvm::Expected<ImportedTrace> mlir::llm::readChromeJson(TraceInput &input) {
  ChromeTrace trace;
  ChromeHead head;
  if (::llvm::Error error = parseChromeJson(input, head, trace))
    return error;
  return std::move(trace).finish(head);
}
