//===- FeedForwardBuilder.cpp - Feed-forward networks and experts ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerOps.h"

#include <cmath>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Dense
//===----------------------------------------------------------------------===//

static bool isGated(const FeedForwardConfig &config) {
  return config.unit != FeedForwardUnit::Relu2;
}

/// Returns the product of the activated gate and the up projection. Without a
/// gate, returns the activated up projection.
static Value buildUnit(LayerOps &layer, const std::string &path, Value gate,
                       Value up) {
  const FeedForwardConfig &config = layer.config.feedForward;
  if (gate)
    gate = layer.scaled(path + ".gate_scale", gate, layer.config.factors.gate);
  if (!isGated(config))
    return layer.create<ActivationOp>(path + ".act_fn", ActivationKind::Relu2,
                                      up, /*bias=*/Value());
  if (config.unit == FeedForwardUnit::GeGlu)
    return layer.create<GeGluOp>(path + ".geglu", gate, up);
  auto bound = [&](double figure) {
    return figure ? layer.ops.builder.getF64FloatAttr(figure) : FloatAttr();
  };
  return layer.create<SwiGluOp>(path + ".swiglu", gate, up, bound(config.limit),
                                bound(config.clamp), bound(config.gateCap),
                                bound(config.upCap));
}

/// Builds a dense network with the names that begin with `path`.
static Value buildDense(LayerOps &layer, const std::string &path, Value x,
                        int64_t width, bool isFused) {
  const FeedForwardConfig &config = layer.config.feedForward;
  auto part = [&](const char *name) { return path + "." + name; };
  Value gate, up;
  if (isFused) {
    Value both =
        layer.linear(part("gate_up_proj"), x, 2 * width, config.hasBias);
    gate = layer.ops.slice(both, 1, 0, width);
    up = layer.ops.slice(both, 1, width, width);
  } else {
    if (isGated(config))
      gate = layer.linear(part("gate_proj"), x, width, config.hasBias);
    up = layer.linear(part("up_proj"), x, width, config.hasBias);
  }
  Value gated = buildUnit(layer, path, gate, up);
  Value out = layer.linear(part("down_proj"), gated, layer.ops.model.hidden,
                           config.hasBias);
  return layer.scaled(part("down_scale"), out, layer.config.factors.down);
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

static Routing routingOf(const LayerOps &layer) {
  return layer.options.routing.value_or(Routing::Uniform);
}

namespace {
/// Each token goes to its experts and comes back as their weighted sum.
class ExpertsBuilder {
public:
  explicit ExpertsBuilder(LayerOps &layer)
      : layer(layer), config(layer.config.feedForward), experts(config.experts),
        isOpen(!layer.ops.program.getGroups().front().hasKnownTokens()) {
    if (!isOpen)
      rowsPerExpert =
          countExpertRows(routingOf(layer), experts.count, experts.topK,
                          layer.ops.program.countTokens());
  }

  Value build(Value x, Value hidden);

private:
  std::string part(const Twine &name) const {
    return config.nameOf(name.str());
  }
  bool hasOwnNorms() const { return !experts.routerNorm.empty(); }
  /// Returns what the router reads if experts have norms of their own.
  Value normForRouter(Value hidden);
  /// Returns, for each row of x, the weighted sum of the experts in `routes`.
  Value buildRouted(Value x, MoeRouteOp routes);
  /// Returns the output of the expert that all tokens go to.
  Value buildShared(Value x);
  /// Parameters of all experts together are no linear layers, and named so.
  std::string weightOf(const Twine &name) const {
    return part("experts." + name) + (experts.isFused ? "" : ".weight");
  }
  /// The experts of each token, where a table has them.
  Value lookUpExperts();
  MoeRouteOp route(Value x);
  /// Returns the rows of all experts.
  Value dispatch(Value x, MoeRouteOp routes);
  /// Multiplies each row by the weight of its expert.
  Value expertLinear(StringRef name, Value rows, MoeRouteOp routes,
                     int64_t out);
  Value gate(Value rows, MoeRouteOp routes);

  LayerOps &layer;
  const FeedForwardConfig &config;
  const ExpertsConfig &experts;
  bool isOpen; ///< how many rows there are
  std::vector<int64_t> rowsPerExpert;
};
} // namespace

Value ExpertsBuilder::normForRouter(Value hidden) {
  auto size = static_cast<double>(layer.ops.model.hidden);
  Value weight =
      layer.weight(part(experts.routerNorm), {layer.ops.model.hidden});
  Value normed =
      layer.ops.norm(layer.nameOf(part("router.norm")), hidden, weight);
  return layer.create<ScaleOp>(part("router.norm_scale"), normed,
                               llvm::APFloat(1 / std::sqrt(size)));
}

Value ExpertsBuilder::lookUpExperts() {
  OpsBuilder &b = layer.ops;
  std::string table = part(experts.table);
  Value rows =
      b.weight(layer.weightName(table), layer.indices(),
               {b.model.vocabulary, experts.topK}, b.builder.getI32Type());
  return layer.create<EmbeddingOp>(part("chosen"), b.tokens, rows, TypeAttr());
}

MoeRouteOp ExpertsBuilder::route(Value x) {
  Builder &b = layer.ops.builder;
  auto forEachExpert = [&](const std::string &name) {
    return name.empty() ? Value() : layer.weight(part(name), {experts.count});
  };
  Value logits = layer.plainLinear(part(experts.router), x, experts.count,
                                   experts.hasRouterBias);
  Value bias = forEachExpert(experts.selectionBias),
        scales = forEachExpert(experts.expertScales);
  Value chosen = experts.table.empty() ? Value() : lookUpExperts();
  bool hasGroups = experts.groups > 1;
  return layer.create<MoeRouteOp>(
      part("route"), experts.scoring, logits, bias, scales, chosen,
      experts.topK,
      hasGroups ? b.getI64IntegerAttr(experts.groups) : IntegerAttr(),
      hasGroups ? b.getI64IntegerAttr(experts.topGroups) : IntegerAttr(),
      experts.normalizes,
      experts.scale != 1 ? b.getF64FloatAttr(experts.scale) : FloatAttr());
}

Value ExpertsBuilder::dispatch(Value x, MoeRouteOp routes) {
  std::string first = weightOf(experts.isFused   ? "gate_up_proj"
                               : isGated(config) ? "gate_proj"
                                                 : "up_proj");
  // Shares cannot multiply values that are quantized already.
  if (experts.scalesInput)
    return layer.quantize(first,
                          layer.create<MoeDispatchOp>(
                              part("dispatch"), x, routes.getExperts(),
                              routes.getShares(), ArrayAttr(), IntegerAttr()));
  return layer.create<MoeDispatchOp>(part("dispatch"), layer.quantize(first, x),
                                     routes.getExperts(), /*shares=*/Value(),
                                     /*own=*/ArrayAttr(), IntegerAttr());
}

Value ExpertsBuilder::expertLinear(StringRef name, Value rows,
                                   MoeRouteOp routes, int64_t out) {
  std::string linear = part("experts." + name);
  int64_t in = tensorType(rows).getDimSize(1);
  SmallVector<int64_t, 3> shape = {experts.count, out, in};
  // The blocks of a format lie along the dimension that is reduced, which must
  // be the last one then.
  bool isTransposed =
      experts.isTransposed && isa<FloatType>(layer.linearType(weightOf(name)));
  if (isTransposed)
    std::swap(shape[1], shape[2]);
  Value weights = layer.linearWeight(weightOf(name), shape);
  StringRef biasSuffix = experts.isFused ? "_bias" : ".bias";
  Value bias = experts.hasBias
                   ? layer.weight(linear + biasSuffix, {experts.count, out})
                   : Value();
  return layer.create<GroupedMatmulOp>(
      linear, rows, weights, bias, routes.getExperts(),
      /*transposeRhs=*/!isTransposed, rowsPerExpert,
      isOpen
          ? RoutingAttr::get(layer.ops.builder.getContext(), routingOf(layer))
          : RoutingAttr(),
      experts.topK, layer.ops.outTypeFor(rows), /*own=*/ArrayAttr());
}

Value ExpertsBuilder::gate(Value rows, MoeRouteOp routes) {
  int64_t width = config.intermediate;
  Value gate, up;
  if (experts.isFused) {
    Value both = expertLinear("gate_up_proj", rows, routes, 2 * width);
    int64_t stride = experts.isInterleaved ? 2 : 1;
    gate = layer.ops.slice(both, 1, 0, width, stride);
    up = layer.ops.slice(both, 1, experts.isInterleaved ? 1 : width, width,
                         stride);
  } else {
    if (isGated(config))
      gate = expertLinear("gate_proj", rows, routes, width);
    up = expertLinear("up_proj", rows, routes, width);
  }
  return buildUnit(layer, part("experts"), gate, up);
}

Value ExpertsBuilder::buildRouted(Value x, MoeRouteOp routes) {
  int64_t hidden = layer.ops.model.hidden, latent = experts.latentWidth;
  if (latent)
    x = layer.linear(part(experts.latentDown), x, latent, /*hasBias=*/false);
  Value gated = gate(dispatch(x, routes), routes);
  Value down =
      expertLinear("down_proj", layer.quantize(weightOf("down_proj"), gated),
                   routes, latent ? latent : hidden);
  Value sum = layer.create<MoeCombineOp>(
      part("combine"), down, routes.getExperts(),
      experts.scalesInput ? Value() : Value(routes.getShares()),
      /*own=*/ArrayAttr());
  if (!experts.latentNorm.empty())
    sum = layer.norm(part(experts.latentNorm), sum);
  return latent ? layer.linear(part(experts.latentUp), sum, hidden,
                               /*hasBias=*/false)
                : sum;
}

Value ExpertsBuilder::buildShared(Value x) {
  Value shared = buildDense(layer, part(experts.sharedPath), x,
                            experts.sharedWidth, experts.sharedIsFused);
  if (experts.sharedGate.empty())
    return shared;
  std::string name = part(experts.sharedGate);
  return layer.gated(name + ".sigmoid", part(experts.sharedPath + ".gated"),
                     shared, layer.plainLinear(name, x, 1, /*hasBias=*/false));
}

Value ExpertsBuilder::build(Value x, Value hidden) {
  MoeRouteOp routes = route(hasOwnNorms() ? normForRouter(hidden) : x);
  Value sum;
  if (hasOwnNorms())
    sum = layer.norm(
        "post_feedforward_layernorm_2",
        buildRouted(layer.norm("pre_feedforward_layernorm_2", hidden), routes));
  else
    sum = buildRouted(x, routes);
  if (!experts.sharedWidth)
    return sum;
  Value shared = buildShared(x);
  if (hasOwnNorms())
    shared = layer.norm("post_feedforward_layernorm_1", shared);
  return layer.create<AddOp>(part("shared_add"), sum, shared);
}

Value buildFeedForward(LayerOps &layer, Value x, Value hidden) {
  const FeedForwardConfig &config = layer.config.feedForward;
  if (config.experts.count)
    return ExpertsBuilder(layer).build(x, hidden);
  return buildDense(layer, config.path, x, config.intermediate, config.isFused);
}

} // namespace mlir::llm
