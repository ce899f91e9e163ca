//===- ProgramPattern.cpp - The ops of a program, layers once -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/ProgramPattern.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/ModuleNames.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

NameWithoutLayer mlir::llm::takeLayer(StringRef name) {
  NameWithoutLayer taken;
  // Ranges such as "{3..60}" have dots of their own, so this cannot split at
  // dots.
  for (std::string_view part : partsOfModule({name.data(), name.size()})) {
    StringRef text(part.data(), part.size());
    int64_t number;
    bool isNumber = !text.getAsInteger(10, number);
    if (isNumber && taken.layer < 0)
      taken.layer = number;
    if (isNumber || !findIndexRanges(part).empty())
      text = "{}";
    taken.name += (taken.name.empty() ? "" : ".") + text.str();
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Collects kinds. A kernel of several ops has the kinds of all of them.
static void collectKinds(Operation *op, SmallVector<StringRef, 2> &kinds) {
  auto add = [&](Operation *one) {
    StringRef kind = one->getName().stripDialect();
    if (!llvm::is_contained(kinds, kind))
      kinds.push_back(kind);
  };
  if (!isa<FusedOp>(op))
    return add(op);
  op->walk([&](WorkloadOpInterface inner) {
    if (inner != op)
      add(inner);
  });
}

static std::optional<ProductSizes> findProduct(Operation *op) {
  if (op->getName().stripDialect() != "matmul" || op->getNumOperands() == 0 ||
      op->getNumResults() != 1)
    return std::nullopt;
  auto in = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto out = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!in || !out || !in.hasStaticShape() || !out.hasStaticShape() ||
      !in.getRank() || !out.getRank())
    return std::nullopt;
  ProductSizes shape;
  shape.k = in.getShape().back();
  shape.n = out.getShape().back();
  shape.m = in.getNumElements() / std::max<int64_t>(shape.k, 1);
  return shape;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

ProgramPattern::ProgramPattern(const Program &program) : theProgram(program) {
  addItems(program.items(), std::nullopt);
  // If one layer is written out, all other layers of the model are like it.
  std::set<int64_t> layers;
  for (const PatternOp &op : patternOps)
    layers.insert(op.layers.begin(), op.layers.end());
  oneLayer = layers.size() == 1 && patternLoops.empty();
}

/// Returns the range that the loop counts through, if that may be layers.
static std::optional<IndexRange> findRange(const ProgramItem &item) {
  constexpr int64_t mostLayers = 4096;
  LoopLikeOpInterface loop = item.loop;
  auto constantOf = [](std::optional<OpFoldResult> bound) {
    return bound ? getConstantIntValue(*bound) : std::nullopt;
  };
  std::optional<int64_t> first = constantOf(loop.getSingleLowerBound());
  std::optional<int64_t> step = constantOf(loop.getSingleStep());
  if (!first || !step || item.trips > mostLayers)
    return std::nullopt;
  return IndexRange{*first, *step, item.trips};
}

void ProgramPattern::addItems(ArrayRef<ProgramItem> items,
                              std::optional<IndexRange> loop) {
  for (const ProgramItem &item : items) {
    if (!item.isLoop()) {
      addStretch(item.ops, loop);
      continue;
    }
    unsigned firstStep = patternSteps.size();
    addItems(item.body, findRange(item));
    unsigned endStep = patternSteps.size();
    if (endStep > firstStep)
      patternLoops.push_back({firstStep, endStep, item.trips});
  }
}

/// Adds ops. Layers with the same ops one behind the other become a loop.
void ProgramPattern::addStretch(ArrayRef<unsigned> ops,
                                std::optional<IndexRange> loop) {
  auto layerOfOp = [&](unsigned op) {
    return layerOf(theProgram.ops()[op].name);
  };
  auto takeSegment = [&](ArrayRef<unsigned> rest) {
    std::string layer = layerOfOp(rest.front());
    return rest.take_while([&](unsigned op) { return layerOfOp(op) == layer; });
  };
  auto isAlike = [&](ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip(a, b), [&](auto pair) {
             return takeLayer(theProgram.ops()[std::get<0>(pair)].name).name ==
                    takeLayer(theProgram.ops()[std::get<1>(pair)].name).name;
           });
  };
  while (!ops.empty()) {
    ArrayRef<unsigned> layer = takeSegment(ops);
    unsigned firstOp = patternOps.size(), firstStep = patternSteps.size();
    addOps(layer, loop);
    int64_t trips = 1;
    ops = ops.drop_front(layer.size());
    bool isNumbered = !layerOfOp(layer.front()).empty();
    while (isNumbered && !ops.empty() && isAlike(layer, takeSegment(ops))) {
      for (auto [i, op] : llvm::enumerate(ops.take_front(layer.size()))) {
        PatternOp &known = patternOps[firstOp + i];
        known.ops.push_back(op);
        known.layers.push_back(takeLayer(theProgram.ops()[op].name).layer);
      }
      ops = ops.drop_front(layer.size());
      ++trips;
    }
    if (trips > 1)
      patternLoops.push_back({firstStep, unsigned(patternSteps.size()), trips});
  }
}

/// Lists the numbers of the layers that an op with this name is in.
static std::vector<int64_t> layersOf(StringRef name,
                                     std::optional<IndexRange> loop) {
  std::vector<IndexRange> ranges = findIndexRanges({name.data(), name.size()});
  if (!ranges.empty())
    loop = ranges.front();
  std::vector<int64_t> layers;
  bool isLooped = !ranges.empty() || name.contains("{}");
  if (isLooped && loop)
    for (int64_t i = 0; i < loop->count; ++i)
      layers.push_back(loop->first + i * loop->step);
  else if (int64_t layer = takeLayer(name).layer; layer >= 0)
    layers.push_back(layer);
  return layers;
}

void ProgramPattern::addOps(ArrayRef<unsigned> ops,
                            std::optional<IndexRange> loop) {
  unsigned first = patternOps.size();
  for (unsigned op : ops) {
    const ProgramOp &own = theProgram.ops()[op];
    PatternOp added;
    added.name = takeLayer(own.name).name;
    collectKinds(own.op, added.kinds);
    added.ops = {op};
    added.layers = layersOf(own.name, loop);
    added.extents = OpExtents(own.op);
    added.product = findProduct(own.op);
    added.input = own.op->getNumOperands() ? own.op->getOperand(0) : Value();
    patternOps.push_back(std::move(added));
  }
  addSteps(first);
}

void ProgramPattern::addSteps(unsigned firstOp) {
  for (unsigned op = firstOp; op < patternOps.size(); ++op) {
    bool isOneMore = op > firstOp && patternOps[op].hasKind("rope") &&
                     patternOps[op - 1].hasKind("rope");
    if (!isOneMore)
      patternSteps.push_back({op, op});
    patternSteps.back().endOp = op + 1;
    patternOps[op].step = patternSteps.size() - 1;
  }
}

bool ProgramPattern::isIn(unsigned patternOp, int64_t layer) const {
  ArrayRef<int64_t> layers = patternOps[patternOp].layers;
  return layer < 0 || oneLayer || layers.empty() ||
         llvm::is_contained(layers, layer);
}

unsigned ProgramPattern::findOp(unsigned patternOp, int64_t layer,
                                int64_t iteration) const {
  const PatternOp &op = patternOps[patternOp];
  if (op.ops.size() == 1)
    return op.ops.front();
  auto known = llvm::find(op.layers, layer);
  size_t index = known == op.layers.end() ? iteration % op.ops.size()
                                          : known - op.layers.begin();
  return op.ops[index];
}
