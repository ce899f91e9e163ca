//===- BinaryInput.cpp - Records of bytes, one after the other ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"

using namespace mlir;
using namespace mlir::llm;

::llvm::Expected<StringRef> BinaryInput::take(size_t count) {
  if (piece.size() >= count) {
    StringRef taken = piece.take_front(count);
    piece = piece.drop_front(count);
    offset += count;
    return taken;
  }
  joined = piece.str();
  piece = "";
  while (joined.size() < count) {
    ::llvm::Expected<StringRef> next = input.next();
    if (!next)
      return next.takeError();
    if (next->empty())
      break;
    size_t missing = count - joined.size();
    joined += next->take_front(missing);
    piece = next->drop_front(std::min(missing, next->size()));
  }
  offset += joined.size();
  return StringRef(joined);
}
