//===- LocatedJson.cpp - JSON whose values know their place ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/LocatedJson.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/WholeNumber.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>
#include <limits>

namespace mlir::llm {

static constexpr size_t maxDepth = 64;

// The most values of a file. A value costs some 200 bytes here, but may take
// only two in the file. The longest files, headers of safetensors, have a
// million values. Each value holds its path, so that one long key would be
// copied into all values below it.
static constexpr size_t maxValues = size_t(1) << 21;
static constexpr size_t maxPathBytes = 256;

/// Shortens a user's text for messages: valid UTF-8, one line, and not the
/// whole file.
static std::string shorten(StringRef text, size_t most = 80) {
  std::string shown;
  for (char c : text.take_front(most))
    shown += llvm::isPrint(c) || (c & 0x80) ? c : ' ';
  if (text.size() > most)
    shown += "...";
  return llvm::json::fixUTF8(shown);
}

//===----------------------------------------------------------------------===//
// Numbers that are not finite
//===----------------------------------------------------------------------===//

/// Python's json module writes these, which no other parser knows.
static constexpr llvm::StringLiteral nonFinite[] = {"NaN", "Infinity",
                                                    "-Infinity"};

static double valueOfNonFinite(StringRef spelling) {
  double infinity = std::numeric_limits<double>::infinity();
  if (spelling == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  return spelling.starts_with("-") ? -infinity : infinity;
}

/// Returns the spelling that is a whole token at an offset, or else nothing.
static StringRef nonFiniteAt(StringRef text, size_t offset) {
  StringRef rest = text.drop_front(offset);
  for (StringRef spelling : nonFinite)
    if (rest.starts_with(spelling) &&
        (offset == 0 || StringRef(" \t\r\n,:[").contains(text[offset - 1])) &&
        (rest.size() == spelling.size() ||
         StringRef(" \t\r\n,]}").contains(rest[spelling.size()])))
      return spelling;
  return {};
}

/// Replaces them by zeros of the same length, so that all places stay where
/// they are.
static std::string maskNonFinite(StringRef text) {
  std::string masked = text.str();
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isInString && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      isInString = !isInString;
    } else if (StringRef spelling = nonFiniteAt(text, i);
               !isInString && !spelling.empty()) {
      masked.replace(i, spelling.size(), spelling.size(), '0');
      masked[i] = spelling.front() == '-' ? '-' : '0';
      masked[spelling.front() == '-' ? i + 2 : i + 1] = '.';
      i += spelling.size() - 1;
    }
  }
  return masked;
}

//===----------------------------------------------------------------------===//
// Building from the parser's events
//===----------------------------------------------------------------------===//

namespace {
/// Gives the text to nlohmann's lexer, and counts what was taken. The SAX
/// interface only tells the position of an error.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, size_t *taken) : at(at), taken(taken) {}
  reference operator*() const { return *at; }
  CountingIterator &operator++() {
    ++at;
    ++*taken;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator &other) const {
    return at == other.at;
  }
  bool operator!=(const CountingIterator &other) const {
    return at != other.at;
  }

private:
  const char *at;
  size_t *taken;
};
} // namespace

/// Receives nlohmann's SAX events. It keeps the open containers on a stack of
/// its own, so that depth costs no call stack.
class LocatedJsonBuilder {
public:
  LocatedJsonBuilder(StringRef text, StringRef bufferName, MLIRContext *context,
                     JsonNumbers numbers, const JsonParts *parts = nullptr)
      : text(text), fileName(StringAttr::get(context, bufferName)),
        parts(parts) {
    if (numbers == JsonNumbers::AsPython &&
        (text.contains("NaN") || text.contains("Infinity")))
      masked = maskNonFinite(text);
  }

  FailureOr<LocatedJson> build() {
    StringRef parsed = masked.empty() ? text : StringRef(masked);
    CountingIterator begin(parsed.begin(), &taken), end(parsed.end(), &taken);
    if (!nlohmann::json::sax_parse(begin, end, this))
      return failure();
    if (taken < text.size()) // the lexer takes a NUL for the end
      return emitError(locate(taken - 1).loc()) << "invalid JSON: a NUL byte";
    return std::move(*root);
  }

