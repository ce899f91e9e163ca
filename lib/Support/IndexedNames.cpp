//===- IndexedNames.cpp - Indices of layers in names ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/IndexedNames.h"

#include <charconv>
#include <optional>

namespace mlir::llm {

std::string makeIndexPlace(IndexRange range) {
  if (range.count == 1)
    return std::to_string(range.first);
  std::string place = "{" + std::to_string(range.first);
  if (range.step != 1)
    place += "," + std::to_string(range.first + range.step);
  int64_t last = range.first + (range.count - 1) * range.step;
  return place + ".." + std::to_string(last) + "}";
}

/// Takes a number off the front of the text.
static std::optional<int64_t> takeNumber(std::string_view &text) {
  int32_t number; // so that no sum of two leaves 64 bits
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

static bool take(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes the text between the braces of a range.
static std::optional<IndexRange> takeRange(std::string_view &text) {
  std::optional<int64_t> first = takeNumber(text);
  if (!first)
    return std::nullopt;
  std::optional<int64_t> second = *first + 1;
  if (take(text, ",") && !(second = takeNumber(text)))
    return std::nullopt;
  if (!take(text, ".."))
    return std::nullopt;
  std::optional<int64_t> last = takeNumber(text);
  int64_t step = *second - *first;
  if (!last || step <= 0 || *last <= *first || (*last - *first) % step)
    return std::nullopt;
  return IndexRange{*first, step, (*last - *first) / step + 1};
}

namespace {
/// A place for an index in a name. Without a range, the index is that of the
/// loop.
struct Place {
  size_t begin, end;
  std::optional<IndexRange> range;
};
} // namespace

static std::vector<Place> findPlaces(std::string_view name) {
  std::vector<Place> places;
  size_t begin = 0;
  while ((begin = name.find('{', begin)) != std::string_view::npos) {
    std::string_view rest = name.substr(begin + 1);
    std::optional<IndexRange> range;
    bool isPlace =
        take(rest, "}") || ((range = takeRange(rest)) && take(rest, "}"));
    size_t end = isPlace ? name.size() - rest.size() : begin + 1;
    if (isPlace)
      places.push_back({begin, end, range});
    begin = end;
  }
  return places;
}

std::vector<IndexRange> findIndexRanges(std::string_view name) {
  std::vector<IndexRange> ranges;
  for (const Place &place : findPlaces(name))
    if (place.range)
      ranges.push_back(*place.range);
  return ranges;
}

/// Returns the name with other text in its places.
template <typename MakeText>
static std::string replacePlaces(std::string_view name, MakeText makeText) {
  std::string replaced;
  size_t from = 0;
  for (const Place &place : findPlaces(name)) {
    replaced += name.substr(from, place.begin - from);
    replaced += makeText(place.range);
    from = place.end;
  }
  return replaced + std::string(name.substr(from));
}

std::string expandIndices(std::string_view name, int64_t loopIndex,
                          int64_t iteration) {
  return replacePlaces(name, [&](const std::optional<IndexRange> &range) {
    return std::to_string(range ? range->first + iteration * range->step
                                : loopIndex);
  });
}

std::string restrictIndices(std::string_view name, int64_t first,
                            int64_t count) {
  return replacePlaces(name, [&](const std::optional<IndexRange> &range) {
    return range ? makeIndexPlace(
                       {range->first + first * range->step, range->step, count})
                 : "{}";
  });
}

} // namespace mlir::llm
