//===- GraphTensors.cpp - Tensors of ggml as values -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTensors.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Support/GgmlTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::llm;

Type GraphTensors::elementType(const CapturedTensor &tensor) const {
  const GgmlType *type = findGgmlType(graph.typeOf(tensor).name);
  Type own = type ? getGgmlElementType(*type, builder.getContext()) : Type();
  return floatType && isa_and_present<Float32Type>(own) ? Type(floatType) : own;
}

SmallVector<int64_t> GraphTensors::sizesIn(const CapturedTensor &tensor,
                                           DimOrder order) const {
  return ::llvm::map_to_vector(order,
                               [&](unsigned dim) { return tensor.sizes[dim]; });
}

RankedTensorType GraphTensors::typeOfSource(uint32_t number) const {
  const CapturedTensor &tensor = graph.tensors[number];
  SmallVector<int64_t> sizes = sizesIn(tensor);
  ArrayRef<int64_t> shape(sizes);
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return RankedTensorType::get(shape, elementType(tensor));
}

void GraphTensors::addArgument(uint32_t number) {
  Location named = NameLoc::get(nameOf(number), loc);
  set(number,
      builder.getInsertionBlock()->addArgument(typeOfSource(number), named));
}

StringAttr GraphTensors::nameOf(ArrayRef<uint32_t> nodes) {
  std::string name;
  for (auto [i, node] : ::llvm::enumerate(nodes))
    if (!::llvm::is_contained(nodes.take_front(i), node))
      name += (i ? "+" : "") + tensorNames[node];
  // In our names, braces hold numbers of loops.
  std::replace(name.begin(), name.end(), '{', '(');
  std::replace(name.begin(), name.end(), '}', ')');
  std::string unique = name;
  for (unsigned copy = 2; !names.insert(unique).second; ++copy)
    unique = name + "#copy " + std::to_string(copy);
  return builder.getStringAttr(unique);
}

//===----------------------------------------------------------------------===//
// Shapes and orders
//===----------------------------------------------------------------------===//

/// Reshapes by one op, if that is possible, or returns null.
static Value reshapeAtOnce(OpBuilder &builder, Location loc, Value value,
                           RankedTensorType into) {
  auto from = cast<RankedTensorType>(value.getType());
  auto groups = getReassociationIndicesForReshape(from, into);
  if (from.getRank() == into.getRank() || !groups)
    return Value();
  if (from.getRank() > into.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, into, value, *groups);
  return tensor::ExpandShapeOp::create(builder, loc, into, value, *groups);
}

Value GraphTensors::reshape(Value value, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getShape() == shape)
    return value;
  auto into = RankedTensorType::get(shape, from.getElementType());
  // This starts from the first shape, since those between are not needed.
  while (isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
             value.getDefiningOp()) &&
         value.getType() != into)
    value = value.getDefiningOp()->getOperand(0);
  if (value.getType() == into)
    return value;
  if (Value reshaped = reshapeAtOnce(builder, loc, value, into))
    return reshaped;
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  return reshapeAtOnce(builder, loc, reshapeAtOnce(builder, loc, value, flat),
                       into);
}

/// Drops dimensions of one element, which may be anywhere in the order.
static SmallVector<unsigned> withoutOnes(DimOrder order,
                                         const CapturedTensor &tensor) {
  SmallVector<unsigned> kept(order.begin(), order.end());
  ::llvm::erase_if(kept, [&](unsigned dim) { return tensor.sizes[dim] == 1; });
  return kept;
}

Value GraphTensors::inOrder(uint32_t number, DimOrder order) {
  const CapturedTensor &tensor = graph.tensors[number];
  HeldValue from = get(number);
  if (withoutOnes(from.order, tensor) == withoutOnes(order, tensor))
    return from.value;
  Value whole = reshape(from.value, sizesIn(tensor, from.order));
  SmallVector<int64_t> permutation =
      ::llvm::map_to_vector(order, [&](unsigned dim) {
        return int64_t(::llvm::find(from.order, dim) - from.order.begin());
      });
  Value empty = tensor::EmptyOp::create(builder, loc, sizesIn(tensor, order),
                                        getElementTypeOrSelf(whole));
  return linalg::TransposeOp::create(builder, loc, whole, empty, permutation)
      ->getResult(0);
}

