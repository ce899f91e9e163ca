//===- GgmlCaptureGraphs.cpp - The graphs of a ggml capture ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgmlCaptureReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;
using namespace mlir::llm::ggmlCapture;

bool CapturedTensor::isView() const {
  return op == "VIEW" || op == "RESHAPE" || op == "PERMUTE" ||
         op == "TRANSPOSE";
}

std::vector<std::string>
mlir::llm::findTensorNames(const CapturedGraph &graph) {
  std::vector<std::string> names(graph.tensors.size());
  ::llvm::StringSet<> taken;
  auto take = [&](uint32_t number) {
    const CapturedTensor &tensor = graph.tensors[number];
    std::string &name = names[number];
    name = tensor.name.empty() ? "node_" + std::to_string(number) : tensor.name;
    if (!taken.insert(name).second)
      taken.insert(name += "#" + std::to_string(number));
  };
  // Sources take names first, then nodes that compute, because they are seen
  // more often than views.
  for (uint32_t number = graph.nodes; number < names.size(); ++number)
    take(number);
  for (bool isView : {false, true})
    for (uint32_t number = 0; number < graph.nodes; ++number)
      if (graph.tensors[number].isView() == isView)
        take(number);
  return names;
}

namespace {
struct GraphCollector : GgmlCaptureVisitor {
  void visit(CapturedGraph &&graph) override {
    graphs.push_back(std::move(graph));
  }
  void visit(const CapturedRun &run) override {
    graphs[run.graph].runs += run.state != RunState::GoesOn;
  }
  void visit(CapturedNumbers &&found) override {
    graphs[found.graph].tensors[found.tensor].numbers =
        std::move(found.numbers);
  }
  /// Adds the choices of a run. A long run has several records.
  void visit(CapturedChoices &&found) override {
    auto &choices = graphs[found.graph].choices;
    auto [position, isNew] =
        positions.try_emplace({found.graph, found.run}, choices.size());
    if (isNew)
      choices.emplace_back();
    ::llvm::append_range(choices[position->second], found.choices);
  }
  std::vector<CapturedGraph> graphs;
  /// Positions in `choices`, by graph and run.
  std::map<std::pair<uint32_t, uint32_t>, size_t> positions;
};
} // namespace

static ::llvm::Expected<std::vector<CapturedGraph>>
readGraphs(::llvm::Expected<TraceInput> input) {
  if (!input)
    return input.takeError();
  ::llvm::Expected<StringRef> beginning = input->peek();
  if (!beginning)
    return beginning.takeError();
  if (!isGgmlCapture(*beginning))
    return input->fail(0, "a program can be made of a capture of ggml alone, "
                          "which libllm-ggml-trace.so writes; this is another "
                          "file");
  GraphCollector collector;
  if (::llvm::Error error = readGgmlCapture(*input, collector))
    return error;
  return std::move(collector.graphs);
}

::llvm::Expected<std::vector<CapturedGraph>>
mlir::llm::readCapturedGraphs(StringRef path) {
  return readGraphs(TraceInput::open(path));
}

::llvm::Expected<std::vector<CapturedGraph>>
mlir::llm::readCapturedGraphs(::llvm::MemoryBufferRef bytes) {
  return readGraphs(TraceInput::open(bytes));
}
