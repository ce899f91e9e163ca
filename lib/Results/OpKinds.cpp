//===- OpKinds.cpp - What an op is, in a word and in a colour -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpKinds.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::llm;

SmallVector<WorkloadOpInterface> mlir::llm::opsInside(Operation *op) {
  if (!isa<FusedOp>(op))
    return {};
  return llvm::to_vector(
      op->getRegion(0).front().getOps<WorkloadOpInterface>());
}

std::string mlir::llm::kindOf(Operation *op) {
  SmallVector<WorkloadOpInterface> inside = opsInside(op);
  llvm::SmallSetVector<StringRef, 4> kinds;
  auto add = [&](Operation *one) {
    StringRef name = one->getName().getStringRef();
    name.consume_front("llm.");
    kinds.insert(name);
  };
  if (inside.empty())
    add(op);
  for (WorkloadOpInterface one : inside)
    add(one);
  return llvm::join(kinds, "+");
}

//===----------------------------------------------------------------------===//
// Colours
//===----------------------------------------------------------------------===//

static constexpr std::pair<StringRef, StringRef> colourTexts[] = {
#include "KindColourTexts.inc" // made from KindColours.json
};

namespace {
struct KindColours {
  llvm::StringSet<> main;             ///< products and attention
  llvm::StringMap<std::string> known; ///< by kind
  std::vector<std::string> others;    ///< for kinds of other dialects

  KindColours();
  std::string of(StringRef kind) const;
};
} // namespace

KindColours::KindColours() {
  llvm::json::Value root =
      llvm::cantFail(llvm::json::parse(std::begin(colourTexts)->second),
                     "KindColours.json is a part of the program");
  const llvm::json::Object &object = *root.getAsObject();
  for (const llvm::json::Value &kind : *object.getArray("main"))
    main.insert(*kind.getAsString());
  for (const auto &[kind, colour] : *object.getObject("colours"))
    known[kind] = colour.getAsString()->str();
  for (const llvm::json::Value &colour : *object.getArray("others"))
    others.push_back(colour.getAsString()->str());
}

/// The name alone decides, so that all pages and pictures agree.
std::string KindColours::of(StringRef kind) const {
  if (auto it = known.find(kind); it != known.end())
    return it->second;
  uint32_t hash = 0;
  for (unsigned char letter : kind)
    hash = hash * 31 + letter;
  return others[hash % others.size()];
}

std::string mlir::llm::colorOfKind(StringRef kind) {
  static const KindColours colours;
  SmallVector<StringRef> parts;
  kind.split(parts, '+');
  auto *main = llvm::find_if(
      parts, [&](StringRef part) { return colours.main.contains(part); });
  return colours.of(main == parts.end() ? parts.front() : *main);
}
