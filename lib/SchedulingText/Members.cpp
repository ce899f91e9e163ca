//===- Members.cpp - Members of a JSON object, one by one -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Members.h"
#include "llm/Diagnostics/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

Members::Members(const LocatedJson &json)
    : json(json), hasFailed(failed(json.expectObject())) {}

const LocatedJson *Members::find(StringRef key) {
  known.push_back(key);
  return hasFailed ? nullptr : json.find(key);
}

void Members::require(std::initializer_list<StringRef> keys) {
  for (StringRef key : keys)
    if (!hasFailed)
      hasFailed = failed(json.require(key));
}

void Members::count(StringRef key, int64_t &into) {
  if (const LocatedJson *value = find(key))
    set(value->asNonNegative(), into);
}

void Members::flag(StringRef key, bool &into) {
  if (const LocatedJson *value = find(key))
    set(value->asBoolean(), into);
}

void Members::share(StringRef key, double &into) {
  const LocatedJson *value = find(key);
  if (!value)
    return;
  set(value->asNumber(), into);
  if (!hasFailed && into < 0) {
    value->emitError() << "'" << value->path() << "' must not be below 0, got "
                       << value->describe();
    hasFailed = true;
  }
}

void Members::kinds(StringRef key, EngineKindSet &into) {
  each(key, [&](const LocatedJson &element) -> LogicalResult {
    FailureOr<std::string> name = element.asString();
    if (failed(name))
      return failure();
    std::optional<EngineKind> kind = parseEngineKind(*name);
    if (!kind)
      return element.emitError()
             << "'" << element.path()
             << "' must be matrix, vector, memory or network, got "
             << element.describe();
    into.insert(*kind);
    return success();
  });
}

void Members::perName(StringRef key, const Names &names,
                      std::vector<int64_t> &into) {
  eachNamed(key,
            [&](StringRef name, const LocatedJson &value) -> LogicalResult {
              auto place = ::llvm::find(names, name);
              if (place == names.end())
                return value.emitError() << "'" << value.path()
                                         << "' names no resource; there are "
                                         << ::llvm::join(names, ", ");
              FailureOr<int64_t> number = value.asNonNegative();
              if (failed(number))
                return failure();
              into.resize(names.size(), 0);
              into[place - names.begin()] = *number;
              return success();
            });
}

FailureOr<unsigned> mlir::llm::findIndex(const LocatedJson &name,
                                         StringRef what,
                                         const IndexByName &known) {
  FailureOr<std::string> text = name.asString();
  if (failed(text))
    return failure();
  auto found = known.find(*text);
  if (found == known.end())
    return name.emitError() << "'" << name.path() << "' must name " << what
                            << ", got " << name.describe();
  return found->second;
}

void Members::index(StringRef key, StringRef what, const IndexByName &places,
                    unsigned &into) {
  if (const LocatedJson *value = find(key))
    set(findIndex(*value, what, places), into);
}

void Members::indices(StringRef key, StringRef what, const IndexByName &places,
                      std::vector<unsigned> &into) {
  each(key, [&](const LocatedJson &element) -> LogicalResult {
    FailureOr<unsigned> place = findIndex(element, what, places);
    if (succeeded(place))
      into.push_back(*place);
    return place;
  });
}

void Members::each(
    StringRef key,
    ::llvm::function_ref<LogicalResult(const LocatedJson &)> read) {
  const LocatedJson *value = find(key);
  if (!value)
    return;
  hasFailed |= failed(value->expectArray());
  for (const LocatedJson &element : value->elements())
    if (!hasFailed)
      hasFailed = failed(read(element));
}

void Members::eachNamed(
    StringRef key,
    ::llvm::function_ref<LogicalResult(StringRef, const LocatedJson &)> read) {
  const LocatedJson *value = find(key);
  if (!value)
    return;
  hasFailed |= failed(value->expectObject());
  for (const auto &[name, member] : value->members())
    if (!hasFailed)
      hasFailed = failed(read(name, member));
}

LogicalResult Members::finish() {
  if (hasFailed)
    return failure();
  for (const auto &[name, member] : json.members())
    if (!::llvm::is_contained(known, name))
      return member.emitError() << "'" << member.path() << "' is not known here"
                                << didYouMean(name, known) << " (there are "
                                << ::llvm::join(known, ", ") << ")";
  return success();
}
