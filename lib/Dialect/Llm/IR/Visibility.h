//===- Visibility.h - Which pairs attention computes ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under a causal mask, with o = keys - queries, query s sees the keys t <= s +
// o. Counts over a box of queries and keys are taken in closed form: with T(a)
// = a (a + 1) / 2 for a > 0 and f(q) = T(q + o - lo) - T(q + o - hi), the pairs
// in [q0, q1) x [lo, hi) are f(q1) - f(q0). Where a key stands for m tokens,
// the query at position p sees floor((p + 1) / m) of them.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_VISIBILITY_H
#define LLM_LIB_DIALECT_LLM_IR_VISIBILITY_H

#include "OpChecks.h"
#include "llm/Support/Units.h"

namespace mlir::llm {

/// Which (query, key) pairs of one sequence are computed, in closed form. All
/// is counted in positions of the sequence: key t stands at firstKey + t, query
/// s at firstQuery + s, and the last query at the last key.
class Visibility {
public:
  Visibility(MaskAttr mask, int64_t sequence, int64_t queries, int64_t keys)
      : mask(mask), length(mask.getLengths().empty()
                               ? keys
                               : numberOf(mask.getLengths(), sequence)),
        firstKey(mask.getFirstKeys().empty()
                     ? 0
                     : numberOf(mask.getFirstKeys(), sequence)),
        stride(mask.getStride()), firstQuery(firstKey + length - queries) {}

  /// Visible pairs.
  Count countPairs(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t = ownKeys(keys);
    if (p.isEmpty() || t.isEmpty())
      return int64_t(0);
    Wide pairs = isCausal()
                     ? below(p.end, t.end) - below(p.begin, t.end) -
                           below(p.end, t.begin) + below(p.begin, t.begin)
                     : p.size() * t.size();
    if (pairs > maxCount)
      return failure();
    return static_cast<int64_t>(pairs);
  }

  /// Keys of `keys` that at least one of `queries` sees: from the first that
  /// the first query sees to the last query's own, without a gap.
  int64_t countKeys(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t = ownKeys(keys);
    if (p.isEmpty())
      return 0;
    if (isCausal())
      t.clamp(firstSeen(p.begin), p.end / stride);
    return t.size();
  }

  int64_t countQueries(Interval queries, Interval keys) const {
    return std::max<int64_t>(0, findQueries(queries, keys).size());
  }

  /// Queries of `queries` that see at least one of `keys`: from the one at the
  /// first key, or at the last of its tokens, to the last that still sees the
  /// last key.
  Interval findQueries(Interval queries, Interval keys) const {
    Positions p(queries, firstQuery), t = ownKeys(keys);
    if (t.isEmpty())
      return {};
    if (isCausal())
      p.clamp(t.begin * stride + stride - 1, endOfSight(t.end - 1));
    return {static_cast<int64_t>(p.begin - firstQuery),
            static_cast<int64_t>(p.end - firstQuery)};
  }

private:
  __extension__ using Wide = __int128;

  struct Positions {
    Wide begin, end;
    Positions(Interval interval, int64_t first)
        : begin(Wide(interval.begin) + first), end(Wide(interval.end) + first) {
    }
    bool isEmpty() const { return begin >= end; }
    Wide size() const { return std::max<Wide>(0, end - begin); }
    void clamp(Wide low, Wide high) {
      begin = std::max(begin, low);
      end = std::min(end, high);
    }
  };

  bool isCausal() const { return mask.getKind() == MaskKind::Causal; }

  /// The keys of the interval that are the sequence's.
  Positions ownKeys(Interval keys) const {
    Positions t(keys, firstKey);
    t.clamp(firstKey, Wide(firstKey) + length / stride);
    return t;
  }

  /// Pairs t <= p of p in [0, queries) and t in [0, keys).
  static Wide triangle(Wide queries, Wide keys) {
    if (queries <= 0 || keys <= 0)
      return 0;
    Wide square = std::min(queries, keys);
    return square * (square + 1) / 2 + (queries - square) * keys;
  }

  /// The sum over x in [1, query] of min(floor(x / stride), key).
  Wide belowStrides(Wide query, Wide key) const {
    if (query <= 0 || key <= 0)
      return 0;
    Wide growing = std::min(query, key * stride);
    Wide whole = (growing + 1) / stride;
    return stride * (whole * (whole - 1) / 2) +
           whole * (growing + 1 - whole * stride) + (query - growing) * key;
  }

  /// Visible pairs of queries before `query` and keys before `key`.
  Wide below(Wide query, Wide key) const {
    if (stride > 1)
      return belowStrides(query, key);
    if (int64_t window = mask.getWindow())
      return triangle(query, key) - triangle(query - window, key);
    int64_t chunk = mask.getChunk();
    if (!chunk)
      return triangle(query, key);
    Wide whole = std::min(query, key) / chunk;
    return whole * triangle(chunk, chunk) +
           triangle(std::min<Wide>(query - whole * chunk, chunk),
                    std::min<Wide>(key - whole * chunk, chunk));
  }

  /// The first key position that the query at `query` sees.
  Wide firstSeen(Wide query) const {
    if (int64_t window = mask.getWindow())
      return query - window + 1;
    if (int64_t chunk = mask.getChunk())
      return query / chunk * chunk;
    return 0;
  }

  /// The first query position after `key` that no longer sees it.
  Wide endOfSight(Wide key) const {
    if (int64_t window = mask.getWindow())
      return key + window;
    if (int64_t chunk = mask.getChunk())
      return (key / chunk + 1) * chunk;
    return Wide(INT64_MAX) * 2;
  }

  MaskAttr mask;
  int64_t length, firstKey, stride, firstQuery;
};

/// The masked sequences of a batch.
struct MaskedBatch {
  MaskAttr mask;
  int64_t queries, keys;

  /// Whether each sequence must be looked at by itself.
  bool isRagged() const { return !mask.getLengths().empty(); }
  Visibility of(int64_t sequence) const {
    return {mask, sequence, queries, keys};
  }
};

/// The points or elements of a box over `loops`, of which `s` and `t` (and, of
/// a ragged batch, `b`) are masked.
Count countMasked(const Workload &workload, const llvm::SmallBitVector &loops,
                  const MaskedBatch &masked, Box box);
/// The elements of a buffer in a box.
Count countMaskedElements(const Workload &workload, unsigned buffer,
                          const MaskedBatch &masked, Box box);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_VISIBILITY_H
