//===- LayerBuilder.h - The ops of one decoder layer ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LAYERBUILDER_H
#define LLM_LIB_IMPORT_LAYERBUILDER_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Import/ImportOptions.h"
#include "mlir/IR/Builders.h"

namespace mlir::llm {

/// Which layer, and what its names and weights are called by: a number, or a
/// place for one and the index of the loop.
struct LayerIndex {
  std::string place; ///< "7", "{}" or "{3..60}" in the names of ops
  Value index;       ///< null for a single layer
};

/// Builds ops of a model at the insertion point of a builder.
class OpsBuilder {
public:
  OpsBuilder(OpBuilder &builder, const ModelConfig &model, ProgramAttr program)
      : builder(builder), loc(model.location), model(model), program(program) {}

  /// A linear layer: `out` features from the last dimension of x.
  Value linear(const Twine &name, const Twine &weightName, ValueRange indices,
               Value x, int64_t out, bool hasBias);
  /// A norm along the last dimension.
  Value norm(const Twine &name, const Twine &weightName, ValueRange indices,
             Value x);
  Value weight(const Twine &name, ValueRange indices, ArrayRef<int64_t> shape);

  template <typename Op, typename... Args>
  Op create(const Twine &name, Args &&...args) {
    return Op::create(builder, loc, builder.getStringAttr(name),
                      std::forward<Args>(args)...);
  }

  OpBuilder &builder;
  Location loc;
  const ModelConfig &model;
  ProgramAttr program;
};

/// The hidden states [batch * seq, hidden] after a layer.
Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LAYERBUILDER_H
