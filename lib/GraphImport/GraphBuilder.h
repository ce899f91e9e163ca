//===- GraphBuilder.h - Nodes of ggml as ops --------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_GRAPHIMPORT_GRAPHBUILDER_H
#define LLM_LIB_GRAPHIMPORT_GRAPHBUILDER_H

#include "GraphTensors.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/GraphImport/GgmlGraph.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::llm {

/// Builds the ops of a graph, node by node. A member that builds returns false
/// if the node is not of its kind.
class GraphBuilder {
public:
  GraphBuilder(OpBuilder &builder, Location loc, const CapturedGraph &graph,
               const CapturedProgramForm &form,
               ArrayRef<CapturedChoice> choices)
      : patterns(graph), tensors(builder, loc, graph, form.floatType),
        builder(builder), loc(loc), graph(graph), mask(form.mask),
        choices(choices) {}

  void build(uint32_t node);

  GgmlPatterns patterns;
  GraphTensors tensors;
  /// The number of nodes that became ops which only move their bytes, by ggml's
  /// op.
  std::map<std::string, unsigned> opaque;
  /// The number of nodes for each thing that they need and a capture does not
  /// have.
  unsigned ropesWithoutScaling = 0, attentionsWithMask = 0,
           productsOfUnknownExperts = 0;

private:
  // GraphBuilder.cpp
  bool buildRows(uint32_t node);
  bool buildProduct(uint32_t node, uint32_t product, Value bias);
  bool buildBatchProduct(uint32_t node);
  // GraphRope.cpp
  bool buildRope(uint32_t node);
  // GraphExperts.cpp
  bool buildExperts(uint32_t node);
  SmallVector<int64_t> rowsOfExperts(uint32_t chosen, int64_t rows,
                                     int64_t experts);
  // GraphElementwise.cpp
  bool buildNorm(uint32_t node, uint32_t norm, uint32_t weight);
  bool buildPair(uint32_t node);
  bool buildGate(uint32_t node);
  bool buildActivation(uint32_t node);
  bool buildScale(uint32_t node);
  bool buildSoftmax(uint32_t node);
  bool buildCopy(uint32_t node);
  Value broadcast(uint32_t node, Value lhs, uint32_t rhs);
  // GraphAttention.cpp
  bool buildAttention(uint32_t node);
  bool buildWrite(uint32_t node);
  bool writeElsewhere(uint32_t node);
  bool updateCache(const AttentionPattern &pattern, Value &keys, Value &values);
  // GraphOpaque.cpp
  void buildOpaque(uint32_t node);
  Value readWhole(uint32_t source);
  Value writeFrom(Type type, int64_t count, ArrayRef<Value> alike,
                  ArrayRef<Value> others);

  /// Converts a number inside of a body. Returns null if there is no
  /// conversion.
  static Value convert(OpBuilder &builder, Location loc, Value value,
                       Type type);
  Type typeOf(uint32_t tensor) const {
    return tensors.elementType(graph.tensors[tensor]);
  }
  bool isFloat(uint32_t tensor) const {
    return isa_and_present<FloatType>(typeOf(tensor));
  }
  /// Whether a source has the sizes of a node, and for isSame() also its type.
  bool isLike(uint32_t source, uint32_t node) const {
    return graph.tensors[source].sizes == graph.tensors[node].sizes;
  }
  bool isSame(uint32_t source, uint32_t node) const {
    return isLike(source, node) && typeOf(source) == typeOf(node);
  }
  /// Returns the attribute `to`, if the result is not of x's type.
  TypeAttr outType(Value x, uint32_t node) const {
    Type type = typeOf(node);
    return getElementTypeOrSelf(x) == type ? TypeAttr() : TypeAttr::get(type);
  }

  OpBuilder &builder;
  Location loc;
  const CapturedGraph &graph;
  MaskKind mask;
  ArrayRef<CapturedChoice> choices; ///< of experts, of one run
  /// The newest state of a cache, by its tensors of keys and values.
  /// `pendingWrites` has what is still to be written into these.
  std::map<std::pair<uint32_t, uint32_t>, Value> cacheStates;
  std::map<uint32_t, uint32_t> pendingWrites; ///< node by tensor
};

} // namespace mlir::llm

#endif // LLM_LIB_GRAPHIMPORT_GRAPHBUILDER_H
