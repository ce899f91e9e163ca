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

/// What a parser says of a value that is no container.
struct JsonScalar {
  enum Kind { Null, Flag, Integer, Real, Text };
  Kind kind = Null;
  int64_t integer = 0; ///< of a flag 0 or 1
  StringRef text = {}; ///< a text, or how a real is written

  bool isNumber() const { return kind == Integer || kind == Real; }
  double asDouble() const;
  /// Of a number, or of a text that is one.
  std::optional<int64_t> asInteger() const;
  /// As JSON.
  std::string spell() const;
};

/// Writes an object or a list without blanks as its parts come.
class JsonCapture {
public:
  /// Longer texts are cut, and said to be.
  static constexpr size_t maxBytes = size_t(1) << 20;

  void begin(bool isList);
  void key(StringRef key);
  void scalar(const JsonScalar &value);
  void open(bool isList);
  /// Whether the whole has ended.
  bool close();

  /// How many containers have not ended, the whole one included.
  unsigned depth() const { return lists.size(); }
  /// Once the whole has ended: empty where it is too long.
  StringRef text() const { return isTooLong ? StringRef() : written; }
  bool wasTooLong() const { return isTooLong; }

private:
  bool hasRoom() {
    isTooLong |= written.size() > maxBytes;
    return !isTooLong;
  }
  void separate();

  std::string written;
  SmallVector<bool, 8> lists; ///< what is open
  bool isTooLong = false, isFirst = true;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_JSONCAPTURE_H
