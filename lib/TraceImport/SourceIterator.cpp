//===- SourceIterator.cpp - The characters of a trace, one by one ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceIterator.h"

using namespace mlir;
using namespace mlir::llm;

bool SourceCursor::refill() {
  if (hasEnded)
    return false;
  hasEnded = true;
  if (piecesBytes - lastValueBytes > maxValueBytes) {
    error = input.fail(lastValueBytes,
                       "a value of more than " + Twine(maxValueBytes >> 20) +
                           " MiB begins here, which no trace has");
    return false;
  }
  ::llvm::Expected<StringRef> piece = input.next();
  if (!piece) {
    error = piece.takeError();
    return false;
  }
  at = piece->begin();
  end = piece->end();
  piecesBytes += piece->size();
  hasEnded = piece->empty();
  return !hasEnded;
}
