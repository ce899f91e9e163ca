//===- CpuCounters.cpp - What the CPU and the system count ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/CpuCounters.h"
#include "llvm/ADT/STLExtras.h"

#include <cerrno>
#include <system_error>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir::llm;

#ifdef __linux__

namespace {
struct Event {
  uint32_t type;
  uint64_t config;
};
} // namespace

/// The events, in the order of the names.
static constexpr std::array<Event, cpuCounterCount> events = {{
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
}};

CpuCounters::CpuCounters() {
  for (auto [counter, event] : llvm::zip_equal(counters, events)) {
    perf_event_attr what = {};
    what.size = sizeof what;
    what.type = event.type;
    what.config = event.config;
    what.inherit = 1;
    // Without the kernel, any user may count.
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    counter.file = static_cast<int>(
        syscall(SYS_perf_event_open, &what, /*pid=*/0, /*cpu=*/-1,
                /*group_fd=*/-1, PERF_FLAG_FD_CLOEXEC));
    counter.error = counter.file < 0 ? errno : 0;
  }
}

CpuCounters::~CpuCounters() {
  for (const Counter &counter : counters)
    if (counter.file >= 0)
      close(counter.file);
}

CpuCounts CpuCounters::read() const {
  CpuCounts counts;
  for (auto [counter, count] : llvm::zip_equal(counters, counts)) {
    uint64_t value = 0;
    if (counter.file >= 0 &&
        ::read(counter.file, &value, sizeof value) == sizeof value)
      count = static_cast<int64_t>(value);
  }
  return counts;
}

#else

CpuCounters::CpuCounters() {
  for (Counter &counter : counters)
    counter.error = ENOSYS;
}
CpuCounters::~CpuCounters() = default;
CpuCounts CpuCounters::read() const { return {}; }

#endif

std::string CpuCounters::describeRefused() const {
  std::string text;
  for (auto [counter, name] : llvm::zip_equal(counters, names))
    if (counter.error)
      text += (text.empty() ? "" : ", ") + name.str() + " (" +
              std::generic_category().message(counter.error) + ")";
  return text;
}
