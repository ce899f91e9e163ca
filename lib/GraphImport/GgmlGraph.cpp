//===- GgmlGraph.cpp - Captured graphs of ggml as programs ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/GraphImport/GgmlGraph.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::BufferUsage;
using ggmlCapture::none;

void mlir::llm::loadGraphDialects(MLIRContext *context) {
  context
      ->loadDialect<arith::ArithDialect, func::FuncDialect,
                    linalg::LinalgDialect, LlmDialect, tensor::TensorDialect>();
}

size_t mlir::llm::findMainGraph(ArrayRef<CapturedGraph> graphs) {
  return ::llvm::max_element(graphs,
                             [](const auto &a, const auto &b) {
                               return std::pair(a.nodes, a.runs) <
                                      std::pair(b.nodes, b.runs);
                             }) -
         graphs.begin();
}

//===----------------------------------------------------------------------===//
// What the builder relies on
//===----------------------------------------------------------------------===//

/// Shows a name in a message.
static std::string show(StringRef name) {
  constexpr size_t maxBytes = 64; // ggml's names are no longer
  std::string shown;
  ::llvm::raw_string_ostream os(shown);
  os << "'";
  ::llvm::printEscapedString(name.take_front(maxBytes), os);
  os << (name.size() > maxBytes ? "..'" : "'");
  return shown;
}

/// Whether a PERMUTE or a TRANSPOSE has the sizes of its source in its order.
static bool isPermutation(const CapturedTensor &view,
                          const CapturedTensor &source) {
  std::array<int64_t, ggmlCapture::dims> sizes{};
  for (auto [into, size] :
       ::llvm::zip_equal(destinationsOf(view), source.sizes))
    sizes[into] = size; // no size is 0, so two into one place leave a 0
  return sizes == view.sizes;
}

/// Returns why a tensor cannot be built, or "".
static std::string findFault(const CapturedGraph &graph, uint32_t number,
                             const GraphTensors &tensors) {
  const CapturedTensor &tensor = graph.tensors[number];
  if (!tensors.elementType(tensor))
    return "has elements of type " + show(graph.typeOf(tensor).name) +
           ", which is not known here";
  if (countElements(tensor) == 0)
    return "has no elements";
  if (number >= graph.nodes)
    return "";
  if (!tensors.elementType(tensor).isIntOrFloat() && !tensor.isView() &&
      tensor.view == none)
    return "is computed in type " + show(graph.typeOf(tensor).name) +
           ", which is only stored";
  for (uint32_t source : tensor.sources)
    if (source != none && source < graph.nodes && source >= number)
      return "reads a node that comes later";
  if (tensor.view != none && tensor.view < graph.nodes && tensor.view >= number)
    return "is a view of a node that comes later";
  if (!tensor.isView())
    return "";
  uint32_t source = sourceOf(tensor, 0);
  if (source == none || tensor.view == none)
    return "is a view of nothing";
  const CapturedTensor &root = graph.tensors[tensor.view];
  if (root.type != tensor.type || graph.tensors[source].type != tensor.type)
    return "is a view of elements of another type";
  int64_t count = countElements(tensor);
  if (count > countElements(root) ||
      (tensor.op != "VIEW" && count != countElements(graph.tensors[source])))
    return "is a view of fewer elements than it has";
  if ((tensor.op == "PERMUTE" || tensor.op == "TRANSPOSE") &&
      !isPermutation(tensor, graph.tensors[source]))
    return "has other sizes than its source in another order";
  return "";
}

/// Whether the node has as many sources as ops of its kind need to be
/// recognised.
static bool hasSources(const CapturedTensor &node) {
  static constexpr std::pair<::llvm::StringLiteral, unsigned> counts[] = {
      {"MUL_MAT", 2},  {"GET_ROWS", 2}, {"SET_ROWS", 2}, {"ADD", 2},
      {"SUB", 2},      {"MUL", 2},      {"DIV", 2},      {"CPY", 1},
      {"CONT", 1},     {"DUP", 1},      {"RMS_NORM", 1}, {"ROPE", 1},
      {"SCALE", 1},    {"SOFT_MAX", 1}, {"SILU", 1},     {"GELU", 1},
      {"GELU_ERF", 1}, {"RELU", 1},     {"SWIGLU", 1},   {"GEGLU", 1}};
  for (auto [op, count] : counts)
    if (node.op == op)
      for (unsigned i = 0; i < count; ++i)
        if (sourceOf(node, i) == none)
          return false;
  return true;
}

