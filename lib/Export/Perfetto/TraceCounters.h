//===- TraceCounters.h - What is in use over time ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACECOUNTERS_H
#define LLM_LIB_EXPORT_PERFETTO_TRACECOUNTERS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Results/CacheBytes.h"
#include "llm/Results/PartCosts.h"
#include "llm/Target/Target.h"
#include "llm/Trace/TraceSink.h"

#include <map>

namespace mlir::llm {

/// Counts, over time, the bytes that slots and fetches move from and to each
/// shared memory, the share of its bandwidth that they hold, the busy engines
/// and the private memory of each group, power, and the bytes in the KV cache.
/// Each set of amounts that a span holds gets a number, so that spans only name
/// it where they start and end.
class TraceCounters {
public:
  struct Wanted {
    bool bytes = false, privateMemory = false, power = false;
    std::optional<CacheBytes> cache;
  };
  /// What a slot or a fetch holds while it lasts.
  struct SlotUse {
    StringRef engine;
    DictionaryAttr lanes;
    MemoryBytes bytesPerSecond = {};
    int64_t privateBytes = 0, nanowatts = 0;
  };
  TraceCounters(const Target &target, Wanted wanted);

  const std::vector<TraceCounter> &described() const { return counters; }

  // These return the number of what a span holds; 0 if it holds nothing.
  unsigned useOfSlot(const SlotUse &slot);
  unsigned useOfEngine(StringRef engine);
  unsigned useOfSlice(StringRef engine, int64_t privateBytes);
  unsigned useOfCache(int64_t bytes);

  /// From here on, samples describe intervals instead of changes: the most
  /// bytes that are in use, and the mean of everything else. Then numbers of
  /// engines have decimals.
  void sampleEvery(int64_t nanoseconds);
  /// Writes the samples up to this time, before which nothing changes any more.
  void moveTo(int64_t nanoseconds, TraceSink &sink);
  void hold(unsigned use, bool isStart);
  /// Writes the last samples.
  void finish(TraceSink &sink);

private:
  using Use = std::vector<std::pair<unsigned, int64_t>>; ///< counter, amount
  enum class Unit { BytesPerSecond, Lanes, Engines, Bytes, Nanowatts };
  unsigned numberOf(Use use);
  std::optional<unsigned> findGroup(StringRef engine) const;
  void addCounter(TraceCounter counter, Unit unit, int64_t start = 0);
  int64_t show(unsigned counter, int64_t value) const;
  void write(unsigned counter, int64_t nanoseconds, int64_t value,
             TraceSink &sink);
  void writeChanges(TraceSink &sink);
  void add(int64_t nanoseconds);
  void closeInterval(TraceSink &sink);

  const Target &target;
  SmallVector<const Memory *> memories;
  std::vector<TraceCounter> counters;
  std::vector<Unit> units;
  /// By memory: the counter of the bytes that move, and that of what is held.
  std::vector<std::optional<unsigned>> bytesOf;
  std::vector<unsigned> heldOf;
  std::vector<unsigned> busyOf;                   ///< by group
  std::vector<std::optional<unsigned>> privateOf; ///< by group
  std::optional<unsigned> power, cache;

  std::vector<Use> uses;
  std::map<Use, unsigned> numbers;

  std::vector<int64_t> values;
  std::vector<std::optional<int64_t>> written; ///< in the unit of `show`
  int64_t now = 0;                             ///< in nanoseconds
  int64_t interval = 0;
  int64_t intervalStart = 0;
  std::vector<__int128> areas; ///< value times nanoseconds
  std::vector<int64_t> most;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACECOUNTERS_H