  bool null() { return isSkipped() || add(makeValue(LocatedJson::Kind::Null)); }
  bool boolean(bool value) {
    if (isSkipped())
      return true;
    LocatedJson json = makeValue(LocatedJson::Kind::Boolean);
    json.boolean = value;
    return add(std::move(json));
  }
  bool number_integer(int64_t value) {
    if (isSkipped())
      return true;
    LocatedJson json = makeValue(LocatedJson::Kind::Integer);
    json.integer = value;
    return add(std::move(json));
  }
  bool number_unsigned(uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX))
      return refuseNumber(std::to_string(value));
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(double value, const std::string &spelling) {
    // The lexer turns an integer that is too long into a double, which would
    // round it.
    if (StringRef(spelling).find_first_of(".eE") == StringRef::npos)
      return refuseNumber(spelling);
    if (isSkipped())
      return true;
    LocatedJson json = makeValue(LocatedJson::Kind::Real);
    // The original text may have a masked spelling at this place.
    json.string = text.substr(located, spelling.size());
    bool isMasked = json.string != spelling;
    json.real = isMasked ? valueOfNonFinite(json.string) : value;
    return add(std::move(json));
  }
  bool string(std::string &value) {
    if (isSkipped())
      return true;
    LocatedJson json = makeValue(LocatedJson::Kind::String);
    json.string = std::move(value);
    return add(std::move(json));
  }
  bool binary(std::vector<uint8_t> &) { return false; } // not in JSON text

  bool start_object(size_t) {
    return beginsSkipped() || open(LocatedJson::Kind::Object);
  }
  bool start_array(size_t) {
    return beginsSkipped() || open(LocatedJson::Kind::Array);
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string &value) {
    if (skippedDepth > 0) {
      eventEnd = taken;
      return true;
    }
    LocatedJson::Place place = locateNextToken();
    Container &object = containers.back();
    if (!object.keys.insert(value).second) {
      emitError(place.loc())
          << "the key \"" << shorten(value) << "\" is there twice";
      return false;
    }
    object.nextKey = std::move(value);
    isNextSkipped =
        parts && !parts->isRead(object.value.valuePath, object.nextKey);
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &error) {
    // The text is "[json.exception...] parse error at line 1, column 2: what we
    // want".
    if (StringRef start = text.ltrim();
        root == std::nullopt && containers.empty() && isNoJson(start))
      return refuseAsOther(start);
    StringRef message = error.what();
    message = message.substr(message.find("] ") + 2);
    if (message.starts_with("parse error at "))
      message = message.split(": ").second;
    auto [what, lastRead] = message.split("; last read: ");
    InFlightDiagnostic diagnostic = emitError(
        locate(std::min(position ? position - 1 : 0, text.size())).loc());
    if (isNumberWithUnit(lastRead)) {
      diagnostic << "invalid JSON: a number has no unit behind it; the name of "
                    "its field says it";
      return false;
    }
    diagnostic << "invalid JSON: " << shorten(what, 160);
    if (!lastRead.empty())
      diagnostic << "; last read: " << shorten(lastRead);
    return false;
  }

