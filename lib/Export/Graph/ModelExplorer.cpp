//===- ModelExplorer.cpp - Graphs for Google's Model Explorer -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelExplorer.h"
#include "llm/Files/Utf8.h"
#include "llm/Results/ModuleTree.h"
#include "llm/Results/OpKinds.h"
#include "llm/Results/OpShapes.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

using Json = ::llvm::json::OStream;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the names of a graph's ops, which are the ids of their nodes. If two
/// names are the same as UTF-8, the op's number is added to the second one.
static std::vector<std::string> nodeIds(const OpGraph &graph) {
  std::vector<std::string> ids;
  ::llvm::StringSet<> known;
  for (auto [index, op] : ::llvm::enumerate(graph.programOps())) {
    std::string id = toUtf8(op.name);
    while (!known.insert(id).second)
      id += "#" + std::to_string(index);
    ids.push_back(std::move(id));
  }
  return ids;
}

/// Joins a module's parts with '/', so no part keeps one of its own. The
/// explorer shows only what stands behind a ';', so that is replaced, too.
/// Nobody unfolds more than `deepest` levels; the parts below these are one.
static std::string nameSpaceOf(StringRef module) {
  constexpr size_t deepest = 32;
  std::string result;
  for (auto [level, part] : ::llvm::enumerate(partsOfModule(module))) {
    std::string text = part.empty() ? "_" : toUtf8(part);
    std::replace(text.begin(), text.end(), '/', '_');
    std::replace(text.begin(), text.end(), ';', '_');
    result += (level == 0 ? "" : level < deepest ? "/" : ".") + text;
  }
  return result;
}

static std::string labelOf(StringRef name, StringRef module) {
  return toUtf8(ModuleTree::relativeName(name, {module, {}}));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static std::string microsecondsText(const OpGraph &graph, int64_t cycles) {
  return ::llvm::formatv("{0:f3}", graph.microseconds(cycles));
}

/// The explorer shows text.
static void writeAttribute(Json &json, StringRef key,
                           const std::string &value) {
  json.object([&] {
    json.attribute("key", key);
    json.attribute("value", toUtf8(value));
  });
}

static void writeAttributes(Json &json, const OpGraph &graph, unsigned index) {
  const ProgramOp &entry = graph.programOps()[index];
  const OpGraph::Op &op = graph.ops[index];
  json.attributeArray("attrs", [&] {
    writeAttribute(json, "name", entry.name);
    writeAttribute(json, "kind", kindOf(entry.op));
    writeAttribute(json, "runs", std::to_string(entry.count));
    writeAttribute(json, "inputs", ::llvm::join(inputShapes(entry.op), ", "));
    if (op.cycles) {
      writeAttribute(json, "cycles", std::to_string(*op.cycles));
      writeAttribute(json, "time_us", microsecondsText(graph, *op.cycles));
    }
    if (op.bound)
      writeAttribute(json, "bound", stringifyCostBound(*op.bound).str());
  });
}

/// Names a use of a value from another iteration.
static StringRef describe(Dependence::Kind kind) {
  switch (kind) {
  case Dependence::Kind::Same:
    return "";
  case Dependence::Kind::Previous:
    return "previous iteration";
  case Dependence::Kind::First:
    return "first iteration";
  }
  return "";
}

static void writeEdges(Json &json, ArrayRef<OpUse> uses,
                       ArrayRef<std::string> ids) {
  json.attributeArray("incomingEdges", [&] {
    for (const OpUse &use : uses)
      json.object([&] {
        json.attribute("sourceNodeId", ids[use.producer]);
        json.attribute("sourceNodeOutputId", std::to_string(use.result));
        json.attribute("targetNodeInputId", std::to_string(use.input));
        if (StringRef text = describe(use.kind); !text.empty())
          json.attributeObject("metadata",
                               [&] { json.attribute("waits_for", text); });
      });
  });
}

static void writeOutputs(Json &json, Operation *op, StringRef id) {
  json.attributeArray("outputsMetadata", [&] {
    for (auto [number, shape] : ::llvm::enumerate(outputShapes(op)))
      json.object([&] {
        json.attribute("id", std::to_string(number));
        json.attributeArray("attrs", [&] {
          std::string tag =
              number == 0 ? id.str() : (id + ":" + Twine(number)).str();
          writeAttribute(json, "__tensor_tag", tag);
          writeAttribute(json, "shape", shape);
        });
      });
  });
}

static void writeNode(Json &json, const OpGraph &graph, unsigned index,
                      ArrayRef<OpUse> uses, ArrayRef<std::string> ids) {
  const ProgramOp &entry = graph.programOps()[index];
  std::string module = moduleOf(entry.name);
  json.object([&] {
    json.attribute("id", ids[index]);
    json.attribute("label", labelOf(entry.name, module));
    json.attribute("namespace", nameSpaceOf(module));
    writeAttributes(json, graph, index);
    writeEdges(json, uses, ids);
    writeOutputs(json, entry.op, ids[index]);
  });
}

/// Uses are sorted by consumer: each node takes those at the front of `rest`.
static void writeNodes(Json &json, const OpGraph &graph) {
  std::vector<std::string> ids = nodeIds(graph);
  json.attributeArray("nodes", [&] {
    ArrayRef<OpUse> rest = graph.uses;
    for (unsigned op = 0; op < graph.ops.size(); ++op) {
      ArrayRef<OpUse> own = rest.take_while(
          [&](const OpUse &each) { return each.consumer == op; });
      rest = rest.drop_front(own.size());
      writeNode(json, graph, op, own, ids);
    }
  });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
struct ModuleSum {
  int64_t ops = 0, cycles = 0;
  bool hasTimes = true; ///< of all ops
};
} // namespace

/// Returns the sums by namespace. A namespace counts all that is in it; "" is
/// the namespace of everything.
static std::map<std::string, ModuleSum> sumModules(const OpGraph &graph) {
  std::map<std::string, ModuleSum> sums;
  for (auto [index, op] : ::llvm::enumerate(graph.ops)) {
    StringRef name = graph.programOps()[index].name;
    std::string path = nameSpaceOf(moduleOf(name));
    auto add = [&, &op = op](StringRef in) {
      ModuleSum &sum = sums[in.str()];
      ++sum.ops;
      sum.cycles += op.cycles.value_or(0);
      sum.hasTimes &= op.cycles.has_value();
    };
    for (size_t end = path.size(); end != 0 && end != path.npos;
         end = path.rfind('/', end - 1))
      add(StringRef(path).take_front(end));
    add("");
  }
  return sums;
}

static void writeModules(Json &json, const OpGraph &graph) {
  json.attributeObject("groupNodeAttributes", [&] {
    for (const auto &[path, sum] : sumModules(graph))
      json.attributeObject(path, [&, &sum = sum, &path = path] {
        json.attribute("ops", std::to_string(sum.ops));
        if (graph.target && sum.hasTimes)
          json.attribute("time_us", microsecondsText(graph, sum.cycles));
        if (path.empty() && graph.target)
          json.attribute("target", toUtf8(graph.target->name));
      });
  });
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string graphId(const OpGraph &graph) {
  return toUtf8(symbolOf(graph.function()));
}

void mlir::llm::writeGraphCollection(ArrayRef<OpGraph> graphs,
                                     ::llvm::raw_ostream &os) {
  Json json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("label", "llm-opt");
    json.attributeArray("graphs", [&] {
      for (const OpGraph &graph : graphs)
        json.object([&] {
          json.attribute("id", graphId(graph));
          writeNodes(json, graph);
          writeModules(json, graph);
        });
    });
  });
  os << "\n";
}

