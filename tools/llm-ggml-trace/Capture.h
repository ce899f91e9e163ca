//===- Capture.h - What is captured of a program ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_GGMLTRACE_CAPTURE_H
#define LLM_TOOLS_GGMLTRACE_CAPTURE_H

#include "GraphStructure.h"

#include <memory>
#include <mutex>
#include <set>

namespace llmGgml {

/// A scheduler of the program. One thread uses it at a time.
struct Scheduler {
  ggml_eval_callback callback = nullptr; ///< the program's own
  void *userData = nullptr;
  /// The graph that is allocated, as it was before the scheduler split it.
  std::unique_ptr<GraphStructure> structure;
  const ggml_cgraph *graph = nullptr;
  uint32_t number = format::none; ///< in the file; none if it is not there
  bool isRunning = false;         ///< until its last graph is waited for
};

/// The state that all threads share. It lives as long as the process.
class Capture {
public:
  static Capture &get();

  Scheduler &of(ggml_backend_sched *scheduler);
  void forget(ggml_backend_sched *scheduler);

  /// Returns the number of this structure in the file, and writes it if it is
  /// new.
  uint32_t numberOf(const GraphStructure &structure,
                    const GraphStructure::BackendOf &backendOf);
  uint32_t nextRun();
  void append(format::Record kind, const Body &body);

private:
  Capture();
  void beginAsChild();

  std::mutex mutex;
  CaptureFile file;
  std::unordered_map<uint64_t, uint32_t> numbers; ///< of structures by hash
  uint32_t runs = 0;
  std::unordered_map<ggml_backend_sched *, Scheduler> schedulers;
};

/// One run of a graph by this thread.
class Run {
public:
  void start() { startTime = written = nowNanoseconds(); }
  void addOp(size_t node, int64_t opStart, int64_t opEnd);
  /// Adds which of the experts the tokens chose. Several products may read the
  /// tensor of this number, which counts once.
  void addChoice(uint32_t number, const ggml_tensor &chosen, int64_t experts);
  /// Ends the run of the graph with this number. `status` is that of ggml.
  void finish(uint32_t graph, int64_t end, int status);
  /// Writes what ran so far, if it is much or the last record is old.
  void writeSometimes(uint32_t graph, int64_t now);

private:
  void write(uint32_t graph, format::RunState state, int64_t end);
  void writeChoices(uint32_t graph);

  int64_t startTime = 0, written = 0;
  uint32_t number = format::none;
  uint32_t ops = 0;
  Body times;
  std::set<uint32_t> seenChoices;
  uint32_t choiceCount = 0; ///< those not written yet
  Body choices;
};

void writeWait(int64_t start, int64_t end);

} // namespace llmGgml

#endif // LLM_TOOLS_GGMLTRACE_CAPTURE_H
