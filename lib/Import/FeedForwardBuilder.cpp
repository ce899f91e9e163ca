//===- FeedForwardBuilder.cpp - Feed-forward networks and experts ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerOps.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Dense
//===----------------------------------------------------------------------===//

/// A gated network of the tokens, in the words of `path`.
static Value buildGated(LayerOps &ops, StringRef path, Value x, int64_t width,
                        bool isFused) {
  const FeedForwardConfig &config = ops.layer.feedForward;
  auto part = [&](StringRef name) { return (path + "." + name).str(); };
  Value gate, up;
  if (isFused) {
    Value both = ops.linear(part("gate_up_proj"), x, 2 * width, config.hasBias);
    gate = ops.ops.slice(both, 1, 0, width);
    up = ops.ops.slice(both, 1, width, width);
  } else {
    gate = ops.linear(part("gate_proj"), x, width, config.hasBias);
    up = ops.linear(part("up_proj"), x, width, config.hasBias);
  }
  Value gated =
      config.isGeGlu
          ? Value(ops.create<GeGluOp>(part("geglu"), gate, up))
          : Value(ops.create<SwiGluOp>(part("swiglu"), gate, up, FloatAttr()));
  return ops.linear(part("down_proj"), gated, ops.ops.model.hidden,
                    config.hasBias);
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

namespace {
/// Each token goes to its experts and comes back as their weighted sum.
class ExpertsBuilder {
public:
  explicit ExpertsBuilder(LayerOps &ops)
      : ops(ops), config(ops.layer.feedForward), experts(config.experts),
        isOpen(!ops.ops.program.getGroups().front().hasKnownTokens()) {
    if (!isOpen)
      rowsPerExpert =
          countExpertRows(ops.options.routing, experts.count, experts.topK,
                          ops.ops.program.countTokens());
  }

  Value build(Value x);

private:
  std::string part(const Twine &name) const {
    return (config.path + "." + name).str();
  }
  /// Parameters of all experts together are no linear layers, and named so.
  std::string weightOf(const Twine &name) const {
    return part("experts." + name) + (experts.isFused ? "" : ".weight");
  }
  MoeRouteOp route(Value x);
  /// The rows of all experts.
  Value dispatch(Value x, MoeRouteOp routes);
  /// A matmul with the weight of the expert of each row.
  Value expertLinear(StringRef name, Value rows, int64_t out);
  Value gate(Value rows);

  LayerOps &ops;
  const FeedForwardConfig &config;
  const ExpertsConfig &experts;
  bool isOpen; ///< how many rows there are
  std::vector<int64_t> rowsPerExpert;
};
} // namespace

MoeRouteOp ExpertsBuilder::route(Value x) {
  Builder &b = ops.ops.builder;
  Value logits = ops.plainLinear(part(experts.router), x, experts.count,
                                 experts.hasRouterBias);
  Value bias =
      experts.hasSelectionBias
          ? ops.weight(part(experts.router + ".e_score_correction_bias"),
                       {experts.count})
          : Value();
  bool hasGroups = experts.groups > 1;
  return ops.create<MoeRouteOp>(
      part("route"), experts.scoring, logits, bias, experts.topK,
      hasGroups ? b.getI64IntegerAttr(experts.groups) : IntegerAttr(),
      hasGroups ? b.getI64IntegerAttr(experts.topGroups) : IntegerAttr(),
      experts.normalizes,
      experts.scale != 1 ? b.getF64FloatAttr(experts.scale) : FloatAttr());
}

Value ExpertsBuilder::dispatch(Value x, MoeRouteOp routes) {
  std::string first = weightOf(experts.isFused ? "gate_up_proj" : "gate_proj");
  // Shares cannot multiply what is quantized already.
  if (experts.scalesInput)
    return ops.quantize(first, ops.create<MoeDispatchOp>(part("dispatch"), x,
                                                         routes.getExperts(),
                                                         routes.getShares()));
  return ops.create<MoeDispatchOp>(part("dispatch"), ops.quantize(first, x),
                                   routes.getExperts(), /*shares=*/Value());
}

Value ExpertsBuilder::expertLinear(StringRef name, Value rows, int64_t out) {
  std::string linear = part("experts." + name);
  int64_t in = tensorType(rows).getDimSize(1);
  SmallVector<int64_t, 3> shape = {experts.count, out, in};
  // Formats have blocks along what is reduced, the last dimension.
  bool isTransposed = experts.isTransposed && !ops.isQuantized(weightOf(name));
  if (isTransposed)
    std::swap(shape[1], shape[2]);
  Value weights = ops.linearWeight(weightOf(name), shape);
  StringRef biasSuffix = experts.isFused ? "_bias" : ".bias";
  Value bias = experts.hasBias
                   ? ops.weight(linear + biasSuffix, {experts.count, out})
                   : Value();
  return ops.create<GroupedMatmulOp>(
      linear, rows, weights, bias,
      /*transposeRhs=*/!isTransposed, rowsPerExpert,
      isOpen
          ? RoutingAttr::get(ops.ops.builder.getContext(), ops.options.routing)
          : RoutingAttr(),
      experts.topK, ops.ops.outTypeFor(rows));
}

Value ExpertsBuilder::gate(Value rows) {
  int64_t width = config.intermediate;
  Value gate, up;
  if (experts.isFused) {
    Value both = expertLinear("gate_up_proj", rows, 2 * width);
    int64_t stride = experts.isInterleaved ? 2 : 1;
    gate = ops.ops.slice(both, 1, 0, width, stride);
    up = ops.ops.slice(both, 1, experts.isInterleaved ? 1 : width, width,
                       stride);
  } else {
    gate = expertLinear("gate_proj", rows, width);
    up = expertLinear("up_proj", rows, width);
  }
  FloatAttr limit = experts.limit
                        ? ops.ops.builder.getF64FloatAttr(experts.limit)
                        : FloatAttr();
  return ops.create<SwiGluOp>(part("experts.swiglu"), gate, up, limit);
}

Value ExpertsBuilder::build(Value x) {
  MoeRouteOp routes = route(x);
  Value gated = gate(dispatch(x, routes));
  Value down =
      expertLinear("down_proj", ops.quantize(weightOf("down_proj"), gated),
                   ops.ops.model.hidden);
  Value sum = ops.create<MoeCombineOp>(
      part("combine"), down, routes.getExperts(),
      experts.scalesInput ? Value() : Value(routes.getShares()));
  if (!experts.sharedWidth)
    return sum;
  Value shared = buildGated(ops, part(experts.sharedPath), x,
                            experts.sharedWidth, /*isFused=*/false);
  return ops.create<AddOp>(part("shared_add"), sum, shared);
}

Value buildFeedForward(LayerOps &ops, Value x) {
  const FeedForwardConfig &config = ops.layer.feedForward;
  if (config.experts.count)
    return ExpertsBuilder(ops).build(x);
  return buildGated(ops, config.path, x, config.intermediate, config.isFused);
}

} // namespace mlir::llm
