//===- WhatIf.cpp - A target with some of its figures changed -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target becomes the fields of a target file, these are changed, and the
// reader of target files makes a target of them again. So all that a file may
// say can be set, and the same checks find what is wrong.
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llm/Files/WholeNumber.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace mlir::llm {

namespace {
/// "memories.dram.bytes_per_second=4e12", cut at the first '='.
struct Change {
  StringRef path, value;
};

class WhatIf {
public:
  WhatIf(const Target &target, Location location, StringRef context)
      : name(target.name),
        root(targetToFields(target, location, context.str())) {}

  LogicalResult apply(ArrayRef<std::string> texts);
  FailureOr<Target> take() const;

private:
  LogicalResult read(StringRef text);
  LogicalResult set(const Change &change);
  LogicalResult checkStart(StringRef path) const;
  FailureOr<std::string> multiply(const Change &change, const Field &map,
                                  StringRef key, double factor) const;
  /// Finds the map that holds the changed field. `path` becomes its key there.
  Field *findMap(StringRef &path);
  Field *enter(Field &map, StringRef &path);
  void keepShares(const Change &change, Field &map, StringRef key,
                  const Field &value);
  void scale(Field &map, StringRef key, int64_t now, int64_t before);
  void scaleLink(Field &map, StringRef key, int64_t now, int64_t before);
  InFlightDiagnostic emitError() const { return root.emitError(); }

  std::string name;
  Field root;
  SmallVector<Change> changes;
};
} // namespace

LogicalResult WhatIf::read(StringRef text) {
  auto [path, value] = text.split('=');
  Change change{path.trim(), value.trim()};
  if (change.path.empty() || change.value.empty())
    return emitError() << "expected a field and its value, as in "
                          "memories.dram.bytes_per_second=4e12, got '"
                       << text << "'"
                       << (llvm::all_of(text, llvm::isDigit)
                               ? ", the rest of a number with a comma: numbers "
                                 "have no separators of thousands"
                               : "");
  if (llvm::any_of(changes, [&](const Change &other) {
        return other.path == change.path;
      }))
    return emitError() << "'" << change.path
                       << "' has two values, expected one";
  changes.push_back(change);
  return success();
}

static Field valueOf(StringRef text, const Field &map, StringRef key) {
  Field field(map.pathOf(key), map.location, map.context);
  field.text = text.str();
  field.boolean = text == "true";
  if (field.boolean || text == "false")
    field.kind = Field::Kind::Boolean;
  else if (llvm::isDigit(text.front()) || text.front() == '-' ||
           text.front() == '.')
    field.kind = Field::Kind::Number;
  else
    field.kind = Field::Kind::String;
  return field;
}

static Field *findIn(Field &map, StringRef key) {
  for (auto &[name, field] : map.members)
    if (name == key)
      return &field;
  return nullptr;
}

static Field &findOrAdd(Field &map, StringRef key, Field added) {
  if (Field *known = findIn(map, key))
    return *known;
  return map.members.emplace_back(key.str(), std::move(added)).second;
}

/// Finds the member that the path begins with. Names of kernels have dots, so
/// there may be several, and the longest counts.
static std::pair<std::string, Field> *findMember(Field &map, StringRef path) {
  std::pair<std::string, Field> *found = nullptr;
  for (auto &member : map.members) {
    StringRef rest = path;
    if (rest.consume_front(member.first) && rest.starts_with(".") &&
        (!found || member.first.size() > found->first.size()))
      found = &member;
  }
  return found;
}

/// Enters the next map on the path. Parts of the machine must be there. Other
/// maps (ports, kernels) may be new, and the reader judges their names.
Field *WhatIf::enter(Field &map, StringRef &path) {
  if (std::pair<std::string, Field> *member = findMember(map, path)) {
    path = path.drop_front(member->first.size() + 1);
    if (member->second.kind == Field::Kind::Map)
      return &member->second;
    emitError() << "'" << member->second.path << "' is "
                << member->second.describe() << ", which has no field '" << path
                << "'";
    return nullptr;
  }
  StringRef key = StringRef(map.path).ends_with(("." + keys::kernels).str())
                      ? path.rsplit('.').first
                      : path.split('.').first;
  if (llvm::is_contained({keys::engines, keys::memories, keys::links},
                         StringRef(map.path))) {
    SmallVector<StringRef> known;
    for (const auto &[name, field] : map.members)
      known.push_back(name);
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "'" << map.pathOf(key) << "' is not in the target";
    if (StringRef similar = findSimilar(key, known); !similar.empty())
      diagnostic << "; did you mean '" << map.pathOf(similar) << "'?";
    diagnostic << " (" << map.path << ": " << llvm::join(known, ", ") << ")";
    return nullptr;
  }
  Field added(map.pathOf(key), map.location, map.context);
  added.kind = Field::Kind::Map;
  path = path.drop_front(key.size() + 1);
  return &findOrAdd(map, key, std::move(added));
}

Field *WhatIf::findMap(StringRef &path) {
  Field *map = &root;
  while (map && path.contains('.') && !map->find(path))
    map = enter(*map, path);
  return map;
}

/// Scales what long streams and the protocols of a link reach with a rate that
/// is changed, and the clock under load with the clock, unless they are set as
/// well.
void WhatIf::keepShares(const Change &change, Field &map, StringRef key,
                        const Field &value) {
  const Field *old = findIn(map, key);
  int64_t before = 0;
  llvm::Expected<int64_t> now = parseWholeNumber(value.text);
  if (!now || *now < 1 || !old ||
      StringRef(old->text).getAsInteger(10, before)) {
    llvm::consumeError(now.takeError()); // the reader reports what is wrong
    return;
  }
  if (key == "bytes_per_second")
    scale(map, "sustained_bytes_per_second", *now, before);
  if (key == "bytes_per_second_per_direction")
    scaleLink(map, key, *now, before);
  if (change.path == keys::clockHz)
    for (auto &[name, engine] : findIn(root, keys::engines)->members) {
      scale(engine, "sustained_clock_hz", *now, before);
      scale(engine, "boost_clock_hz", *now, before);
    }
}

/// Scales by now / before, rounded up. A number that was at most the rate stays
/// at most the rate.
void WhatIf::scale(Field &map, StringRef key, int64_t now, int64_t before) {
  Field *share = findIn(map, key);
  int64_t number = 0;
  if (!share || StringRef(share->text).getAsInteger(10, number) ||
      llvm::any_of(changes, [&](const Change &change) {
        return change.path == share->path;
      }))
    return;
  if (std::optional<int64_t> scaled = ceilMulDiv(number, now, 1, before))
    share->text = std::to_string(*scaled);
}

/// Scales the rates of a link's protocols, and of its libraries.
void WhatIf::scaleLink(Field &map, StringRef key, int64_t now, int64_t before) {
  auto scaleRates = [&](Field &link) {
    for (const NumberField<Link> &number : linkNumbers())
      if (number.optional && number.unit == "bytes per second")
        scale(link, number.key, now, before);
  };
  scaleRates(map);
  for (auto &[name, link] : findIn(root, keys::links)->members)
    if (StringRef(link.path).starts_with(map.path + "@")) {
      scale(link, key, now, before);
      scaleRates(link);
    }
}

/// Adds the paths of all figures that end in `path`.
static void findPathsEndingIn(StringRef path, const Field &map,
                              SmallVectorImpl<StringRef> &found) {
  for (const auto &[name, field] : map.members) {
    StringRef rest = field.path;
    if (rest.consume_back(path) && rest.ends_with("."))
      found.push_back(field.path);
    findPathsEndingIn(path, field, found);
  }
}

/// Suggests a path for one that lacks its beginning: "dram.bytes_per_second" is
/// meant to be "memories.dram.bytes_per_second", and so is "dram.bandwidth".
LogicalResult WhatIf::checkStart(StringRef path) const {
  StringRef first = path.split('.').first;
  if (root.find(first))
    return success();
  SmallVector<StringRef> found;
  findPathsEndingIn(path, root, found);
  StringRef last = path.rsplit('.').second, spoken = last.empty() ? path : last;
  if (StringRef field = findSpokenField(spoken); !field.empty())
    findPathsEndingIn((path.drop_back(spoken.size()) + field).str(), root,
                      found);
  if (found.empty())
    return success(); // the reader lists the fields
  return emitError() << "'" << path
                     << "' is not a known field; paths begin at the target: '"
                     << llvm::join(found, "', '") << "'";
}

/// Reads "2x" or "0.5x".
static std::optional<double> readFactor(StringRef text) {
  double factor = 0;
  bool isFactor = text.consume_back_insensitive("x") && !text.empty() &&
                  !text.getAsDouble(factor) && factor > 0 && factor < 1e9;
  return isFactor ? std::optional(factor) : std::nullopt;
}

/// Returns the number that the field has now, times the factor, rounded.
FailureOr<std::string> WhatIf::multiply(const Change &change, const Field &map,
                                        StringRef key, double factor) const {
  const Field *old = map.find(key);
  int64_t before = 0;
  if (!old || StringRef(old->text).getAsInteger(10, before))
    return emitError() << "'" << change.path << "' has no number that '"
                       << change.value
                       << "' could multiply; give it one, as in "
                          "memories.dram.bytes_per_second=4e12";
  double product = double(before) * factor;
  constexpr double most = 9e18;
  if (product > most)
    return emitError() << "'" << change.path << "=" << change.value << "': "
                       << before << " times that is too large";
  return std::to_string(std::llround(product));
}

LogicalResult WhatIf::set(const Change &change) {
  if (failed(checkStart(change.path)))
    return failure();
  StringRef key = change.path;
  Field *map = findMap(key);
  if (!map)
    return failure();
  std::string text = change.value.str();
  if (std::optional<double> factor = readFactor(change.value)) {
    FailureOr<std::string> product = multiply(change, *map, key, *factor);
    if (failed(product))
      return failure();
    text = std::move(*product);
  }
  Field value = valueOf(text, *map, key);
  keepShares(change, *map, key, value);
  findOrAdd(*map, key, value) = value;
  name += (" + " + change.path + "=" + change.value).str();
  return success();
}

LogicalResult WhatIf::apply(ArrayRef<std::string> texts) {
  for (StringRef text : texts)
    if (failed(read(text)))
      return failure();
  for (const Change &change : changes)
    if (failed(set(change)))
      return failure();
  return success();
}

FailureOr<Target> WhatIf::take() const {
  FailureOr<Target> target = readTargetFields(root, StringRef(name));
  if (succeeded(target))
    warnOfDoubts(root, *target, [&](StringRef path) {
      return llvm::any_of(
          changes, [&](const Change &change) { return change.path == path; });
    });
  return target;
}

/// Warns of engines that are whole devices, of which `changed` has several and
/// `target` has not.
static void warnOfSharedDram(const Target &target, const Target &changed,
                             Location location, StringRef context) {
  for (auto [before, engine] : llvm::zip(target.engines, changed.engines))
    if (engine.units > 1 && engine.count > 1 && engine.count != before.count)
      mlir::emitWarning(location)
          << context << describeSharedDram(changed, engine);
}

FailureOr<Target> changeTarget(const Target &target,
                               ArrayRef<std::string> changes, Location location,
                               StringRef context) {
  if (changes.empty())
    return target;
  WhatIf whatIf(target, location, context);
  if (failed(whatIf.apply(changes)))
    return failure();
  FailureOr<Target> changed = whatIf.take();
  if (succeeded(changed)) {
    warnOfSharedDram(target, *changed, location, context);
    changed->forgetMeasuredTimes();
  }
  return changed;
}

} // namespace mlir::llm
