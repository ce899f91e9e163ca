//===- GgmlCapture.cpp - What a program of ggml ran when ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgmlCaptureReader.h"
#include "GgmlFormats.h"
#include "TraceBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::llm;
using namespace mlir::llm::ggmlCapture;

namespace {
/// What is kept of a graph as long as its runs may come.
struct GraphTexts {
  uint32_t name = 0, args = 0;
  std::vector<uint32_t> nodeNames, nodeArgs;
  /// For each node, the number of its backend, if there are several.
  std::vector<uint32_t> backendOfNode;
  std::vector<std::string> backends;
  /// For each node, the nodes whose values it reads, also through views.
  std::vector<SmallVector<uint32_t, 2>> inputs;
  bool hasRun = false;
  SmallVector<std::pair<uint32_t, uint64_t>> buffers; ///< counter, bytes
};

class CaptureTraceMaker : public GgmlCaptureVisitor {
public:
  void visit(const CapturedProcess &found) override;
  void visit(CapturedGraph &&graph) override;
  void visit(const CapturedRun &run) override;
  void visit(const CapturedWait &wait) override;
  void visit(CapturedChoices &&choices) override {
    for (const CapturedChoice &choice : choices.choices)
      chosenExperts[choices.run] += choice.rows.size();
  }
  void visitCut(uint64_t offsetBytes) override {
    builder.addNote("The file ends in the middle of a record, at byte " +
                    Twine(offsetBytes) +
                    ": the program was ended while it wrote it. What is "
                    "before is there.");
  }
  ImportedTrace finish() &&;

private:
  struct OpenRun {
    uint32_t event;
    std::vector<uint32_t> eventOfNode; ///< of a first run, for arrows
    /// The event and the backend of the split that runs.
    uint32_t split = TraceEvent::none, backend = none;
    unsigned splits = 0;
  };

  uint32_t laneOf(uint32_t thread);
  uint32_t counterOf(const std::string &name, StringRef unit);
  OpenRun &openRun(const CapturedRun &run);
  void addOps(const CapturedRun &run, OpenRun &open);
  void addToSplit(const CapturedRun &run, const CapturedOp &op, OpenRun &open);

  TraceBuilder builder;
  CapturedProcess process;
  DenseMap<uint64_t, uint32_t> lanes; ///< of threads
  ::llvm::StringMap<uint32_t> counters;
  std::vector<GraphTexts> graphs;
  DenseMap<uint64_t, OpenRun> openRuns;
  DenseMap<uint64_t, uint64_t> chosenExperts; ///< of all layers, by run
};
} // namespace

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static StringRef stringify(BufferUsage usage) {
  switch (usage) {
  case BufferUsage::Any:
    return "any use";
  case BufferUsage::Weights:
    return "weights";
  case BufferUsage::Compute:
    return "compute";
  }
  return "";
}

static ::llvm::json::Object describeTensor(const CapturedGraph &graph,
                                           const CapturedTensor &tensor) {
  return ::llvm::json::Object{{"name", tensor.name},
                              {"type", graph.typeOf(tensor).name},
                              {"ne", ::llvm::json::Array(tensor.sizes)}};
}

static std::string print(::llvm::json::Object object) {
  std::string text;
  ::llvm::raw_string_ostream(text) << ::llvm::json::Value(std::move(object));
  return text;
}

static std::string describeNode(const CapturedGraph &graph, uint32_t number) {
  const CapturedTensor &node = graph.tensors[number];
  ::llvm::json::Object args = describeTensor(graph, node);
  args["op"] = node.op;
  args["node"] = number;
  if (node.backend != none)
    args["backend"] = graph.backends[node.backend].name;
  ::llvm::json::Array sources;
  for (uint32_t source : node.sources)
    if (source != none)
      sources.push_back(describeTensor(graph, graph.tensors[source]));
  args["sources"] = std::move(sources);
  return print(std::move(args));
}

static std::string describeGraph(const CapturedGraph &graph) {
  ::llvm::json::Array buffers;
  for (const CapturedBuffer &buffer : graph.buffers)
    buffers.push_back(::llvm::json::Object{{"kind", buffer.kind},
                                           {"usage", stringify(buffer.usage)},
                                           {"host", buffer.isOnHost},
                                           {"bytes", int64_t(buffer.bytes)}});
  return print(::llvm::json::Object{{"nodes", graph.nodes},
                                    {"tensors", int64_t(graph.tensors.size())},
                                    {"buffers", std::move(buffers)}});
}

