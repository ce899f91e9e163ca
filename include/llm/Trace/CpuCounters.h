//===- CpuCounters.h - What the CPU and the system count --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_CPUCOUNTERS_H
#define LLM_TRACE_CPUCOUNTERS_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::llm {

/// The number of counters. `CpuCounters::names` has their names.
inline constexpr size_t cpuCounterCount = 5;
/// The value of each counter. There is none for a counter that the system
/// refuses.
using CpuCounts = std::array<std::optional<int64_t>, cpuCounterCount>;

/// Counters of this thread and of all threads that it starts from now on, with
/// Linux' `perf_event_open`. Reading one takes some 0.4 us, or 20 us if other
/// threads run, because the system asks them for their counts. Virtual machines
/// and containers often do not have the counters of the CPU.
class CpuCounters {
public:
  static constexpr std::array<llvm::StringLiteral, cpuCounterCount> names = {
      "cpu_time_ns", "page_faults", "cycles", "instructions", "cache_misses"};

  /// Starts to count.
  CpuCounters();
  ~CpuCounters();
  CpuCounters(const CpuCounters &) = delete;
  CpuCounters &operator=(const CpuCounters &) = delete;

  CpuCounts read() const;
  /// Returns a text with the missing counters and the reasons that the system
  /// gives. It is empty if none is missing.
  std::string describeRefused() const;

private:
  struct Counter {
    int file = -1;
    int error = 0; ///< the system's reason why it is missing
  };
  std::array<Counter, cpuCounterCount> counters;
};

} // namespace mlir::llm

#endif // LLM_TRACE_CPUCOUNTERS_H
