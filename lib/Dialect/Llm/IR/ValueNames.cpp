//===- ValueNames.cpp - What values are called in text --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNames.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

/// Whether a word says nothing without the one before it, such as a tensor of a
/// layer, or the sequences that an op is for.
static bool needsWordBefore(StringRef word) {
  return word == "weight" || word == "bias" || word == "chunk" ||
         word == "quantize" || word.starts_with("decode") ||
         word.starts_with("sequences");
}

/// Returns the last word of a name, with the one before it if that is needed.
static StringRef endOf(StringRef name) {
  size_t dot = name.rfind('.');
  if (dot != StringRef::npos && needsWordBefore(name.drop_front(dot + 1)))
    dot = name.rfind('.', dot);
  return dot == StringRef::npos ? name : name.drop_front(dot + 1);
}

void mlir::llm::nameResults(Operation *op, StringRef name,
                            OpAsmSetValueNameFn setName) {
  if (op->getNumResults() == 0)
    return;
  if (auto route = dyn_cast<MoeRouteOp>(op)) {
    setName(route.getShares(), "shares");
    setName(route.getExperts(), "experts");
    return;
  }
  if (auto dispatch = dyn_cast<ExpertDispatchOp>(op)) {
    setName(dispatch.getOutExperts(), "received_experts");
    if (dispatch.getOutShares())
      setName(dispatch.getOutShares(), "received_shares");
  }
  if (isa<GqaAttnOp, MlaAttnOp>(op) && op->getNumResults() > 1)
    setName(op->getResult(1), "lse");
  std::string text = endOf(name).str();
  for (char &letter : text)
    if (!llvm::isAlnum(letter) && letter != '.')
      letter = '_';
  // A name that begins with a digit would be read as a number.
  if (!text.empty() && !llvm::isDigit(text.front()))
    setName(op->getResult(0), text);
}

void WeightOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, getName(), setName);
}

void KvCacheOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "kv_cache");
}

void StateOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "state");
}

void KvReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool isLatent = !getValues();
  setName(getKeys(), isLatent ? "latents" : "keys");
  if (!isLatent)
    setName(getValues(), "values");
}

void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, getName(), setName);
}
