//===- SourceIterator.h - The characters of a trace, one by one -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_SOURCEITERATOR_H
#define LLM_TRACEIMPORT_SOURCEITERATOR_H

#include "TraceInput.h"

#include <iterator>

namespace mlir::llm {

/// Hands the pieces of an input to a parser, and counts what was taken.
class SourceCursor {
public:
  /// No value is longer: what a parser keeps of one is bounded.
  static constexpr uint64_t maxValueBytes = uint64_t(16) << 20;

  explicit SourceCursor(TraceInput &input) : input(input) {}

  bool isAtEnd() { return at == end && !refill(); }
  char current() const { return *at; }
  void advance() { ++at; }

  /// How many bytes were taken.
  uint64_t takenBytes() const { return piecesBytes - (end - at); }
  /// A value ends here: the next one may be as long as one may be.
  void markValue() { lastValueBytes = takenBytes(); }
  /// Why it ended early, if it did.
  ::llvm::Error takeError() {
    return error ? std::move(*error) : ::llvm::Error::success();
  }

private:
  bool refill();

  TraceInput &input;
  const char *at = nullptr, *end = nullptr;
  uint64_t piecesBytes = 0, lastValueBytes = 0;
  bool hasEnded = false;
  std::optional<::llvm::Error> error;
};

/// What nlohmann/json reads from. All iterators of a cursor move together.
class SourceIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = char;

  /// Without a cursor it is the end.
  explicit SourceIterator(SourceCursor *cursor = nullptr) : cursor(cursor) {}
  char operator*() const { return cursor->current(); }
  SourceIterator &operator++() {
    cursor->advance();
    return *this;
  }
  SourceIterator operator++(int) { return ++*this; }
  bool operator==(const SourceIterator &other) const {
    return isEnd() == other.isEnd();
  }
  bool operator!=(const SourceIterator &other) const {
    return !(*this == other);
  }

private:
  bool isEnd() const { return !cursor || cursor->isAtEnd(); }
  SourceCursor *cursor;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_SOURCEITERATOR_H
