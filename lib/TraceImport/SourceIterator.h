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

/// Gives the pieces of an input to a parser, and counts what was taken.
class SourceCursor {
public:
  /// A longer value is an error, so that a parser keeps a bounded number of
  /// bytes.
  static constexpr uint64_t maxValueBytes = uint64_t(16) << 20;

  explicit SourceCursor(TraceInput &input) : input(input) {}

  bool isAtEnd() { return at == end && !refill(); }
  char current() const { return *at; }
  void advance() { ++at; }

  /// The number of bytes that were taken.
  uint64_t takenBytes() const { return piecesBytes - (end - at); }
  /// Notes that a value ends here, and that the next one may take as many bytes
  /// again.
  void markValue() { lastValueBytes = takenBytes(); }
  /// Returns why the input ended early, if it did.
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

/// The iterator that nlohmann/json reads from. All iterators of a cursor move
/// together.
class SourceIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = char;

  /// Makes the end if there is no cursor.
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
