//===- Interpose.cpp - Between a program and ggml -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions have the names of ggml's. If this library is loaded before
// ggml (LD_PRELOAD), programs call them instead, and they call ggml's own.
// docs/traces.md says how to use it.
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace llmGgml;

#define LLM_INTERPOSED extern "C" __attribute__((visibility("default")))

/// ggml's own function. It exists, because the program calls it.
#define LLM_REAL(name) require(ggml().name, #name)

template <typename Function>
static Function *require(Function *function, const char *name) {
  if (!function) {
    fprintf(stderr,
            "llm-ggml-trace: the program calls %s, and no library that it has "
            "loaded has it; run it without llm-ggml-trace\n",
            name);
    abort();
  }
  return function;
}

namespace {
/// The number of calls of ggml under way in this thread. Calls by ggml itself
/// are part of the first one.
thread_local int depth = 0;
struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
};
bool isCaptured() { return depth == 0 && ggml().isUsable; }

/// Whether an op only looks at its source in another way.
bool isView(const ggml_tensor *tensor) {
  const char *op = ggml().ggml_op_name(tensor->op);
  for (const char *name : {"NONE", "VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"})
    if (strcmp(op, name) == 0)
      return true;
  return false;
}

/// A run of a scheduler's graph.
class ScheduledRun {
public:
  ScheduledRun(ggml_backend_sched *scheduler, ggml_cgraph *graph)
      : scheduler(scheduler), state(Capture::get().of(scheduler)),
        graph(graph) {}
  int compute();

private:
  static bool onNode(ggml_tensor *node, bool ask, void *run) {
    auto *self = static_cast<ScheduledRun *>(run);
    return ask ? self->beforeNode(node) : self->afterNode(node);
  }
  bool beforeNode(ggml_tensor *node);
  bool afterNode(ggml_tensor *node);
  void describe();
  size_t indexOf(const ggml_tensor *node);
  void addChoice(size_t index, const ggml_tensor &node);

  ggml_backend_sched *scheduler;
  Scheduler &state;
  ggml_cgraph *graph;
  Run run;
  size_t next = 0; ///< behind the last node that ran
  int64_t opStart = 0;
  bool programAsks = false; ///< its callback wants this node
};
} // namespace

/// Describes the graph once it is split, when it is known which backend
/// computes what.
void ScheduledRun::describe() {
  if (state.graph != graph) {
    state.structure = std::make_unique<GraphStructure>(graph);
    state.graph = graph;
    state.number = format::none;
  }
  if (state.number == format::none)
    state.number =
        Capture::get().numberOf(*state.structure, [&](ggml_tensor *node) {
          return ggml().ggml_backend_sched_get_tensor_backend(scheduler, node);
        });
}

/// Finds a node. Nodes come in their order, and few are left out.
size_t ScheduledRun::indexOf(const ggml_tensor *node) {
  size_t count = state.structure->nodeCount();
  for (size_t steps = 0; steps < count; ++steps, ++next) {
    if (next >= count)
      next = 0;
    if (state.structure->node(next) == node)
      return next++;
  }
  return format::none;
}

bool ScheduledRun::beforeNode(ggml_tensor *node) {
  describe();
  programAsks = state.callback && state.callback(node, true, state.userData);
  // A view takes no time, so it is computed with the next node.
  bool isTimed = programAsks || !isView(node);
  opStart = nowNanoseconds();
  return isTimed;
}

/// Adds the experts of a product. They are there as long as the product may
/// read them, which is until the next node runs.
void ScheduledRun::addChoice(size_t index, const ggml_tensor &node) {
  constexpr unsigned chosen = 2; // the operand
  if (strcmp(ggml().ggml_op_name(node.op), "MUL_MAT_ID") != 0)
    return;
  uint32_t number = state.structure->sourceOf(index, chosen);
  // If it is on another backend, the scheduler has replaced it by a copy.
  const ggml_tensor *ids = node.src[chosen];
  bool isKnown = number != format::none && ids && ids->data && node.src[0] &&
                 !strcmp(ggml().ggml_type_name(ids->type), "i32");
  if (isKnown)
    run.addChoice(number, *ids, node.src[0]->ne[2]);
}

bool ScheduledRun::afterNode(ggml_tensor *node) {
  int64_t end = nowNanoseconds();
  size_t index = isView(node) ? format::none : indexOf(node);
  if (index != format::none) {
    run.addOp(index, opStart, end);
    addChoice(index, *node);
  }
  run.writeSometimes(state.number, end);
  return !programAsks || state.callback(node, false, state.userData);
}

