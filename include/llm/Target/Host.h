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

/// Where the figures of a machine come from. A test gives its own.
struct HostSources {
  /// The folder that holds sys and proc.
  std::string root = "/";
  /// The CPUs that the process may use. If it is empty, these are all that are
  /// online.
  std::vector<unsigned> cpus;
  /// The processes that run the chips of a cut program beside each other, each
  /// on as many CPUs. They share the memory and its rate.
  unsigned processes = 1;
  /// The features, as `llvm::sys::getHostCPUFeatures` names them.
  ::llvm::StringMap<bool> features;
  /// Measures the rate of the memory with so many threads, over so many bytes.
  std::function<int64_t(unsigned threads, int64_t bytes)> measure;
};

/// Returns the sources of the machine that this runs on.
HostSources hostSources();

/// Returns the target "host". What can be neither read nor replaced is an
/// error.
FailureOr<Target> readHost(const HostSources &sources, EmitError emitError);

/// Bytes of the last-level cache, if the system says them.
std::optional<int64_t> readCacheBytes(const HostSources &sources);

/// Bytes per second of a[i] = b[i] + s * c[i] with all threads at once. Each
/// element counts three times, as in STREAM. The result is the best of several
/// short windows.
int64_t measureTriad(unsigned threads, int64_t bytes);

} // namespace mlir::llm

#endif // LLM_TARGET_HOST_H