/// Finds the nodes whose values each node reads, also through views. Takes
/// O(tensors), because each node comes behind what it reads, and a view has one
/// source.
static std::vector<SmallVector<uint32_t, 2>>
findInputs(const CapturedGraph &graph) {
  std::vector<SmallVector<uint32_t, 2>> inputs(graph.nodes);
  for (uint32_t number = 0; number < graph.nodes; ++number) {
    const CapturedTensor &node = graph.tensors[number];
    ArrayRef<uint32_t> sources(node.sources);
    for (uint32_t source : node.isView() ? sources.take_front(1) : sources) {
      if (source >= number) // a source, or a graph that cannot be
        continue;
      if (graph.tensors[source].isView())
        ::llvm::append_range(inputs[number], inputs[source]);
      else
        inputs[number].push_back(source);
    }
  }
  return inputs;
}

uint32_t CaptureTraceMaker::counterOf(const std::string &name, StringRef unit) {
  auto [entry, isNew] = counters.try_emplace(name);
  if (isNew)
    entry->second = builder.addCounter(name, unit);
  return entry->second;
}

void CaptureTraceMaker::visit(CapturedGraph &&graph) {
  GraphTexts &texts = graphs.emplace_back();
  texts.name = builder.addText("graph " + std::to_string(graphs.size() - 1));
  texts.args = builder.addArgs(describeGraph(graph));
  std::vector<std::string> names = findTensorNames(graph);
  for (uint32_t node = 0; node < graph.nodes; ++node) {
    texts.nodeNames.push_back(
        builder.addText(graph.tensors[node].op + " " + names[node]));
    texts.nodeArgs.push_back(builder.addArgs(describeNode(graph, node)));
  }
  for (const CapturedBackend &backend : graph.backends)
    texts.backends.push_back(backend.name);
  for (uint32_t node = 0; node < graph.nodes && graph.backends.size() > 1;
       ++node)
    texts.backendOfNode.push_back(graph.tensors[node].backend);
  texts.inputs = findInputs(graph);
  std::map<uint32_t, uint64_t> sums;
  for (const CapturedBuffer &buffer : graph.buffers)
    sums[counterOf(buffer.kind + ", " + stringify(buffer.usage).str(),
                   "bytes")] += buffer.bytes;
  texts.buffers.append(sums.begin(), sums.end());
  std::vector<std::string> &devices = builder.trace().devices;
  for (const CapturedBackend &backend : graph.backends)
    if (!backend.device.empty() &&
        !::llvm::is_contained(devices, backend.device))
      devices.push_back(backend.device);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void CaptureTraceMaker::visit(const CapturedProcess &found) { process = found; }

uint32_t CaptureTraceMaker::laneOf(uint32_t thread) {
  auto [entry, isNew] = lanes.try_emplace(thread);
  if (isNew) {
    TraceLane lane;
    lane.process = process.id;
    lane.thread = thread;
    lane.processName = ::llvm::sys::path::filename(process.program);
    entry->second = builder.addLane(lane);
  }
  return entry->second;
}

CaptureTraceMaker::OpenRun &CaptureTraceMaker::openRun(const CapturedRun &run) {
  auto [entry, isNew] = openRuns.try_emplace(run.number);
  if (!isNew)
    return entry->second;
  GraphTexts &texts = graphs[run.graph];
  TraceEvent event;
  event.kind = TraceEventKind::Range;
  event.lane = laneOf(run.thread);
  event.name = texts.name;
  event.args = texts.args;
  event.startNanoseconds = run.startNanoseconds;
  event.endNanoseconds = run.endNanoseconds;
  entry->second.event = builder.addEvent(event);
  // Only the first run has arrows, which say how values flow. Those of other
  // runs would repeat it.
  if (!texts.hasRun) {
    entry->second.eventOfNode.assign(texts.inputs.size(), TraceEvent::none);
    for (auto [counter, bytes] : texts.buffers)
      builder.addSample(counter, run.startNanoseconds, double(bytes));
  }
  texts.hasRun = true;
  return entry->second;
}

/// Adds an op to its split, which is nodes of one backend that follow each
/// other. A scheduler runs a split as a graph of its own.
void CaptureTraceMaker::addToSplit(const CapturedRun &run, const CapturedOp &op,
                                   OpenRun &open) {
  const GraphTexts &texts = graphs[run.graph];
  uint32_t backend =
      texts.backendOfNode.empty() ? none : texts.backendOfNode[op.node];
  if (backend == none)
    return;
  if (open.split != TraceEvent::none && open.backend == backend) {
    int64_t &end = builder.event(open.split).endNanoseconds;
    end = std::max(end, op.endNanoseconds);
    return;
  }
  TraceEvent event;
  event.kind = TraceEventKind::Range;
  event.lane = laneOf(run.thread);
  event.name = builder.addText("split " + std::to_string(open.splits++) + ", " +
                               texts.backends[backend]);
  event.startNanoseconds = op.startNanoseconds;
  event.endNanoseconds = op.endNanoseconds;
  open.split = builder.addEvent(event);
  open.backend = backend;
}

void CaptureTraceMaker::addOps(const CapturedRun &run, OpenRun &open) {
  const GraphTexts &texts = graphs[run.graph];
  for (const CapturedOp &op : run.ops) {
    addToSplit(run, op, open);
    TraceEvent event;
    event.kind = TraceEventKind::Op;
    event.lane = laneOf(run.thread);
    event.name = texts.nodeNames[op.node];
    event.args = texts.nodeArgs[op.node];
    event.startNanoseconds = op.startNanoseconds;
    event.endNanoseconds = op.endNanoseconds;
    uint32_t number = builder.addEvent(event);
    if (op.node >= open.eventOfNode.size())
      continue;
    open.eventOfNode[op.node] = number;
    for (uint32_t input : texts.inputs[op.node])
      if (uint32_t from = open.eventOfNode[input]; from != TraceEvent::none)
        builder.addArrow({from}, {number});
  }
}

void CaptureTraceMaker::visit(const CapturedRun &run) {
  OpenRun &open = openRun(run);
  int64_t &end = builder.event(open.event).endNanoseconds;
  end = std::max(end, run.endNanoseconds);
  addOps(run, open);
  if (run.state == RunState::GoesOn)
    return;
  if (run.state == RunState::Failed)
    builder.countNote("Runs that failed or were cancelled",
                      "byte " + Twine(run.offsetBytes));
  openRuns.erase(run.number);
  if (auto chosen = chosenExperts.find(run.number);
      chosen != chosenExperts.end()) {
    builder.addSample(counterOf("chosen experts", "experts"),
                      run.startNanoseconds, double(chosen->second));
    chosenExperts.erase(chosen);
  }
}

void CaptureTraceMaker::visit(const CapturedWait &wait) {
  TraceEvent event;
  event.kind = TraceEventKind::Call;
  event.lane = laneOf(wait.thread);
  event.name = builder.addText("ggml_backend_sched_synchronize");
  event.startNanoseconds = wait.startNanoseconds;
  event.endNanoseconds = wait.endNanoseconds;
  builder.addEvent(event);
}

ImportedTrace CaptureTraceMaker::finish() && {
  builder.trace().format = "ggml capture";
  if (!process.ggmlVersion.empty())
    builder.trace().format += " (ggml " + process.ggmlVersion + ")";
  if (process.timesOps)
    builder.addNote("Each op was computed by itself, to be timed: what ggml "
                    "would compute as one kernel is apart, and graphs take "
                    "longer than without the capture.");
  else
    builder.addNote("Times are of whole graphs: the program ran with "
                    "LLM_GGML_TRACE_OPS=0.");
  if (!openRuns.empty())
    builder.addNote("Runs of graphs that were under way when the program "
                    "ended: " +
                    Twine(openRuns.size()) +
                    ". What they had computed by then is there.");
  return std::move(builder).finish();
}

::llvm::Expected<ImportedTrace>
mlir::llm::readGgmlCaptureTrace(TraceInput &input) {
  CaptureTraceMaker maker;
  if (::llvm::Error error = readGgmlCapture(input, maker))
    return error;
  return std::move(maker).finish();
}
