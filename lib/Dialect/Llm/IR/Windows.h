//===- Windows.h - Windows of tokens that become one entry ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Window w is of the tokens at positions [w m, w m + m). It is closed by the
// last of them.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_WINDOWS_H
#define LLM_LIB_DIALECT_LLM_IR_WINDOWS_H

#include "llm/Workload/Workload.h"

#include <algorithm>

namespace mlir::llm {

/// Windows of `size` tokens of a sequence, of which so many tokens are known
/// before the first new one.
struct Windows {
  int64_t size;   ///< tokens of a window
  int64_t halves; ///< 2: an entry is of the window before, too
  int64_t begin;  ///< the position of the first new token

  /// Windows that the new tokens of the interval close.
  Interval closedBy(Interval tokens) const {
    return {(begin + tokens.begin) / size, (begin + tokens.end) / size};
  }
  int64_t countClosed(Interval tokens) const { return closedBy(tokens).size(); }

  /// The rows of earlier tokens that the entries of these windows have in one
  /// half of their channels each, added up for all halves.
  int64_t countEarlierRows(Interval windows) const {
    if (windows.size() == 0)
      return 0;
    int64_t own = std::max<int64_t>(0, begin - windows.begin * size);
    if (halves == 1)
      return own;
    int64_t first = std::max<int64_t>(0, (windows.begin - 1) * size),
            end = std::min(begin, (windows.end - 1) * size);
    return own + std::max<int64_t>(0, end - first);
  }
};

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_WINDOWS_H
