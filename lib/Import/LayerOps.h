//===- LayerOps.h - What the parts of a layer are built with ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LAYEROPS_H
#define LLM_LIB_IMPORT_LAYEROPS_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Import/ImportOptions.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace mlir::llm {

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Says which layer is built, and how its names and weights are numbered: by a
/// number, or by a place for one and the index of the loop.
struct LayerIndex {
  std::string place; ///< "7", "{}" or "{3..60}" in the names of ops
  Value index;       ///< null for a single layer
  std::string stem = "model.layers."; ///< before the place, in all names
};

/// Builds ops of a model at the insertion point of a builder.
class OpsBuilder {
public:
  OpsBuilder(OpBuilder &builder, const ModelConfig &model, ProgramAttr program)
      : builder(builder), loc(model.location), model(model), program(program) {}

  Value weight(const Twine &name, ValueRange indices, ArrayRef<int64_t> shape,
               Type elementType);
  /// A weight outside of the layers.
  Value modelWeight(const std::string &name, ArrayRef<int64_t> shape);
  /// x [m, k] times a matrix [n, k]; `bias` may be null.
  Value matmul(const Twine &name, Value x, Value matrix, Value bias);
  /// A norm along the last dimension; `weight` may be null. Without `epsilon`
  /// it is the model's.
  Value norm(const Twine &name, Value x, Value weight,
             std::optional<double> epsilon = std::nullopt);
  /// Returns x times a factor, which is x if the factor is 1.
  Value scaled(const Twine &name, Value x, double factor);
  /// Returns the type behind `to` of an op that reads `x`; null if it follows
  /// from x.
  TypeAttr outTypeFor(Value x) const;

  /// Returns rows [begin, begin + size) along a dimension.
  Value slice(Value x, int64_t dim, int64_t begin, int64_t size,
              int64_t stride = 1);
  Value expand(Value x, ArrayRef<OpFoldResult> shape,
               ArrayRef<ReassociationIndices> groups);
  Value collapse(Value x, ArrayRef<ReassociationIndices> groups);
  /// Returns the values behind one another. A single value stays as it is.
  Value concat(int64_t dim, ArrayRef<Value> values);

  OpFoldResult countRows(Value x);
  OpFoldResult number(int64_t value) { return builder.getIndexAttr(value); }
  /// Returns a size of the program or, if it is open, the value with this name.
  OpFoldResult size(int64_t value, StringRef name);
  /// These return a - b, the larger of a and b, and a rounded down to a
  /// multiple of `factor`.
  OpFoldResult subtract(OpFoldResult a, OpFoldResult b);
  OpFoldResult larger(OpFoldResult a, OpFoldResult b);
  OpFoldResult roundDown(OpFoldResult a, int64_t factor);

  template <typename Op, typename... Args>
  Op create(const Twine &name, Args &&...args) {
    return Op::create(builder, loc, builder.getStringAttr(name),
                      std::forward<Args>(args)...);
  }

  OpBuilder &builder;
  Location loc;
  const ModelConfig &model;
  ProgramAttr program;
  Value tokens; ///< of a whole model
  /// By name; the position of the first new token is kv_len - seq.
  llvm::StringMap<Value> openSizes;
  /// Attention residuals read the hidden states at which blocks of layers
  /// began.
  SmallVector<Value> blockStarts;
  /// By the suffix of a group of sequences: the keys that the last indexer
  /// selected, for layers that have no indexer.
  std::map<std::string, Value> selections;
  /// Inputs of layers beside the hidden states, [tokens, layers, features].
  Value layerInputs;
  /// By the number of a layer, from 1 on, and the suffix of a group: the keys
  /// and values that it has read, where later layers read them, too.
  std::map<std::pair<int64_t, std::string>, std::pair<Value, Value>> readCaches;
  static constexpr llvm::StringLiteral firstPositionName = "first_position";
};

/// Does the same for a layer. Its parts are named in the checkpoint's words,
/// such as "self_attn.q_proj", and stored in the formats of the model.
class LayerOps {
public:
  LayerOps(OpsBuilder &ops, const LayerConfig &layer,
           const ImportOptions &options, const LayerIndex &index)
      : ops(ops), config(layer), options(options), index(index) {}

  /// Parts of attention are called "self_attn" here, whatever the checkpoint
  /// says.
  std::string nameOf(const Twine &part) const {
    return index.stem + index.place + "." + spell(part);
  }
  /// The weights of all layers of a loop have one name.
  std::string weightName(const Twine &part) const {
    return index.index ? index.stem + "{}." + spell(part) : nameOf(part);
  }
  /// The number of a layer that stands on its own, from 1 on; 0 in a loop.
  int64_t number() const {
    int64_t place = 0;
    return index.index || StringRef(index.place).getAsInteger(10, place)
               ? 0
               : place + 1;
  }
  ValueRange indices() const {
    return index.index ? ValueRange(index.index) : ValueRange();
  }

  template <typename Op, typename... Args>
  Op create(const Twine &part, Args &&...args) {
    return ops.create<Op>(nameOf(part), std::forward<Args>(args)...);
  }
  /// A weight of 32-bit floats, whatever the others are.
  Value wideWeight(const Twine &name, ArrayRef<int64_t> shape) {
    return ops.weight(weightName(name), indices(), shape,
                      ops.builder.getF32Type());
  }
  /// A weight that is quantized only where its name says so.
  Value weight(const Twine &name, ArrayRef<int64_t> shape);
  /// The weight of a linear layer, or of experts.
  Value linearWeight(const Twine &name, ArrayRef<int64_t> shape);
  Value norm(const Twine &part, Value x,
             std::optional<double> epsilon = std::nullopt);
  Value scaled(const Twine &part, Value x, double factor) {
    return ops.scaled(nameOf(part), x, factor);
  }
  /// Builds a linear layer that is never quantized, such as that of a router.
  Value plainLinear(const Twine &part, Value x, int64_t out, bool hasBias);
  Value linear(const Twine &part, Value x, int64_t out, bool hasBias);
  /// Multiplies x by the sigmoid of `gates`, which may broadcast. These are two
  /// ops.
  Value gated(const Twine &sigmoid, const Twine &product, Value x, Value gates);
  /// Is the weight of a linear layer in the format of the model?
  bool isQuantized(const std::string &weightName) const;
  /// The type of the weight of a linear layer, or of experts.
  Type linearType(const std::string &name) const;
  /// Converts x to the type of the activations that a linear layer with this
  /// weight reads. It is converted once for all layers that read it.
  Value quantize(const std::string &weightName, Value x);

  OpsBuilder &ops;
  const LayerConfig &config;
  const ImportOptions &options;
  const LayerIndex &index;

private:
  /// A part in the checkpoint's words.
  std::string spell(const Twine &part) const;
  Type weightType(const std::string &name, Type otherwise) const;
  Value knownScale(StringRef part, Type type);
  llvm::DenseMap<Value, Value> quantized;
};

/// The output of attention, and of the feed-forward network or the experts, for
/// the normed hidden states x [tokens, hidden] of all new tokens. `hidden` is
/// before the norm.
Value buildAttention(LayerOps &layer, Value x);
Value buildRecurrent(LayerOps &layer, Value x);
Value buildFeedForward(LayerOps &layer, Value x, Value hidden);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LAYEROPS_H