/// The deepest view of a view, since each is made from the one before.
static constexpr unsigned maxViewDepth = 64;

static LogicalResult check(const CapturedGraph &graph,
                           const GraphTensors &tensors, Location location) {
  std::vector<unsigned> viewDepths(graph.nodes);
  if (graph.nodes == 0)
    return emitError(location) << "the graph has no nodes";
  for (uint32_t number = 0; number < graph.tensors.size(); ++number) {
    std::string fault = findFault(graph, number, tensors);
    if (fault.empty() && number < graph.nodes &&
        !hasSources(graph.tensors[number]))
      fault = "lacks a source";
    if (fault.empty() && number < graph.nodes &&
        graph.tensors[number].isView()) {
      uint32_t source = graph.tensors[number].sources[0];
      viewDepths[number] = source < number ? viewDepths[source] + 1 : 1;
      if (viewDepths[number] > maxViewDepth)
        fault = "is a view of too many views";
    }
    if (!fault.empty())
      return emitError(location)
             << "tensor " << number << " of the graph, "
             << show(graph.tensors[number].name) << " ("
             << show(graph.tensors[number].op) << "), " << fault;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool isWeight(const CapturedGraph &graph, const CapturedTensor &tensor) {
  return tensor.buffer != none &&
         graph.buffers[tensor.buffer].usage == BufferUsage::Weights;
}

/// Adds the sources of the graph: weights, and arguments for what the program
/// passed to it. Caches of attention are added when they are used.
static void addSources(GraphBuilder &graphBuilder, const CapturedGraph &graph) {
  GraphTensors &tensors = graphBuilder.tensors;
  for (uint32_t number = graph.nodes; number < graph.tensors.size(); ++number)
    if (isWeight(graph, graph.tensors[number]))
      tensors.set(number,
                  WeightOp::create(tensors.builder, tensors.loc,
                                   tensors.typeOfSource(number),
                                   tensors.nameOf(number), ValueRange()));
    else if (!graphBuilder.patterns.caches.contains(number))
      tensors.addArgument(number);
}

/// Finds the values of nodes that no node reads, in order.
static SmallVector<Value> findResults(GraphBuilder &graphBuilder,
                                      const CapturedGraph &graph) {
  std::vector<bool> isRead(graph.tensors.size());
  for (uint32_t node = 0; node < graph.nodes; ++node) {
    for (uint32_t source : graph.tensors[node].sources)
      if (source != none)
        isRead[source] = true;
  }
  SmallVector<Value> results;
  for (uint32_t node = 0; node < graph.nodes; ++node)
    if (!isRead[node] && !graph.tensors[node].isView() &&
        graphBuilder.tensors.has(node))
      results.push_back(graphBuilder.tensors.inOrder(node));
  return results;
}

/// Erases shapes, weights and caches that no op reads in the end.
static void eraseUnused(func::FuncOp function) {
  for (Operation &op : ::llvm::make_early_inc_range(
           ::llvm::reverse(function.front().getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static std::vector<std::string> findLosses(const GraphBuilder &graphBuilder) {
  std::vector<std::string> losses;
  std::string names;
  for (const auto &[op, count] : graphBuilder.opaque)
    names += (names.empty() ? "" : ", ") + std::to_string(count) + " " +
             StringRef(show(op)).trim('\'').str();
  if (!names.empty())
    losses.push_back("nodes that are not recognised move their bytes and no "
                     "more: " +
                     names);
  if (unsigned odd = graphBuilder.tensors.oddViews)
    losses.push_back(std::to_string(odd) +
                     " views are no rectangle of what they show: as many "
                     "elements from its beginning stand for them");
  return losses;
}

/// Lists what is assumed. A capture has few of the numbers in tensors, and
/// older captures have fewer.
static std::vector<std::string>
findAssumptions(const GraphBuilder &graphBuilder, MaskKind mask) {
  std::vector<std::string> assumptions;
  auto add = [&](unsigned nodes, StringRef what, StringRef instead) {
    if (nodes)
      assumptions.push_back("a capture does not say " + what.str() + " (" +
                            std::to_string(nodes) +
                            (nodes == 1 ? " node): " : " nodes): ") +
                            instead.str());
  };
  add(graphBuilder.attentionsWithMask, "which keys a mask shows",
      mask == MaskKind::Full
          ? "all are counted, and new tokens stand at their end; "
            "--mask=causal counts those up to each token's own"
          : "those up to each token's own are counted, and new tokens stand at "
            "their end");
  add(graphBuilder.productsOfUnknownExperts, "which experts were chosen",
      "rows are shared evenly among them");
  add(graphBuilder.ropesWithoutScaling,
      "by which factors the angles of ROPE are divided",
      "they are left as they are, which costs the same");
  return assumptions;
}

/// Counts the experts that were read, over all products. This is what a run
/// costs.
static size_t countExperts(ArrayRef<CapturedChoice> choices) {
  size_t count = 0;
  for (const CapturedChoice &choice : choices)
    count += choice.rows.size();
  return count;
}

/// Finds the choices of the run that is asked for, or of the median run.
static FailureOr<ArrayRef<CapturedChoice>>
findChoices(const CapturedGraph &graph, std::optional<size_t> run,
            Location location) {
  if (run && *run >= graph.choices.size()) {
    auto diagnostic = emitError(location)
                      << "the chosen experts of run " << *run
                      << " of the graph are not in the capture; ";
    if (graph.choices.empty())
      return diagnostic << "it has none of this graph";
    return diagnostic << "it has those of runs 0 to "
                      << graph.choices.size() - 1;
  }
  if (run)
    return ArrayRef<CapturedChoice>(graph.choices[*run]);
  if (graph.choices.empty())
    return ArrayRef<CapturedChoice>();
  std::vector<std::pair<size_t, size_t>> byCount; ///< experts, run
  for (auto [number, choices] : ::llvm::enumerate(graph.choices))
    byCount.push_back({countExperts(choices), number});
  auto middle = byCount.begin() + (byCount.size() - 1) / 2;
  std::nth_element(byCount.begin(), middle, byCount.end());
  return ArrayRef<CapturedChoice>(graph.choices[middle->second]);
}

FailureOr<CapturedProgram> mlir::llm::buildCapturedGraph(
    const CapturedGraph &graph, StringRef functionName,
    const CapturedProgramForm &form, Location location) {
  MLIRContext *context = location.getContext();
  OpBuilder builder(context);
  if (failed(check(graph,
                   GraphTensors(builder, location, graph, form.floatType),
                   location)))
    return failure();
  FailureOr<ArrayRef<CapturedChoice>> choices =
      findChoices(graph, form.run, location);
  if (failed(choices))
    return failure();
  CapturedProgram program;
  program.module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(program.module->getBody());
  auto function = func::FuncOp::create(builder, location, functionName,
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  GraphBuilder graphBuilder(builder, location, graph, form, *choices);
  addSources(graphBuilder, graph);
  for (uint32_t node = 0; node < graph.nodes; ++node)
    graphBuilder.build(node);
  SmallVector<Value> results = findResults(graphBuilder, graph);
  func::ReturnOp::create(builder, location, results);
  function.setFunctionType(builder.getFunctionType(
      function.front().getArgumentTypes(), ValueRange(results).getTypes()));
  eraseUnused(function);
  program.losses = findLosses(graphBuilder);
  program.assumptions = findAssumptions(graphBuilder, form.mask);
  if (failed(verify(*program.module)))
    return failure();
  return program;
}
