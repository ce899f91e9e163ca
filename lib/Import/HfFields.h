//===- HfFields.h - Fields of a config.json, each accounted for -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_HFFIELDS_H
#define LLM_LIB_IMPORT_HFFIELDS_H

#include "llm/Files/LocatedJson.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace mlir::llm {

/// Reads fields of a JSON object and remembers which, so that `finish` can
/// report those that were not read. A wrong field is reported at its place and
/// read as its default (1 for a required one). Reading goes on, so that a user
/// sees all errors at once.
class HfFields {
public:
  explicit HfFields(const LocatedJson &object) : object(object) {}

  /// Returns the field, or null if it is absent or null.
  const LocatedJson *find(StringRef key);
  /// Whether the field is there, and null.
  bool isNull(StringRef key);
  int64_t positive(StringRef key);
  int64_t positive(StringRef key, int64_t absent);
  int64_t nonNegative(StringRef key, int64_t absent);
  double number(StringRef key, double absent);
  /// Reads a positive number, or 0 if the field is null.
  double numberOrNone(StringRef key, double absent);
  bool boolean(StringRef key, bool absent);
  std::string string(StringRef key, StringRef absent);
  /// Reads a list of whole numbers of 0 or more. It is empty if the field is
  /// absent.
  std::vector<int64_t> wholeNumbers(StringRef key);
  /// Reads a list of positive numbers. It is empty if the field is absent, or
  /// has other numbers.
  std::vector<double> positiveNumbers(StringRef key);

  /// Checks that the field is absent or this text.
  void mustBe(StringRef key, StringRef text);
  /// Checks that the field is absent or false. If it is true, it means
  /// `meaning`, which is not supported.
  void mustBeFalse(StringRef key, StringRef meaning);
  /// Checks that the field is absent. It means `meaning`, which is not
  /// supported.
  void mustBeAbsent(StringRef key, StringRef meaning);

  /// Begins an error about a field, at its place or, if it is absent, at the
  /// object's.
  InFlightDiagnostic refuse(StringRef key);
  void markFailed() { anyWrong = true; }
  bool hasFailed() const { return anyWrong; }

  /// Fails if a field was wrong, or is neither read nor known to be harmless.
  /// `owner` names in messages what the fields describe.
  LogicalResult finish(const Twine &owner);

private:
  template <typename T>
  T take(FailureOr<T> value, T otherwise);

  const LocatedJson &object;
  llvm::StringSet<> seen;
  bool anyWrong = false;
};

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_HFFIELDS_H