int ScheduledRun::compute() {
  Inside inside;
  // If the graph is split by now, its record can be written before its time
  // runs.
  if (state.graph == graph)
    describe();
  run.start();
  if (timesOps())
    ggml().ggml_backend_sched_set_eval_callback(scheduler, onNode, this);
  int status = ggml().ggml_backend_sched_graph_compute_async(scheduler, graph);
  int64_t end = nowNanoseconds();
  if (timesOps())
    ggml().ggml_backend_sched_set_eval_callback(scheduler, state.callback,
                                                state.userData);
  describe();
  run.finish(state.number, end, status);
  state.isRunning = true;
  return status;
}

//===----------------------------------------------------------------------===//
// Schedulers
//===----------------------------------------------------------------------===//

LLM_INTERPOSED void
ggml_backend_sched_set_eval_callback(ggml_backend_sched *scheduler,
                                     ggml_eval_callback callback,
                                     void *userData) {
  if (ggml().isUsable) {
    Scheduler &state = Capture::get().of(scheduler);
    state.callback = callback;
    state.userData = userData;
  }
  LLM_REAL(ggml_backend_sched_set_eval_callback)(scheduler, callback, userData);
}

/// ggml also calls this itself, to compute a graph that is not allocated.
LLM_INTERPOSED bool
ggml_backend_sched_alloc_graph(ggml_backend_sched *scheduler,
                               ggml_cgraph *graph) {
  if (ggml().isUsable) {
    Scheduler &state = Capture::get().of(scheduler);
    state.structure = std::make_unique<GraphStructure>(graph);
    state.graph = graph;
    state.number = format::none;
  }
  return LLM_REAL(ggml_backend_sched_alloc_graph)(scheduler, graph);
}

LLM_INTERPOSED void ggml_backend_sched_reset(ggml_backend_sched *scheduler) {
  if (ggml().isUsable)
    Capture::get().of(scheduler).graph = nullptr;
  LLM_REAL(ggml_backend_sched_reset)(scheduler);
}

LLM_INTERPOSED void ggml_backend_sched_free(ggml_backend_sched *scheduler) {
  if (ggml().isUsable)
    Capture::get().forget(scheduler);
  LLM_REAL(ggml_backend_sched_free)(scheduler);
}

LLM_INTERPOSED int
ggml_backend_sched_graph_compute_async(ggml_backend_sched *scheduler,
                                       ggml_cgraph *graph) {
  if (isCaptured())
    return ScheduledRun(scheduler, graph).compute();
  return LLM_REAL(ggml_backend_sched_graph_compute_async)(scheduler, graph);
}

LLM_INTERPOSED void
ggml_backend_sched_synchronize(ggml_backend_sched *scheduler) {
  auto *synchronize = LLM_REAL(ggml_backend_sched_synchronize);
  if (!isCaptured())
    return synchronize(scheduler);
  Scheduler &state = Capture::get().of(scheduler);
  int64_t start = nowNanoseconds();
  synchronize(scheduler);
  int64_t end = nowNanoseconds();
  // If all had run before, the wait is too short for a record.
  constexpr int64_t shortNanoseconds = 1000;
  if (state.isRunning && end - start >= shortNanoseconds)
    writeWait(start, end);
  state.isRunning = false;
}

/// Does the same as ggml's own, which may call the other two directly, so that
/// they would not be seen.
LLM_INTERPOSED int
ggml_backend_sched_graph_compute(ggml_backend_sched *scheduler,
                                 ggml_cgraph *graph) {
  int status = ggml_backend_sched_graph_compute_async(scheduler, graph);
  ggml_backend_sched_synchronize(scheduler);
  return status;
}

//===----------------------------------------------------------------------===//
// Backends without a scheduler
//===----------------------------------------------------------------------===//

/// Computes a graph on one backend, where single ops are not timed.
static int computeGraph(ggml_backend *backend, ggml_cgraph *graph,
                        bool isAwaited) {
  auto *compute = LLM_REAL(ggml_backend_graph_compute_async);
  bool isSeen = isCaptured();
  std::optional<GraphStructure> structure;
  if (isSeen)
    structure.emplace(graph);
  Run run;
  Inside inside;
  run.start();
  int status = compute(backend, graph);
  if (isAwaited)
    LLM_REAL(ggml_backend_synchronize)(backend);
  int64_t end = nowNanoseconds();
  if (isSeen) {
    uint32_t number = Capture::get().numberOf(
        *structure, [&](ggml_tensor *) { return backend; });
    run.finish(number, end, status);
  }
  return status;
}

LLM_INTERPOSED int ggml_backend_graph_compute(ggml_backend *backend,
                                              ggml_cgraph *graph) {
  return computeGraph(backend, graph, /*isAwaited=*/true);
}

LLM_INTERPOSED int ggml_backend_graph_compute_async(ggml_backend *backend,
                                                    ggml_cgraph *graph) {
  return computeGraph(backend, graph, /*isAwaited=*/false);
}
