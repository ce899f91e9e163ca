//===- Oracle.cpp - What ops touch, point by point ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <map>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

size_t Oracle::loop(const std::string &name) const {
  return std::find(loops.begin(), loops.end(), name) - loops.begin();
}

bool Oracle::uses(const OracleBuffer &buffer, size_t loop) const {
  for (const std::string &index : buffer.indices)
    if (index == loops[loop] || (index == "block of t" && loops[loop] == "t") ||
        (index == "hg" && (loops[loop] == "h" || loops[loop] == "g")))
      return true;
  return false;
}

std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string OracleMask::text() const {
  std::string text = isCausal ? " mask causal" : " mask full";
  if (window)
    text += " window " + std::to_string(window);
  if (chunk)
    text +=
        " chunk " + std::to_string(chunk) + " from " +
        (firstKeys.empty() ? std::to_string(firstKey) : listText(firstKeys));
  if (!lengths.empty())
    text += " lengths " + listText(lengths);
  return text;
}

bool OracleMask::isVisible(int64_t sequence, int64_t query, int64_t key,
                           int64_t offset, int64_t keys) const {
  int64_t missing = lengths.empty() ? 0 : keys - lengths[sequence];
  int64_t first = firstKeys.empty() ? firstKey : firstKeys[sequence];
  int64_t own = query + offset - missing; // the key of the query's own position
  return key < keys - missing && (!isCausal || key <= own) &&
         (!window || key > own - window) &&
         (!chunk || (key + first) / chunk == (own + first) / chunk);
}

bool Oracle::isVisible(const Point &point) const {
  if (llvm::find(loops, "s") == loops.end() ||
      llvm::find(loops, "t") == loops.end())
    return true;
  int64_t all = keys ? keys : extents[loop("t")],
          offset = all - extents[loop("s")];
  auto sees = [&](int64_t key) {
    return mask.isVisible(point[loop("b")], point[loop("s")], key, offset, all);
  };
  if (!keys)
    return sees(point[loop("t")]);
  // Of a selection, as many are there as the query sees.
  int64_t seen = 0;
  for (int64_t key = 0; key < all; ++key)
    seen += sees(key);
  return point[loop("t")] < seen;
}

int64_t Oracle::indexOf(const std::string &index, const Point &point) const {
  if (index == "hg")
    return point[loop("h")] * group + point[loop("g")];
  if (index == "0")
    return 0;
  if (index != "e" || rowsPerExpert.empty())
    return point[loop(index)];
  int64_t row = point[loop("m")], expert = 0;
  while (row >= rowsPerExpert[expert])
    row -= rowsPerExpert[expert++];
  return expert;
}

Point Oracle::elementOf(const OracleBuffer &buffer, const Point &point) const {
  Point element;
  for (const std::string &index : buffer.indices)
    element.push_back(indexOf(index, point));
  return element;
}

void Oracle::forEachPoint(const OracleBox &box,
                          llvm::function_ref<void(const Point &)> visit) const {
  Point point;
  for (const Interval &interval : box) {
    if (interval.size() <= 0)
      return;
    point.push_back(interval.begin);
  }
  while (true) {
    visit(point);
    size_t digit = point.size();
    while (digit > 0 && ++point[digit - 1] == box[digit - 1].end) {
      point[digit - 1] = box[digit - 1].begin;
      --digit;
    }
    if (digit == 0)
      return;
  }
}

OracleBox Oracle::fullBox() const {
  OracleBox box;
  for (int64_t extent : extents)
    box.push_back({0, extent});
  return box;
}

int64_t Oracle::countPoints(size_t stage, const OracleBox &box) const {
  std::set<Point> points;
  forEachPoint(box, [&](const Point &point) {
    if (!isVisible(point))
      return;
    Point projected;
    for (const std::string &name : stages[stage])
      projected.push_back(point[loop(name)]);
    points.insert(projected);
  });
  return points.size();
}

int64_t Oracle::sizeOf(const OracleBuffer &buffer,
                       const std::set<Point> &elements) const {
  bool isSelected = buffer.name == "keys" || buffer.name == "values" ||
                    buffer.name == "latents";
  if (!keys || !isSelected)
    return elements.size();
  std::map<Point, int64_t> selected;
  for (const Point &element : elements) {
    Point rest;
    for (size_t dim = 0; dim < element.size(); ++dim)
      if (buffer.indices[dim] != "s" && buffer.indices[dim] != "t")
        rest.push_back(element[dim]);
    ++selected[rest];
  }
  int64_t sum = 0;
  for (auto &[rest, count] : selected)
    sum += std::min(count, keys);
  return sum;
}

int64_t Oracle::countElements(size_t buffer, const OracleBox &box) const {
  std::set<Point> elements;
  forEachPoint(box, [&](const Point &point) {
    if (isVisible(point))
      elements.insert(elementOf(buffers[buffer], point));
  });
  return sizeOf(buffers[buffer], elements);
}

int64_t OracleBuffer::bytesOf(int64_t elements) const {
  if (wholeElements == 0)
    return (elements * bits + 7) / 8;
  return (elements * wholeBytes + wholeElements - 1) / wholeElements;
}