Value GraphTensors::rows(uint32_t number) {
  const CapturedTensor &tensor = graph.tensors[number];
  int64_t width = tensor.sizes[0];
  return as(number, {width ? countElements(tensor) / width : 0, width});
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

HeldValue GraphTensors::get(uint32_t number) {
  auto known = held.find(number);
  if (known != held.end())
    return known->second;
  if (number < graph.nodes && graph.tensors[number].isView())
    return makeView(number); // not kept, as a cache changes behind a view
  // This is a cache of attention that another node reads, too.
  addArgument(number);
  return held[number];
}

std::array<unsigned, 4> mlir::llm::destinationsOf(const CapturedTensor &view) {
  if (view.op == "TRANSPOSE")
    return {1, 0, 2, 3};
  return {
      unsigned(intParameter(view, 0)) % 4, unsigned(intParameter(view, 1)) % 4,
      unsigned(intParameter(view, 2)) % 4, unsigned(intParameter(view, 3)) % 4};
}

HeldValue GraphTensors::makeView(uint32_t number) {
  const CapturedTensor &view = graph.tensors[number];
  uint32_t source = view.sources[0];
  if (view.op == "RESHAPE")
    return {inOrder(source), naturalOrder};
  if (view.op == "VIEW")
    return {makeSlice(view), naturalOrder};
  HeldValue shown = get(source);
  std::array<unsigned, 4> destinations = destinationsOf(view);
  DimOrder order;
  for (auto [into, dim] : ::llvm::zip_equal(order, shown.order))
    into = destinations[dim];
  return {shown.value, order};
}

namespace {
/// A view as rows of equal length at equal distances, in elements.
struct RowsOfView {
  int64_t width = 1, count = 1, pitch = 0;
};
} // namespace

static std::optional<RowsOfView> findRows(const CapturedTensor &view,
                                          int64_t elementBytes) {
  RowsOfView rows;
  unsigned dim = 0;
  auto strideOf = [&](unsigned dim) {
    return int64_t(view.strideBytes[dim] / elementBytes);
  };
  for (; dim < ggmlCapture::dims; ++dim)
    if (view.sizes[dim] == 1 || strideOf(dim) == rows.width)
      rows.width *= view.sizes[dim];
    else
      break;
  for (; dim < ggmlCapture::dims; ++dim) {
    if (view.sizes[dim] == 1)
      continue;
    if (rows.pitch == 0)
      rows.pitch = strideOf(dim);
    else if (strideOf(dim) % rows.pitch != 0 ||
             strideOf(dim) / rows.pitch != rows.count)
      return std::nullopt;
    rows.count *= view.sizes[dim];
  }
  return rows;
}

/// Takes rows [height, width] of a value, from a row and a column on.
Value GraphTensors::slice(Value rows, int64_t row, int64_t column,
                          int64_t height, int64_t width) {
  if (cast<RankedTensorType>(rows.getType()).getShape() ==
      ArrayRef<int64_t>{height, width})
    return rows;
  auto numbers = [&](int64_t a, int64_t b) {
    return SmallVector<OpFoldResult>{builder.getIndexAttr(a),
                                     builder.getIndexAttr(b)};
  };
  return tensor::ExtractSliceOp::create(builder, loc, rows,
                                        numbers(row, column),
                                        numbers(height, width), numbers(1, 1));
}

/// Makes the slice of a view. A view can show anything, but most show equal
/// parts of all rows, or elements that follow each other.
Value GraphTensors::makeSlice(const CapturedTensor &view) {
  const CapturedTensor &root = graph.tensors[view.view];
  const CapturedType &type = graph.typeOf(root);
  int64_t all = countElements(root), count = countElements(view);
  std::optional<RowsOfView> rows;
  if (type.blockElements == 1)
    rows = findRows(view, type.blockBytes);
  else if (count == all)
    return inOrder(view.view);
  if (rows && rows->count * rows->width == count) {
    // The root is taken in rows of that pitch, or as one row.
    int64_t pitch = rows->pitch ? rows->pitch : all;
    int64_t offset = int64_t(view.viewOffsetBytes / type.blockBytes);
    int64_t row = offset / pitch, column = offset % pitch;
    if (all % pitch == 0 && column + rows->width <= pitch &&
        row + rows->count <= all / pitch)
      return slice(as(view.view, {all / pitch, pitch}), row, column,
                   rows->count, rows->width);
  }
  ++oddViews;
  return slice(as(view.view, {1, all}), 0, 0, 1, count);
}
