//===- ProtoNames.cpp - Texts that a trace has once -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProtoNames.h"
#include "llm/Files/Utf8.h"

using namespace mlir;
using namespace mlir::llm;

ProtoNames::Table &ProtoNames::tableOf(Kind kind) {
  switch (kind) {
  case Category:
    return categories;
  case Event:
    return events;
  case Annotation:
    return annotations;
  case Text:
    break;
  }
  return texts;
}

uint64_t ProtoNames::numberOf(Kind kind, StringRef text) {
  constexpr size_t mostTexts = 1 << 15, longestText = 256;
  if (text.size() > longestText)
    return 0;
  Table &table = tableOf(kind);
  if (table.size() == mostTexts)
    return table.lookup(text);
  auto [known, isNew] = table.try_emplace(text, table.size() + 1);
  if (isNew)
    fresh.push_back({kind, &*known});
  return known->second;
}

void ProtoNames::writeNew(ProtoWriter &writer, unsigned field) {
  constexpr unsigned number = 1, text = 2;
  if (fresh.empty())
    return;
  writer.beginMessage(field);
  for (auto [kind, entry] : fresh) {
    writer.beginMessage(kind);
    writer.varint(number, entry->second);
    writer.bytes(text, toUtf8(entry->first()));
    writer.endMessage();
  }
  writer.endMessage();
  fresh.clear();
}
