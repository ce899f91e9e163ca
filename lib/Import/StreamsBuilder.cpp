//===- StreamsBuilder.cpp - Residuals of several streams ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hyper-connections (mHC, arXiv 2512.24880): [rows, streams, hidden] go from
// layer to layer.
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

namespace mlir::llm {

namespace {
/// What reads and writes streams at one place of the model, whose names begin
/// with `name`.
class StreamsBuilder {
public:
  using Weight = llvm::function_ref<Value(StringRef, ArrayRef<int64_t>)>;

  /// `weight` gives the one whose name ends so.
  StreamsBuilder(OpsBuilder &ops, std::string name, Value streams)
      : ops(ops), config(ops.model.streams), name(std::move(name)),
        streams(streams), rows(ops.countRows(streams)) {}

  /// Finds the weights of both directions, or of reading alone.
  void findWeights(Weight weight, bool readsOnly);
  /// One vector of each token, [rows, hidden].
  Value read();
  /// The streams after a block has given `out`.
  Value write(Value out);

private:
  Value mix(StringRef part, Value weights, Value vectors) {
    return ops.create<MixStreamsOp>(name + part, weights, vectors);
  }
  /// Some columns of the weights, as a matrix for each row.
  Value matrices(int64_t first, int64_t height, int64_t width) {
    return ops.expand(ops.slice(weights, 1, first, height * width),
                      {rows, ops.number(height), ops.number(width)},
                      {{0}, {1, 2}});
  }

  OpsBuilder &ops;
  const StreamsConfig &config;
  std::string name;
  Value streams;
  OpFoldResult rows;
  Value weights;
};
} // namespace

void StreamsBuilder::findWeights(Weight weight, bool readsOnly) {
  Builder &b = ops.builder;
  int64_t count = config.count, width = count * ops.model.hidden;
  int64_t numbers = readsOnly ? count : (2 + count) * count;
  Value normed = ops.norm(name + "_norm", ops.collapse(streams, {{0}, {1, 2}}),
                          /*weight=*/Value());
  Type wide = b.getF32Type();
  Value mixed = ops.create<MatmulOp>(
      name + "_fn", normed, weight("_fn", {numbers, width}), /*bias=*/Value(),
      /*transposeRhs=*/true,
      tensorType(normed).getElementType() == wide ? TypeAttr()
                                                  : TypeAttr::get(wide));
  weights = ops.create<StreamWeightsOp>(
      name + "_weights", mixed, weight("_scale", {readsOnly ? 1 : 3}),
      weight("_base", {numbers}), count,
      readsOnly ? IntegerAttr() : b.getI64IntegerAttr(config.iterations),
      llvm::APFloat(config.epsilon));
}

Value StreamsBuilder::read() {
  return ops.collapse(mix("_read", matrices(0, 1, config.count), streams),
                      {{0, 1}, {2}});
}

Value StreamsBuilder::write(Value out) {
  Value last = ops.expand(
      out, {rows, ops.number(1), ops.number(ops.model.hidden)}, {{0, 1}, {2}});
  return mix("_write", matrices(config.count, config.count, config.count + 1),
             ops.concat(1, {streams, last}));
}

Value copyToStreams(OpsBuilder &ops, Value hidden) {
  Value one = ops.expand(
      hidden,
      {ops.countRows(hidden), ops.number(1), ops.number(ops.model.hidden)},
      {{0, 1}, {2}});
  return ops.concat(1, SmallVector<Value>(ops.model.streams.count, one));
}

Value joinStreams(OpsBuilder &ops, Value streams) {
  StreamsBuilder site(ops, "model.hc_head", streams);
  site.findWeights(
      [&](StringRef suffix, ArrayRef<int64_t> shape) {
        return ops.weight("model.hc_head" + suffix, {}, shape,
                          ops.builder.getF32Type());
      },
      /*readsOnly=*/true);
  return site.read();
}

Value buildAmongStreams(LayerOps &layer, StringRef part, StringRef norm,
                        Value streams, llvm::function_ref<Value(Value)> build) {
  StreamsBuilder site(layer.ops, layer.nameOf(part), streams);
  site.findWeights(
      [&](StringRef suffix, ArrayRef<int64_t> shape) {
        return layer.wideWeight(part + suffix, shape);
      },
      /*readsOnly=*/false);
  return site.write(build(layer.norm(norm, site.read())));
}

} // namespace mlir::llm
