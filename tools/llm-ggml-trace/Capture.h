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
  /// The graph that is allocated, as it was before it was split.
  std::unique_ptr<GraphStructure> structure;
  const ggml_cgraph *graph = nullptr;
  uint32_t number = format::none; ///< in the file, if it is there
  bool isRunning = false;         ///< nobody has waited for its last graph
};

/// What all threads share. Lives as long as the process.
class Capture {
public:
  static Capture &get();

  Scheduler &of(ggml_backend_sched *scheduler);
  void forget(ggml_backend_sched *scheduler);

  /// The number of this structure in the file, where it is written once.
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

/// One run of a graph by the thread at hand.
class Run {
public:
  void start() { startTime = written = nowNanoseconds(); }
  void addOp(size_t node, int64_t opStart, int64_t opEnd);
  /// Which of so many experts the tokens chose: once for a tensor of this
  /// number, which several products read.
  void addChoice(uint32_t number, const ggml_tensor &chosen, int64_t experts);
  /// Of a graph with this number; as ggml's status says.
  void finish(uint32_t graph, int64_t end, int status);
  /// Writes what ran so far, if that is much or long ago.
  void writeSometimes(uint32_t graph, int64_t now);

private:
  void write(uint32_t graph, format::RunState state, int64_t end);
  void writeChoices(uint32_t graph);

  int64_t startTime = 0, written = 0;
  uint32_t number = format::none;
  uint32_t ops = 0;
  Body times;
  std::set<uint32_t> seenChoices;
  uint32_t choiceCount = 0; ///< that are not written yet
  Body choices;
};

void writeWait(int64_t start, int64_t end);

} // namespace llmGgml

#endif // LLM_TOOLS_GGMLTRACE_CAPTURE_H
