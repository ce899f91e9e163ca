//===- DotWriter.cpp - The data flow for Graphviz -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotWriter.h"
#include "llm/Console/TextTable.h"
#include "llm/Files/Utf8.h"
#include "llm/Results/ModuleTree.h"
#include "llm/Results/OpKinds.h"
#include "llm/Results/OpShapes.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Returns UTF-8 without control characters: these are written as in tables,
/// e.g. \0A.
static std::string printable(StringRef text) {
  std::string result;
  for (char c : toUtf8(text)) {
    bool isControl = (c >= 0 && c < ' ') || c == 0x7f;
    result += isControl ? toPrintable(StringRef(&c, 1)) : std::string(1, c);
  }
  return result;
}

/// Keeps the two ends of a text that has more than `most` letters.
static std::string shortened(const std::string &text, size_t most) {
  std::vector<size_t> letters; // where they begin
  for (size_t at = 0; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80)
      letters.push_back(at);
  if (letters.size() <= most)
    return text;
  size_t front = most / 2, back = most - front - 2;
  return text.substr(0, letters[front]) + ".." +
         text.substr(letters[letters.size() - back]);
}

/// Writes a string of Graphviz. There quotes, backslashes and entities have a
/// meaning; tags have one in a page that holds the file. Graphviz reads two
/// backslashes as one. It reads tooltips twice, so the one that is left begins
/// an escape such as `\N`, unless a blank without a width follows it.
static std::string quoted(StringRef text) {
  constexpr StringRef replaced = "EGHLNT", noWidth = "&#8203;";
  std::string result = "\"";
  for (auto [at, c] : llvm::enumerate(text)) {
    switch (c) {
    case '"':
      result += "&quot;";
      break;
    case '\\':
      result += "\\\\";
      if (at + 1 < text.size() && replaced.contains(text[at + 1]))
        result += noWidth;
      break;
    case '\n':
      result += "\\n";
      break;
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    default:
      result += c;
    }
  }
  return result + "\"";
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// Sums up a module, or one op.
struct NodeSum {
  unsigned ops = 0;
  std::optional<int64_t> cycles; ///< nothing if some op has none
  /// The cycles of the ops that are bound so, by bound.
  std::array<int64_t, 3> cyclesOf = {};

  void add(const NodeSum &other) {
    bool hasTime = (ops == 0 || cycles) && other.cycles;
    cycles = hasTime ? std::optional(cycles.value_or(0) + *other.cycles)
                     : std::nullopt;
    ops += other.ops;
    for (auto [sum, part] : ::llvm::zip_equal(cyclesOf, other.cyclesOf))
      sum += part;
  }
  /// The bound of most of its time; nothing if it has no times.
  std::optional<CostBound> bound() const {
    auto most = ::llvm::max_element(cyclesOf);
    if (*most == 0)
      return std::nullopt;
    return static_cast<CostBound>(most - cyclesOf.begin());
  }
};
} // namespace

