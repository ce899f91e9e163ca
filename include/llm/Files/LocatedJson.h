//===- LocatedJson.h - JSON whose values know their place -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that users write deserve errors that point at the line. nlohmann/json
// parses (its SAX interface); this keeps each value's line and column beside
// it.
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

/// Says whether `NaN`, `Infinity` and `-Infinity` are numbers, as they are to
/// Python's json module, and not to JSON.
enum class JsonNumbers { Finite, AsPython };

class LocatedJson;

/// What is read of a file that is too long to be held as a whole. Each function
/// gets the path of an object or array, as in messages: "functions[0].ops".
struct JsonParts {
  /// Says whether the member `key` of an object is read. If it is not, only its
  /// syntax is checked.
  function_ref<bool(StringRef path, StringRef key)> isRead;
  /// Says whether the elements of an array go to `take` one by one. The array
  /// stays empty.
  function_ref<bool(StringRef path)> isTaken;
  function_ref<LogicalResult(StringRef path, const LocatedJson &element)> take;
};

/// A JSON value, its path from the root ("engines.core.count") and its place in
/// the file.
class LocatedJson {
public:
  enum class Kind { Null, Boolean, Integer, Real, String, Array, Object };

  /// Parses the whole text. `bufferName` is the file's name in locations. A
  /// syntax error, a duplicate key, a number that leaves 64 bits (kept as Real
  /// when it is a fraction or has an exponent), nesting deeper than 64 or more
  /// than two million values is an error located in the file. A byte order mark
  /// is skipped.
  static FailureOr<LocatedJson>
  parse(StringRef text, StringRef bufferName, MLIRContext *context,
        JsonNumbers numbers = JsonNumbers::Finite);
  /// Parses the whole text and keeps only parts of it. The two million values
  /// are those that are kept at a time. Fails where `take` does.
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
  /// Returns the path for messages. Of a very long one, only the beginning is
  /// left, and "...".
  const std::string &path() const { return valuePath; }

  /// Members of an object in file order (empty for other kinds), elements of an
  /// array.
  const std::vector<std::pair<std::string, LocatedJson>> &members() const {
    return objectMembers;
  }
  const std::vector<LocatedJson> &elements() const { return arrayElements; }
  /// Returns the member of that name, or null. It is linear in the number of
  /// members.
  const LocatedJson *find(StringRef key) const;

  /// Returns the value as the wanted type, or an error at its place:
  /// "'num_attention_heads' must be a positive whole number, got "32"". A real
  /// is whole when its decimal is, without rounding: 2.5e9 is, 2.5 is not.
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

  /// Says where an object stands, and each of its members, if its text was made
  /// of another file. Locations are of files.
  void placeMembers(Location at, function_ref<Location(StringRef key)> placeOf);

  InFlightDiagnostic emitError() const { return mlir::emitError(loc()); }
  /// Short text of the value for messages: `"abc"`, `3.5`, `an object`. A
  /// number is as the file spells it.
  std::string describe() const;

private:
  friend class LocatedJsonBuilder;
  /// A context keeps each location that was ever made, and a long file has
  /// millions of values: one is made where it is asked for.
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
