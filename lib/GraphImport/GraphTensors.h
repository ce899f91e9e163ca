//===- GraphTensors.h - Tensors of ggml as values ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of ggml has up to four dimensions, the innermost first. Its value
// here has the same elements in some order of the dimensions, and any shape. If
// ggml only permutes a tensor, it is not moved until an op needs it in another
// order.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_GRAPHIMPORT_GRAPHTENSORS_H
#define LLM_LIB_GRAPHIMPORT_GRAPHTENSORS_H

#include "GgmlPatterns.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace mlir::llm {

/// Dimensions of ggml from the outermost one.
using DimOrder = std::array<unsigned, ggmlCapture::dims>;
inline constexpr DimOrder naturalOrder = {3, 2, 1, 0};

/// The dimension that each dimension of the source becomes by a PERMUTE or a
/// TRANSPOSE.
std::array<unsigned, 4> destinationsOf(const CapturedTensor &view);

struct HeldValue {
  Value value;
  DimOrder order = naturalOrder;
};

class GraphTensors {
public:
  /// `floatType` replaces ggml's f32; null keeps it.
  GraphTensors(OpBuilder &builder, Location loc, const CapturedGraph &graph,
               FloatType floatType)
      : builder(builder), loc(loc), graph(graph), floatType(floatType),
        tensorNames(findTensorNames(graph)) {}

  /// The type of an element; null for one that is not known.
  Type elementType(const CapturedTensor &tensor) const;
  /// The value of a tensor. That of a view is made from the tensor that it
  /// shows.
  HeldValue get(uint32_t tensor);
  void set(uint32_t tensor, Value value, DimOrder order = naturalOrder) {
    held[tensor] = {value, order};
  }
  bool has(uint32_t tensor) const { return held.count(tensor); }

  /// The type of a tensor that is not computed. It has no outer dimensions of
  /// one element, as most are matrices and vectors.
  RankedTensorType typeOfSource(uint32_t tensor) const;
  /// Makes the tensor an argument of the function.
  void addArgument(uint32_t tensor);

  /// The elements of a tensor in this order of the dimensions. They are moved
  /// if they are in another one.
  Value inOrder(uint32_t tensor, DimOrder order = naturalOrder);
  /// The elements in ggml's order, with this shape.
  Value as(uint32_t tensor, ArrayRef<int64_t> shape) {
    return reshape(inOrder(tensor), shape);
  }
  /// [n1 n2 n3, n0]
  Value rows(uint32_t tensor);
  Value flat(uint32_t tensor) {
    return as(tensor, {countElements(graph.tensors[tensor])});
  }
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// Takes a rectangle of a matrix.
  Value slice(Value rows, int64_t row, int64_t column, int64_t height,
              int64_t width);
  SmallVector<int64_t> sizesIn(const CapturedTensor &tensor,
                               DimOrder order = naturalOrder) const;

  /// Returns a unique name for an op that takes time. If it stands for several
  /// nodes, it has all their names: "kq-0+kq_soft_max-0+kqv-0".
  StringAttr nameOf(ArrayRef<uint32_t> nodes);

  OpBuilder &builder;
  Location loc;
  const CapturedGraph &graph;
  /// The number of views that are no rectangle of the tensor that they show.
  /// Their elements are taken from its beginning.
  unsigned oddViews = 0;

private:
  HeldValue makeView(uint32_t tensor);
  Value makeSlice(const CapturedTensor &view);

  FloatType floatType;
  std::map<uint32_t, HeldValue> held;
  std::vector<std::string> tensorNames;
  ::llvm::StringSet<> names; ///< names that are taken
};

} // namespace mlir::llm

#endif // LLM_LIB_GRAPHIMPORT_GRAPHTENSORS_H