/// Writes, for each graph, `results` by node, and what `fillGraph` adds.
static void writeOverlay(
    ArrayRef<OpGraph> graphs, ::llvm::raw_ostream &os,
    function_ref<void(Json &, const OpGraph &, const OpGraph::Op &)> fillResult,
    function_ref<void(Json &)> fillGraph) {
  Json json(os, /*IndentSize=*/1);
  auto writeGraph = [&](const OpGraph &graph) {
    std::vector<std::string> ids = nodeIds(graph);
    json.attributeObject("results", [&] {
      for (auto [id, op] : ::llvm::zip_equal(ids, graph.ops))
        if (op.cycles && op.bound)
          json.attributeObject(id,
                               [&, &op = op] { fillResult(json, graph, op); });
    });
    fillGraph(json);
  };
  json.object([&] {
    for (const OpGraph &graph : graphs)
      json.attributeObject(graphId(graph), [&] { writeGraph(graph); });
  });
  os << "\n";
}

void mlir::llm::writeTimeOverlay(ArrayRef<OpGraph> graphs,
                                 ::llvm::raw_ostream &os) {
  auto writeTime = [](Json &json, const OpGraph &graph, const OpGraph::Op &op) {
    json.attributeBegin("value");
    json.rawValue(microsecondsText(graph, *op.cycles));
    json.attributeEnd();
  };
  auto writeGradient = [](Json &json) {
    json.attributeArray("gradient", [&] {
      for (auto [stop, color] : {std::pair(0, "#ffffff"), {1, "#e34a33"}})
        json.object([&, stop = stop, color = color] {
          json.attribute("stop", stop);
          json.attribute("bgColor", color);
        });
    });
  };
  writeOverlay(graphs, os, writeTime, writeGradient);
}

void mlir::llm::writeBoundOverlay(ArrayRef<OpGraph> graphs,
                                  ::llvm::raw_ostream &os) {
  auto writeBound = [](Json &json, const OpGraph &, const OpGraph::Op &op) {
    json.attribute("value", stringifyCostBound(*op.bound));
    json.attribute("bgColor", colorOf(*op.bound));
  };
  writeOverlay(graphs, os, writeBound, [](Json &) {});
}