int64_t Oracle::tileBytes(size_t buffer,
                          const std::vector<int64_t> &sizes) const {
  if (buffers[buffer].isInPlace)
    return 0;
  OracleBox box;
  for (int64_t size : sizes)
    box.push_back({0, size});
  Point greatest(buffers[buffer].indices.size(), 0);
  forEachPoint(box, [&](const Point &point) {
    Point element = elementOf(buffers[buffer], point);
    for (size_t dim = 0; dim < element.size(); ++dim)
      greatest[dim] = std::max(greatest[dim], element[dim]);
  });
  int64_t elements = 1;
  for (size_t dim = 0; dim < greatest.size(); ++dim)
    if (buffers[buffer].indices[dim] != "e" || rowsPerExpert.empty())
      elements *= greatest[dim] + 1; // a tile is of one expert at a time
  return buffers[buffer].bytesOf(elements);
}

bool Oracle::comesBack(size_t index, const Tiling &tiling) const {
  std::set<Point> left;
  Point tile(loops.size(), 0), held;
  for (size_t position = 1; position > 0;) {
    Point now;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      if (uses(buffers[index], loop))
        now.push_back(tile[loop]);
    if (now != held && !left.insert(now).second)
      return true;
    held = now;
    for (position = tiling.order.size(); position > 0; --position) {
      unsigned loop = tiling.order[position - 1];
      if (++tile[loop] * tiling.sizes[loop] < extents[loop])
        break;
      tile[loop] = 0;
    }
  }
  return false;
}

void Oracle::forEachTile(
    const Tiling &tiling,
    llvm::function_ref<void(const OracleBox &)> visit) const {
  Point tile(loops.size(), 0);
  for (size_t position = 1; position > 0;) {
    OracleBox box;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      int64_t begin = tile[loop] * tiling.sizes[loop];
      box.push_back(
          {begin, std::min(begin + tiling.sizes[loop], extents[loop])});
    }
    visit(box);
    for (position = tiling.order.size(); position > 0; --position) {
      unsigned loop = tiling.order[position - 1];
      if (++tile[loop] * tiling.sizes[loop] < extents[loop])
        break;
      tile[loop] = 0;
    }
  }
}

int64_t Oracle::simulateUse(size_t index, const Tiling &tiling) const {
  const OracleBuffer &buffer = buffers[index];
  std::set<Point> distinct;
  int64_t used = 0;
  forEachTile(tiling, [&](const OracleBox &box) {
    std::set<Point> elements;
    forEachPoint(box, [&](const Point &point) {
      if (isVisible(point))
        elements.insert(elementOf(buffer, point));
    });
    used += sizeOf(buffer, elements);
    distinct.insert(elements.begin(), elements.end());
  });
  int64_t once = distinct.size();
  if (buffer.role == 'w')
    return buffer.bytesOf(once) + (used - once) * 2 * 4;
  if (buffer.role == 't')
    return buffer.bytesOf(once) + buffer.bytesOf(used);
  int64_t sweeps = 0;
  bool hasAllLoops = true;
  for (size_t loop = 0; loop < loops.size(); ++loop)
    hasAllLoops &= uses(buffer, loop);
  for (const std::vector<std::string> &stage : stages)
    sweeps += hasAllLoops && stage.size() == loops.size();
  return buffer.bytesOf(used) * std::max<int64_t>(1, sweeps);
}

int64_t Oracle::simulateTraffic(size_t index, const Tiling &tiling) const {
  const OracleBuffer &buffer = buffers[index];
  if (buffer.role == 't')
    return 0;
  std::set<Point> everMoved, held;
  Point heldTile;
  int64_t moved = 0;
  auto endStay = [&] {
    moved += sizeOf(buffer, held);
    everMoved.insert(held.begin(), held.end());
    held.clear();
  };
  Point tile(loops.size(), 0);
  while (true) {
    Point bufferTile;
    OracleBox box;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      int64_t begin = tile[loop] * tiling.sizes[loop];
      box.push_back(
          {begin, std::min(begin + tiling.sizes[loop], extents[loop])});
      if (uses(buffer, loop))
        bufferTile.push_back(tile[loop]);
    }
    if (bufferTile != heldTile)
      endStay();
    heldTile = bufferTile;
    forEachPoint(box, [&](const Point &point) {
      if (isVisible(point))
        held.insert(elementOf(buffer, point));
    });
    size_t position = tiling.order.size();
    while (position > 0) {
      unsigned loop = tiling.order[position - 1];
      if (++tile[loop] * tiling.sizes[loop] < extents[loop])
        break;
      tile[loop] = 0;
      --position;
    }
    if (position == 0)
      break;
  }
  endStay();
  if (buffer.role == 'r')
    return buffer.bytesOf(moved);
  // A result that comes back was spilled as a 4-byte partial sum and is fetched
  // again.
  int64_t distinct = everMoved.size();
  return buffer.bytesOf(distinct) + (moved - distinct) * 2 * 4;
}

} // namespace mlir::llm
