//===- ChromeJson.cpp - The events of a trace in Chrome's JSON ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChromeJson.h"
#include "SourceIterator.h"
#include "llvm/ADT/StringSwitch.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;

static constexpr unsigned maxDepth = 64;

namespace {
/// A member of an event.
enum class Field {
  Unknown,
  Phase,
  Name,
  Category,
  Process,
  Thread,
  Start,
  Duration,
  Id,
  LocalId, ///< an object with one of two ids
  Binding,
  FlowId,
  FlowIn,
  FlowOut,
  Args
};

/// Receives nlohmann's SAX events.
class ChromeSax {
public:
  ChromeSax(TraceInput &input, SourceCursor &cursor, ChromeHead &head,
            ChromeEventHandler &handler)
      : input(input), cursor(cursor), head(head), handler(handler) {}

  bool null() { return scalar({}); }
  bool boolean(bool value) { return scalar({JsonScalar::Flag, value}); }
  bool number_integer(int64_t value) {
    return scalar({JsonScalar::Integer, value});
  }
  bool number_unsigned(uint64_t value) {
    if (value <= uint64_t(INT64_MAX))
      return number_integer(int64_t(value));
    return scalar({JsonScalar::Real, 0, std::to_string(value)});
  }
  bool number_float(double, const std::string &spelling) {
    return scalar({JsonScalar::Real, 0, spelling});
  }
  bool string(std::string &value) {
    return scalar({JsonScalar::Text, 0, value});
  }
  bool binary(std::vector<uint8_t> &) { return false; } // not in JSON text

