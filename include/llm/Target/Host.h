//===- Host.h - The machine at hand as a target -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TARGET_HOST_H
#define LLM_TARGET_HOST_H

#include "llm/Target/Target.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace mlir::llm {

/// Where the figures of this machine come from. Tests give sources of their
/// own.
struct HostSources {
  /// The folder that holds sys and proc.
  std::string root = "/";
  /// The CPUs that the process may use. If it is empty, these are all that are
  /// online.
  std::vector<unsigned> cpus;
  /// The number of processes that run the chips of a cut program at the same
  /// time, each on as many CPUs. They share the memory and its rate.
  unsigned processes = 1;
  /// The features, as `llvm::sys::getHostCPUFeatures` names them.
  ::llvm::StringMap<bool> features;
  /// Returns the rate of the memory, measured with so many threads and bytes.
  std::function<int64_t(unsigned threads, int64_t bytes)> measure;
};

/// Returns the sources of the machine that this runs on.
HostSources hostSources();

/// Returns the target "host". It is an error if a figure can be neither read
/// nor replaced by a default.
FailureOr<Target> readHost(const HostSources &sources, EmitError emitError);

/// Returns the bytes of the last-level cache, if the system reports them.
std::optional<int64_t> readCacheBytes(const HostSources &sources);

/// Returns the bytes per second of a[i] = b[i] + s * c[i] with all threads at
/// once. Each i counts as three elements, as in STREAM. The result is the best
/// of several short windows.
int64_t measureTriad(unsigned threads, int64_t bytes);

} // namespace mlir::llm

#endif // LLM_TARGET_HOST_H