private:
  /// Whether "'2T'; expected '}'" is the beginning of "2TB".
  static bool isNumberWithUnit(StringRef lastRead) {
    StringRef read = lastRead.split("'; ").first;
    return read.size() >= 3 && read.consume_front("'") &&
           llvm::isDigit(read.front()) && llvm::isAlpha(read.back());
  }
  /// Whether the file is of another kind, such as a program or a table.
  static bool isNoJson(StringRef start) {
    return !start.starts_with("{") && !start.starts_with("[");
  }
  static bool isProgram(StringRef start) {
    return start.starts_with("module") || start.starts_with("func.func") ||
           start.starts_with("#llm.");
  }
  bool refuseAsOther(StringRef start) {
    InFlightDiagnostic diagnostic = emitError(locate(0).loc());
    if (start.empty())
      diagnostic << "invalid JSON: the file is empty";
    else
      diagnostic << "invalid JSON: expected '{', got '"
                 << shorten(start.split('\n').first.rtrim(), 40) << "'"
                 << (isProgram(start) ? "; this is a program" : "");
    return false;
  }

  /// An object or array whose end has not come yet.
  struct Container {
    LocatedJson value;
    std::string nextKey;
    llvm::StringSet<> keys;
    bool isTaken = false;    ///< its elements go to the reader
    size_t elements = 0;     ///< of an array
    size_t valuesBefore = 0; ///< of the whole text
  };

  /// Whether this value, which has no others in it, is not read.
  bool isSkipped() {
    bool isAlone = isNextSkipped && skippedDepth == 0;
    if (isAlone)
      isNextSkipped = false;
    if (isAlone || skippedDepth > 0)
      eventEnd = taken;
    return isAlone || skippedDepth > 0;
  }
  bool beginsSkipped() {
    if (skippedDepth == 0 && !isNextSkipped)
      return false;
    isNextSkipped = false;
    ++skippedDepth;
    eventEnd = taken;
    return true;
  }

  /// Finds the line of an offset. Counts on from the last call, since offsets
  /// grow from call to call.
  LocatedJson::Place locate(size_t offset) {
    offset = std::max(offset, located);
    StringRef passed = text.slice(located, offset);
    line += passed.count('\n');
    size_t lineEnd = passed.rfind('\n');
    if (lineEnd != StringRef::npos)
      lineStart = located + lineEnd + 1;
    located = offset;
    return {fileName, line, static_cast<unsigned>(offset - lineStart + 1)};
  }

  /// Returns the place of the token that this event is about, which is the
  /// first one behind those of the last event. (Behind a number, the lexer may
  /// have taken one character more, but only one of those that are skipped
  /// here.)
  LocatedJson::Place locateNextToken() {
    size_t start = text.find_first_not_of(" \t\r\n,:]}", eventEnd);
    eventEnd = taken;
    return locate(std::min(start, text.size()));
  }

  std::string nextPath() const {
    if (containers.empty())
      return "";
    const Container &parent = containers.back();
    std::string path = parent.value.valuePath;
    if (parent.value.isArray())
      path += "[" + std::to_string(parent.elements) + "]";
    else
      path += (path.empty() ? "" : ".") +
              parent.nextKey.substr(0, maxPathBytes + 1);
    if (path.size() <= maxPathBytes)
      return path;
    return llvm::json::fixUTF8(StringRef(path).take_front(maxPathBytes)) +
           "...";
  }

  LocatedJson makeValue(LocatedJson::Kind kind) {
    ++valueCount;
    LocatedJson json(locateNextToken());
    json.valueKind = kind;
    json.valuePath = nextPath();
    return json;
  }

  bool add(LocatedJson &&json) {
    if (valueCount > maxValues) {
      json.emitError() << "invalid JSON: more than " << maxValues << " values";
      return false;
    }
    if (containers.empty()) {
      root = std::move(json);
      return true;
    }
    Container &parent = containers.back();
    if (parent.isTaken)
      return hand(parent, json);
    ++parent.elements;
    if (parent.value.isArray())
      parent.value.arrayElements.push_back(std::move(json));
    else
      parent.value.objectMembers.emplace_back(std::move(parent.nextKey),
                                              std::move(json));
    return true;
  }

  /// Nothing of the element is kept.
  bool hand(Container &array, const LocatedJson &element) {
    ++array.elements;
    valueCount = array.valuesBefore;
    return succeeded(parts->take(array.value.valuePath, element));
  }

  bool open(LocatedJson::Kind kind) {
    LocatedJson json = makeValue(kind);
    if (containers.size() == maxDepth) {
      json.emitError() << "invalid JSON: nested deeper than " << maxDepth;
      return false;
    }
    bool isTaken = parts && kind == LocatedJson::Kind::Array &&
                   parts->isTaken(json.valuePath);
    containers.push_back({std::move(json), {}, {}, isTaken, 0, valueCount});
    return true;
  }

  bool close() {
    eventEnd = taken;
    if (skippedDepth > 0) {
      --skippedDepth;
      return true;
    }
    Container closed = std::move(containers.back());
    containers.pop_back();
    return add(std::move(closed.value));
  }

  bool refuseNumber(StringRef spelling) {
    emitError(locateNextToken().loc())
        << "the whole number " << shorten(spelling)
        << " does not fit in 64 bits";
    return false;
  }

  StringRef text;
  std::string masked; ///< what is parsed, or empty if that is the text
  StringAttr fileName;
  const JsonParts *parts;     ///< null: all is read
  bool isNextSkipped = false; ///< the value of the key that was read last
  size_t skippedDepth = 0;    ///< open objects and arrays that are not read
  std::vector<Container> containers;
  std::optional<LocatedJson> root;
  size_t valueCount = 0;
  size_t taken = 0;    ///< bytes that the lexer has taken
  size_t eventEnd = 0; ///< `taken` at the last event
  size_t located = 0;  ///< where `line` and `lineStart` are right
  size_t lineStart = 0;
  unsigned line = 1;
};

FailureOr<LocatedJson> LocatedJson::parse(StringRef text, StringRef bufferName,
                                          MLIRContext *context,
                                          JsonNumbers numbers) {
  text.consume_front("\xEF\xBB\xBF");
  return LocatedJsonBuilder(text, bufferName, context, numbers).build();
}

