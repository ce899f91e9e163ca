//===- JsonCapture.h - A value of a JSON text, as text again ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_JSONCAPTURE_H
#define LLM_TRACEIMPORT_JSONCAPTURE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace mlir::llm {

/// A value that is no container, as a parser reports it.
struct JsonScalar {
  enum Kind { Null, Flag, Integer, Real, Text };
  Kind kind = Null;
  int64_t integer = 0; ///< a flag is 0 or 1
  StringRef text = {}; ///< a text, or a real as it is written

  bool isNumber() const { return kind == Integer || kind == Real; }
  double asDouble() const;
  /// The value of a whole number, or of a text that is one.
  std::optional<int64_t> asInteger() const;
  /// The value as JSON.
  std::string spell() const;
};

/// Writes an object or a list without blanks, from the parts that a parser
/// reports.
class JsonCapture {
public:
  /// A longer text is dropped, and `wasTooLong` is true.
  static constexpr size_t maxBytes = size_t(1) << 20;

  void begin(bool isList);
  void key(StringRef key);
  void scalar(const JsonScalar &value);
  void open(bool isList);
  /// Ends a container. Returns whether the whole value has ended.
  bool close();

  /// The number of containers that have not ended, with the whole one.
  unsigned depth() const { return lists.size(); }
  /// The text, once the whole value has ended. It is empty if it was too long.
  StringRef text() const { return isTooLong ? StringRef() : written; }
  bool wasTooLong() const { return isTooLong; }

private:
  bool hasRoom() {
    isTooLong |= written.size() > maxBytes;
    return !isTooLong;
  }
  void separate();

  std::string written;
  SmallVector<bool, 8> lists; ///< whether each open container is a list
  bool isTooLong = false, isFirst = true;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_JSONCAPTURE_H
