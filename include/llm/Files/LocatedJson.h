//===- LocatedJson.h - JSON whose values know their place -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors in files that users write should point at the line. nlohmann/json
// parses (with its SAX interface); this keeps each value's line and column.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_LOCATEDJSON_H
#define LLM_FILES_LOCATEDJSON_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::llm {

/// Says whether `NaN`, `Infinity` and `-Infinity` are accepted. Python's json
/// module reads and writes them, although JSON does not have them.
enum class JsonNumbers { Finite, AsPython };

class LocatedJson;

/// Says which parts of a file are read that is too long to be held as a whole.
/// Each function gets the path of an object or array, as in messages:
/// "functions[0].ops".
struct JsonParts {
  /// Says whether the member `key` of an object is read. If it is not, only its
  /// syntax is checked.
  function_ref<bool(StringRef path, StringRef key)> isRead;
  /// Says whether the elements of an array go to `take` one by one. If they do,
  /// the array stays empty.
  function_ref<bool(StringRef path)> isTaken;
  function_ref<LogicalResult(StringRef path, const LocatedJson &element)> take;
};

/// A JSON value, its path from the root ("engines.core.count") and its place in
/// the file.
class LocatedJson {
public:
  enum class Kind { Null, Boolean, Integer, Real, String, Array, Object };

  /// Parses the whole text. `bufferName` is the file's name in locations. These
  /// are errors, located in the file: a syntax error, a duplicate key, an
  /// integer that does not fit into 64 bits (a fraction, or a number with an
  /// exponent, is kept as Real), nesting deeper than 64, and more than two
  /// million values. A byte order mark is skipped.
  static FailureOr<LocatedJson>
  parse(StringRef text, StringRef bufferName, MLIRContext *context,
        JsonNumbers numbers = JsonNumbers::Finite);
  /// Parses the whole text and keeps only parts of it. At most two million
  /// values are kept at a time. Fails if `take` fails.
  static FailureOr<LocatedJson> parseParts(StringRef text, StringRef bufferName,
                                           MLIRContext *context,
                                           const JsonParts &parts);
  /// Reads and parses a file. An unreadable file is an error at an unknown
  /// location that names the path and the reason.
  static FailureOr<LocatedJson>
  parseFile(StringRef path, MLIRContext *context,
            JsonNumbers numbers = JsonNumbers::Finite);

  Kind kind() const { return valueKind; }
  bool isNull() const { return valueKind == Kind::Null; }
  bool isObject() const { return valueKind == Kind::Object; }
  bool isArray() const { return valueKind == Kind::Array; }
  Location loc() const { return place.loc(); }
  /// Returns the path for messages. A very long path is cut, and ends in "...".
  const std::string &path() const { return valuePath; }

  /// These return the members of an object in the file's order, and the
  /// elements of an array. They are empty for other kinds.
  const std::vector<std::pair<std::string, LocatedJson>> &members() const {
    return objectMembers;
  }
  const std::vector<LocatedJson> &elements() const { return arrayElements; }
  /// Returns the member of that name, or null. Takes time linear in the number
  /// of members.
  const LocatedJson *find(StringRef key) const;

  /// These return the value as the wanted type, or emit an error at its place:
  /// "'num_attention_heads' must be a positive whole number, got "32"". A real
  /// is whole if its decimal is, without rounding: 2.5e9 is, and 2.5 is not.
  FailureOr<int64_t> asPositive() const;
  FailureOr<int64_t> asNonNegative() const;
  FailureOr<double> asNumber() const; ///< an integer or a real; always finite
  FailureOr<bool> asBoolean() const;
  FailureOr<std::string> asString() const;
  LogicalResult expectObject() const;
  LogicalResult expectArray() const;

  /// Returns the member, or an error at this object's place: "'x' is missing"
  /// (with the path).
  FailureOr<const LocatedJson *> require(StringRef key) const;

  /// Sets the location of an object and of each of its members, if its text was
  /// made from another file. The locations must be FileLineColLocs.
  void placeMembers(Location at, function_ref<Location(StringRef key)> placeOf);

  InFlightDiagnostic emitError() const { return mlir::emitError(loc()); }
  /// Returns a short text of the value for messages: `"abc"`, `3.5`, `an
  /// object`. A number is spelled as in the file.
  std::string describe() const;

private:
  friend class LocatedJsonBuilder;
  /// The file, line and column of a value. A context keeps every location that
  /// was ever made, and a long file has millions of values. So a location is
  /// made only when it is asked for.
  struct Place {
    StringAttr file;
    unsigned line, column;

    Location loc() const { return FileLineColLoc::get(file, line, column); }
  };
  explicit LocatedJson(Place place) : place(place) {}
  void moveTo(FileLineColLoc at);
  InFlightDiagnostic emitWrongKind(StringRef wanted) const;
  FailureOr<int64_t> asWhole(int64_t least, StringRef wanted) const;

  Kind valueKind = Kind::Null;
  Place place;
  std::string valuePath;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string string; ///< a string's text, a real's spelling
  std::vector<std::pair<std::string, LocatedJson>> objectMembers;
  std::vector<LocatedJson> arrayElements;
};

} // namespace mlir::llm

#endif // LLM_FILES_LOCATEDJSON_H
