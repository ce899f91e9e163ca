//===- Reasons.cpp - Why something cannot be, and who is told -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/Reasons.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::llm;

Refusal::Refusal(Refusal &&other)
    : told(std::move(other.told)), kept(std::move(other.kept)),
      into(other.into) {
  other.kept.reset();
}

Refusal::~Refusal() {
  if (kept && into->empty())
    *into = kept->str();
}

Refusal Reasons::refuse(Operation *op) const {
  if (told == Told::User)
    return op->emitOpError();
  Refusal refusal = refuse(op->getLoc());
  refusal << "'" << op->getName() << "' op ";
  return refusal;
}

Refusal Reasons::refuse(Location loc) const {
  switch (told) {
  case Told::User:
    return emitError(loc);
  case Told::Text:
    return Refusal(loc, text);
  case Told::Nobody:
    return Refusal();
  }
  llvm_unreachable("one of the three");
}