  bool start_object(size_t) { return open(/*isList=*/false); }
  bool start_array(size_t) { return open(/*isList=*/true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string &key);
  bool parse_error(size_t position, const std::string &lastToken,
                   const nlohmann::json::exception &error);

  ::llvm::Error takeError() {
    return error ? std::move(*error) : ::llvm::Error::success();
  }
  /// Whether there was a list of events, which may be empty.
  bool hasEvents = false;
  /// Whether the file ended behind a whole event, without closing brackets.
  bool endsOpen = false;

private:
  /// Where the parser is.
  enum class Place { Start, Top, Events, Event, Id, Captured, Skipped };

  bool scalar(const JsonScalar &value);
  bool open(bool isList);
  bool close();
  bool fail(const Twine &what) {
    error = input.fail(cursor.takenBytes() - 1, what);
    return false;
  }

  bool openAtTop(bool isList);
  void beginEvent();
  void setTopScalar(const JsonScalar &value);
  void setField(const JsonScalar &value);
  void setTime(const JsonScalar &value, std::optional<FineTime> &time,
               ChromeEvent::Time &state);
  ChromeId toId(const JsonScalar &value);
  void captureKey(StringRef key);
  void captureScalar(const JsonScalar &value);
  void endCapture();
  void skip(Place behind) {
    place = Place::Skipped;
    afterSkipped = behind;
    skippedDepth = 1;
  }

  TraceInput &input;
  SourceCursor &cursor;
  ChromeHead &head;
  ChromeEventHandler &handler;
  std::optional<::llvm::Error> error;

  Place place = Place::Start;
  Place afterSkipped = Place::Start;
  unsigned skippedDepth = 0;
  bool isBareList = false;
  std::string topKey;
  Field field = Field::Unknown;
  ChromeEvent event;
  JsonCapture capture;
  std::string *captured = nullptr; ///< in the head; null: args of the event
  /// Where the value of the last key goes, if it joins events and is not
  /// captured.
  std::optional<int64_t> *joinKey = nullptr;
  bool dropsNext = false;
};
} // namespace

static Field fieldOf(StringRef key) {
  return ::llvm::StringSwitch<Field>(key)
      .Case("ph", Field::Phase)
      .Case("name", Field::Name)
      .Case("cat", Field::Category)
      .Case("pid", Field::Process)
      .Case("tid", Field::Thread)
      .Case("ts", Field::Start)
      .Case("dur", Field::Duration)
      .Case("id", Field::Id)
      .Case("id2", Field::LocalId)
      .Case("bp", Field::Binding)
      .Case("bind_id", Field::FlowId)
      .Case("flow_in", Field::FlowIn)
      .Case("flow_out", Field::FlowOut)
      .Case("args", Field::Args)
      .Default(Field::Unknown);
}

/// Whether a number of Kineto's differs from event to event, and joins it to
/// others, or to nothing in the file. If such numbers were kept, all args would
/// be distinct.
static bool isNumberOfEvent(StringRef key) {
  return ::llvm::StringSwitch<bool>(key)
      .Cases({"correlation", "External id", "external id", "Ev Idx"}, true)
      .Cases({"Record function id", "Sequence number"}, true)
      .Cases({"Python id", "Python parent id", "Python module id"}, true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

bool ChromeSax::open(bool isList) {
  cursor.markValue();
  switch (place) {
  case Place::Start:
    isBareList = hasEvents = isList;
    place = isList ? Place::Events : Place::Top;
    return true;
  case Place::Top:
    return openAtTop(isList);
  case Place::Events:
    if (isList)
      return fail("a list, where an event, an object, was expected");
    beginEvent();
    return true;
  case Place::Event:
    if (field != Field::Args || isList) {
      if (field == Field::LocalId && !isList)
        place = Place::Id;
      else
        skip(Place::Event);
      return true;
    }
    place = Place::Captured;
    captured = nullptr;
    capture.begin(isList);
    return true;
  case Place::Id:
    skip(Place::Id);
    return true;
  case Place::Captured:
    if (capture.depth() == maxDepth)
      return fail("nested deeper than " + Twine(maxDepth));
    if (dropsNext) {
      dropsNext = false;
      skip(Place::Captured);
      return true;
    }
    capture.open(isList);
    return true;
  case Place::Skipped:
    if (++skippedDepth > maxDepth)
      return fail("nested deeper than " + Twine(maxDepth));
    return true;
  }
  return true;
}

bool ChromeSax::openAtTop(bool isList) {
  if (topKey == "traceEvents") {
    if (!isList)
      return fail("an object, where the list of events was expected");
    hasEvents = true;
    place = Place::Events;
    return true;
  }
  captured = topKey == "deviceProperties" ? &head.deviceProperties
             : topKey == "otherData"      ? &head.otherData
                                          : nullptr;
  if (!captured) {
    skip(Place::Top);
    return true;
  }
  place = Place::Captured;
  capture.begin(isList);
  return true;
}

bool ChromeSax::close() {
  cursor.markValue();
  switch (place) {
  case Place::Skipped:
    if (--skippedDepth == 0)
      place = afterSkipped;
    return true;
  case Place::Captured:
    if (capture.close())
      endCapture();
    return true;
  case Place::Id:
    place = Place::Event;
    return true;
  case Place::Event:
    place = Place::Events;
    handler.event(event, head);
    return true;
  case Place::Events:
    place = isBareList ? Place::Start : Place::Top;
    return true;
  case Place::Top:
  case Place::Start:
    return true;
  }
  return true;
}

void ChromeSax::endCapture() {
  if (captured) {
    *captured = capture.text().str();
    place = Place::Top;
    return;
  }
  event.args = capture.text();
  event.argsTooLong = capture.wasTooLong();
  place = Place::Event;
  field = Field::Unknown;
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

bool ChromeSax::key(std::string &key) {
  cursor.markValue();
  if (place == Place::Top)
    topKey = std::move(key);
  else if (place == Place::Event)
    field = fieldOf(key);
  else if (place == Place::Captured)
    captureKey(key);
  return true;
}

bool ChromeSax::scalar(const JsonScalar &value) {
  cursor.markValue();
  switch (place) {
  case Place::Start:
    return fail("a single value, where a trace, an object or a list, was "
                "expected");
  case Place::Top:
    if (topKey == "traceEvents")
      return fail(value.spell() + ", where the list of events was expected");
    setTopScalar(value);
    return true;
  case Place::Events:
    return fail(value.spell() + ", where an event, an object, was expected");
  case Place::Event:
    setField(value);
    return true;
  case Place::Id:
    event.id = toId(value);
    return true;
  case Place::Captured:
    captureScalar(value);
    return true;
  case Place::Skipped:
    return true;
  }
  return true;
}

void ChromeSax::setTopScalar(const JsonScalar &value) {
  if (topKey != "schemaVersion")
    return;
  head.isKineto = true;
  head.schemaVersion = value.spell();
}

void ChromeSax::captureKey(StringRef key) {
  bool isOwnArg = !captured && capture.depth() == 1;
  dropsNext = isOwnArg && isNumberOfEvent(key);
  if (!dropsNext)
    return capture.key(key);
  joinKey = key == "correlation"                    ? &event.correlation
            : key.equals_insensitive("external id") ? &event.externalId
                                                    : nullptr;
}

void ChromeSax::captureScalar(const JsonScalar &value) {
  if (!dropsNext)
    return capture.scalar(value);
  dropsNext = false;
  if (joinKey)
    *joinKey = value.asInteger();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void ChromeSax::beginEvent() {
  place = Place::Event;
  field = Field::Unknown;
  std::string name = std::move(event.name),
              category = std::move(event.category);
  event = ChromeEvent();
  event.offsetBytes = cursor.takenBytes() - 1;
  // This keeps the memory of these strings for the next event.
  event.name = std::move(name);
  event.category = std::move(category);
  event.name.clear();
  event.category.clear();
}

ChromeId ChromeSax::toId(const JsonScalar &value) {
  if (value.kind == JsonScalar::Integer)
    return {ChromeId::Number, value.integer};
  if (value.kind == JsonScalar::Null)
    return {};
  StringRef text = value.text;
  int64_t number;
  if (text.consume_front("0x") && !text.getAsInteger(16, number))
    return {ChromeId::Number, number};
  return {ChromeId::Text, handler.numberText(value.text)};
}

void ChromeSax::setTime(const JsonScalar &value, std::optional<FineTime> &time,
                        ChromeEvent::Time &state) {
  std::string spelling =
      value.kind == JsonScalar::Text ? value.text.str() : value.spell();
  time = FineTime::parseMicroseconds(spelling);
  state = time ? ChromeEvent::Time::Good : ChromeEvent::Time::Bad;
}

void ChromeSax::setField(const JsonScalar &value) {
  bool isSet = value.kind == JsonScalar::Flag && value.integer;
  switch (field) {
  case Field::Phase:
    event.phase = value.text.size() == 1 ? value.text.front() : '?';
    return;
  case Field::Name:
    event.name =
        value.kind == JsonScalar::Text ? value.text.str() : value.spell();
    return;
  case Field::Category:
    event.category = value.text.str();
    return;
  case Field::Process:
    event.process = toId(value);
    return;
  case Field::Thread:
    event.thread = toId(value);
    return;
  case Field::Start:
    return setTime(value, event.start, event.hasStart);
  case Field::Duration:
    return setTime(value, event.duration, event.hasDuration);
  case Field::Id:
    event.id = toId(value);
    return;
  case Field::FlowId:
    event.flow = toId(value);
    return;
  case Field::Binding:
    event.bindsEnclosing = value.text == "e";
    return;
  case Field::FlowIn:
    event.flowsIn = isSet;
    return;
  case Field::FlowOut:
    event.flowsOut = isSet;
    return;
  case Field::LocalId:
  case Field::Args:
  case Field::Unknown:
    return;
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

bool ChromeSax::parse_error(size_t position, const std::string &,
                            const nlohmann::json::exception &exception) {
  // The parser tells what is wrong only in words.
  StringRef message = exception.what();
  bool isEnd = message.contains("unexpected end of input");
  bool isBracket = message.contains("unexpected ']'");
  // Writers put a comma behind each event, and some end without the bracket.
  // The format allows both.
  if (place == Place::Events && (isBracket || (isEnd && isBareList))) {
    endsOpen = true;
    return false;
  }
  // The message is "[json.exception...] parse error at line 1, column 2: what
  // we want".
  message = message.substr(message.find("] ") + 2);
  if (message.starts_with("parse error at "))
    message = message.split(": ").second;
  std::string text = message.take_front(200).str();
  if (isEnd)
    text += " (the file ends here: was it cut, or its writer ended?)";
  error = input.fail(position ? position - 1 : 0,
                     "invalid JSON: " + ::llvm::json::fixUTF8(text));
  return false;
}

::llvm::Error mlir::llm::parseChromeJson(TraceInput &input, ChromeHead &head,
                                         ChromeEventHandler &handler) {
  SourceCursor cursor(input);
  ChromeSax sax(input, cursor, head, handler);
  bool isWhole = nlohmann::json::sax_parse(SourceIterator(&cursor),
                                           SourceIterator(), &sax);
  // An error of the source is the cause if the parser found an early end, so it
  // comes first.
  ::llvm::Error ofSource = cursor.takeError(), ofText = sax.takeError();
  if (ofSource) {
    consumeError(std::move(ofText));
    return ofSource;
  }
  if (ofText)
    return ofText;
  if (isWhole && !cursor.isAtEnd()) // the parser takes a NUL for the end
    return input.fail(cursor.takenBytes() - 1, "invalid JSON: a NUL byte");
  if (!sax.hasEvents)
    return input.fail(0, "no trace: the object has no member 'traceEvents', "
                         "where JSON of Chrome and PyTorch has its events");
  if (sax.endsOpen)
    handler.note("The list of events ends at byte " +
                 Twine(cursor.takenBytes()) +
                 " with a comma too many or without a bracket; what follows is "
                 "not read.");
  return ::llvm::Error::success();
}