FailureOr<LocatedJson> LocatedJson::parseParts(StringRef text,
                                               StringRef bufferName,
                                               MLIRContext *context,
                                               const JsonParts &parts) {
  text.consume_front("\xEF\xBB\xBF");
  return LocatedJsonBuilder(text, bufferName, context, JsonNumbers::Finite,
                            &parts)
      .build();
}

FailureOr<LocatedJson> LocatedJson::parseFile(StringRef path,
                                              MLIRContext *context,
                                              JsonNumbers numbers) {
  auto buffer = readInputFile(path);
  if (!buffer)
    return mlir::emitError(UnknownLoc::get(context))
           << llvm::toString(buffer.takeError());
  return parse((*buffer)->getBuffer(), path, context, numbers);
}

//===----------------------------------------------------------------------===//
// Typed access
//===----------------------------------------------------------------------===//

void LocatedJson::moveTo(FileLineColLoc at) {
  place = {at.getFilename(), at.getLine(), at.getColumn()};
  for (LocatedJson &element : arrayElements)
    element.moveTo(at);
  for (auto &member : objectMembers)
    member.second.moveTo(at);
}

void LocatedJson::placeMembers(Location at,
                               function_ref<Location(StringRef key)> placeOf) {
  moveTo(cast<FileLineColLoc>(at));
  for (auto &[key, member] : objectMembers)
    member.moveTo(cast<FileLineColLoc>(placeOf(key)));
}

const LocatedJson *LocatedJson::find(StringRef key) const {
  for (const auto &[name, value] : objectMembers)
    if (name == key)
      return &value;
  return nullptr;
}

FailureOr<const LocatedJson *> LocatedJson::require(StringRef key) const {
  if (failed(expectObject()))
    return failure();
  if (const LocatedJson *member = find(key))
    return member;
  return emitError() << "'" << valuePath << (valuePath.empty() ? "" : ".")
                     << key << "' is missing";
}

InFlightDiagnostic LocatedJson::emitWrongKind(StringRef wanted) const {
  InFlightDiagnostic diagnostic = emitError();
  if (valuePath.empty())
    diagnostic << "the top level";
  else
    diagnostic << "'" << valuePath << "'";
  diagnostic << " must be " << wanted << ", got " << describe();
  return diagnostic;
}

FailureOr<int64_t> LocatedJson::asWhole(int64_t least, StringRef wanted) const {
  if (kind() != Kind::Integer && kind() != Kind::Real)
    return emitWrongKind(wanted);
  if (kind() == Kind::Integer) {
    if (integer < least)
      return emitWrongKind(wanted);
    return integer;
  }
  if (!std::isfinite(real))
    return emitWrongKind(wanted);
  llvm::Expected<int64_t> whole = parseWholeNumber(string);
  if (!whole)
    return emitWrongKind(wanted) << ": " << llvm::toString(whole.takeError());
  if (*whole < least)
    return emitWrongKind(wanted);
  return *whole;
}

FailureOr<int64_t> LocatedJson::asPositive() const {
  return asWhole(1, "a positive whole number");
}

FailureOr<int64_t> LocatedJson::asNonNegative() const {
  return asWhole(0, "a whole number of at least 0");
}

FailureOr<double> LocatedJson::asNumber() const {
  if (kind() == Kind::Integer)
    return static_cast<double>(integer);
  if (kind() == Kind::Real && std::isfinite(real))
    return real;
  return emitWrongKind(kind() == Kind::Real ? "a finite number" : "a number");
}

FailureOr<bool> LocatedJson::asBoolean() const {
  if (kind() == Kind::Boolean)
    return boolean;
  return emitWrongKind("true or false");
}

FailureOr<std::string> LocatedJson::asString() const {
  if (kind() == Kind::String)
    return string;
  return emitWrongKind("a string");
}

LogicalResult LocatedJson::expectObject() const {
  if (isObject())
    return success();
  return emitWrongKind("an object");
}

LogicalResult LocatedJson::expectArray() const {
  if (isArray())
    return success();
  return emitWrongKind("an array");
}

std::string LocatedJson::describe() const {
  switch (kind()) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return boolean ? "true" : "false";
  case Kind::Integer:
    return std::to_string(integer);
  case Kind::Real:
    return shorten(string);
  case Kind::String:
    return "\"" + shorten(string) + "\"";
  case Kind::Array:
    return "an array";
  case Kind::Object:
    return "an object";
  }
  return "";
}

} // namespace mlir::llm