static NodeSum sumOf(const OpGraph::Op &op) {
  NodeSum sum;
  sum.ops = 1;
  sum.cycles = op.cycles;
  if (op.bound && op.cycles)
    sum.cyclesOf[static_cast<size_t>(*op.bound)] = *op.cycles;
  return sum;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {
class DotWriter {
public:
  DotWriter(const OpGraph &graph, DotColor color, unsigned depth,
            ::llvm::raw_ostream &os);
  void write();

private:
  void sumModules();
  void findNodes(const ModuleTree::Module &module, unsigned level);
  void hide(const ModuleTree::Module &module, const std::string &node);
  void writeModule(const ModuleTree::Module &in, unsigned level);
  void writeOp(const ModuleTree::Module &in, unsigned op, unsigned level);
  void writeCollapsed(const ModuleTree::Module &in, unsigned module,
                      unsigned level);
  void writeNode(const std::string &id, StringRef name, StringRef fullName,
                 StringRef details, const std::string &fill, unsigned level);
  void writeEdges();
  std::string timeText(const NodeSum &sum) const;
  std::string boundText(const NodeSum &sum) const;
  std::string colorOf(const NodeSum &sum, std::optional<unsigned> op) const;
  static void indent(::llvm::raw_ostream &os, unsigned level);

  const OpGraph &graph;
  DotColor color;
  unsigned depth;
  ::llvm::raw_ostream &os;
  ModuleTree tree;
  std::vector<NodeSum> sums;      ///< by module
  std::vector<std::string> nodes; ///< the id of the node that shows an op
  int64_t mostCycles = 1;         ///< of a node
};
} // namespace

DotWriter::DotWriter(const OpGraph &graph, DotColor color, unsigned depth,
                     ::llvm::raw_ostream &os)
    : graph(graph), color(color), depth(depth), os(os),
      tree(::llvm::map_to_vector(
          graph.programOps(),
          [](const ProgramOp &op) -> StringRef { return op.name; })),
      nodes(graph.ops.size()) {
  sumModules();
  findNodes(tree.root(), 0);
}

/// Inner modules stand behind outer ones, so their sums are ready first.
void DotWriter::sumModules() {
  sums.resize(tree.size());
  for (size_t index = tree.size(); index-- > 0;)
    for (ModuleTree::Child child : tree.module(index).children)
      sums[index].add(child.isModule ? sums[child.index]
                                     : sumOf(graph.ops[child.index]));
}

/// Finds the node that shows each op, and the longest time of a node.
void DotWriter::findNodes(const ModuleTree::Module &module, unsigned level) {
  for (ModuleTree::Child child : module.children) {
    if (child.isModule && level < depth) {
      findNodes(tree.module(child.index), level + 1);
      continue;
    }
    NodeSum sum;
    if (child.isModule) {
      sum = sums[child.index];
      hide(tree.module(child.index), "m" + std::to_string(child.index));
    } else {
      sum = sumOf(graph.ops[child.index]);
      nodes[child.index] = "op" + std::to_string(child.index);
    }
    mostCycles = std::max(mostCycles, sum.cycles.value_or(0));
  }
}

void DotWriter::hide(const ModuleTree::Module &module,
                     const std::string &node) {
  for (ModuleTree::Child child : module.children)
    if (child.isModule)
      hide(tree.module(child.index), node);
    else
      nodes[child.index] = node;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string DotWriter::timeText(const NodeSum &sum) const {
  if (!sum.cycles)
    return "";
  double share =
      100.0 * double(*sum.cycles) / double(std::max<int64_t>(graph.cycles, 1));
  return "\n" + formatIn({"us", 1, 3}, graph.microseconds(*sum.cycles)) +
         " us, " + formatIn({"%", 1, 1}, share) + " %";
}

std::string DotWriter::boundText(const NodeSum &sum) const {
  std::optional<CostBound> bound = sum.bound();
  return bound ? "\n" + stringifyCostBound(*bound).str() : "";
}

/// Colours go from white to red with the share of the longest time.
static std::string heat(double part) {
  auto channel = [&](int atMost) {
    return static_cast<unsigned>(std::lround(255 + part * (atMost - 255)));
  };
  return ::llvm::formatv("#{0:x-2}{1:x-2}{2:x-2}", channel(0xe3), channel(0x4a),
                         channel(0x33));
}

/// Empty where nothing is known; modules have no kind.
std::string DotWriter::colorOf(const NodeSum &sum,
                               std::optional<unsigned> op) const {
  switch (color) {
  case DotColor::Time:
    return sum.cycles ? heat(double(*sum.cycles) / double(mostCycles)) : "";
  case DotColor::Bound:
    return sum.bound() ? llm::colorOf(*sum.bound()).str() : "";
  case DotColor::Kind:
    return op ? colorOfKind(kindOf(graph.programOps()[*op].op)) : "";
  }
  return "";
}

void DotWriter::indent(::llvm::raw_ostream &os, unsigned level) {
  constexpr unsigned deepest = 8;
  os.indent(2 * (1 + std::min(level, deepest)));
}

void DotWriter::writeNode(const std::string &id, StringRef name,
                          StringRef fullName, StringRef details,
                          const std::string &fill, unsigned level) {
  constexpr size_t widestName = 40;
  indent(os, level);
  os << id << " [label="
     << quoted(shortened(printable(name), widestName) + details.str())
     << ", tooltip=" << quoted(printable(fullName) + details.str());
  if (!fill.empty())
    os << ", fillcolor=" << quoted(fill);
  os << "];\n";
}

void DotWriter::writeOp(const ModuleTree::Module &in, unsigned op,
                        unsigned level) {
  const ProgramOp &entry = graph.programOps()[op];
  NodeSum sum = sumOf(graph.ops[op]);
  std::string details = "\n" + kindOf(entry.op);
  if (entry.count != 1)
    details += ", " + std::to_string(entry.count) + " runs";
  details += timeText(sum);
  // Also of an op that takes no time.
  if (std::optional<CostBound> bound = graph.ops[op].bound)
    details += "\n" + stringifyCostBound(*bound).str();
  writeNode(nodes[op], ModuleTree::relativeName(entry.name, in), entry.name,
            details, colorOf(sum, op), level);
}

void DotWriter::writeCollapsed(const ModuleTree::Module &in, unsigned index,
                               unsigned level) {
  const ModuleTree::Module &module = tree.module(index);
  const NodeSum &sum = sums[index];
  std::string details =
      "\n" + std::to_string(sum.ops) + " ops" + timeText(sum) + boundText(sum);
  writeNode("m" + std::to_string(index),
            ModuleTree::relativeName(module.path, in), module.path, details,
            colorOf(sum, std::nullopt), level);
}

void DotWriter::writeModule(const ModuleTree::Module &in, unsigned level) {
  for (ModuleTree::Child child : in.children) {
    if (!child.isModule) {
      writeOp(in, child.index, level);
      continue;
    }
    if (level >= depth) {
      writeCollapsed(in, child.index, level);
      continue;
    }
    const ModuleTree::Module &module = tree.module(child.index);
    constexpr size_t widestName = 60;
    std::string name = printable(ModuleTree::relativeName(module.path, in));
    std::string time = timeText(sums[child.index]);
    indent(os, level);
    os << "subgraph cluster_" << child.index << " {\n";
    indent(os, level + 1);
    os << "label=" << quoted(shortened(name, widestName) + time)
       << "; tooltip=" << quoted(printable(module.path) + time) << ";\n";
    writeModule(module, level + 1);
    indent(os, level);
    os << "}\n";
  }
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// Draws one edge for all uses between two nodes, with the shapes of the values
/// that it carries.
void DotWriter::writeEdges() {
  using Ends = std::tuple<StringRef, StringRef, bool>;
  std::map<Ends, size_t> known;
  std::vector<std::pair<Ends, ::llvm::SetVector<OpResult>>> edges;
  for (const OpUse &use : graph.uses) {
    bool isCarried = use.kind == Dependence::Kind::Previous;
    Ends ends = {nodes[use.producer], nodes[use.consumer], isCarried};
    // A use within a module that is one node has no edge.
    if (!isCarried && std::get<0>(ends) == std::get<1>(ends))
      continue;
    auto [place, isNew] = known.try_emplace(ends, edges.size());
    if (isNew)
      edges.push_back({ends, {}});
    Operation *producer = graph.programOps()[use.producer].op;
    edges[place->second].second.insert(producer->getResult(use.result));
  }
  for (auto &[ends, results] : edges) {
    ::llvm::StringSet<> seen;
    std::string label;
    for (OpResult result : results)
      if (std::string shape = shapeOf(result.getType());
          seen.insert(shape).second)
        label += (label.empty() ? "" : ", ") + shape;
    constexpr size_t widestLabel = 60;
    os << "  " << std::get<0>(ends) << " -> " << std::get<1>(ends)
       << " [label=" << quoted(shortened(label, widestLabel))
       << ", tooltip=" << quoted(label);
    // The edge leads back, so ranks do not follow it.
    if (std::get<2>(ends))
      os << ", style=dashed, constraint=false";
    os << "];\n";
  }
}

void DotWriter::write() {
  std::string name = printable(symbolOf(graph.function()));
  std::string around = printable(tree.root().path); // names leave it out
  if (!around.empty())
    around = "\n" + shortened(around, 60);
  os << "digraph " << quoted(name) << " {\n"
     << "  label="
     << quoted(shortened(name, 60) + around + timeText(sums.front()))
     << "; labelloc=t; fontname=\"Helvetica\"; style=rounded;\n"
     << "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", "
        "fontname=\"Helvetica\"];\n"
     << "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  writeModule(tree.root(), 0);
  writeEdges();
  os << "}\n";
}

void mlir::llm::writeDot(const OpGraph &graph, DotColor color, unsigned depth,
                         ::llvm::raw_ostream &os) {
  DotWriter(graph, color, depth, os).write();
}
