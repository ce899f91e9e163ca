//===- LinalgLowering.h - How an op says what it computes -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op reads arrays. An array is a value of the program, of plain or
// block-scaled elements. In the lowered program an array of plain elements is
// one tensor. One of block-scaled elements is a tensor of values and a tensor
// for each layer of scales. The functions here hide the difference. The body of
// a computation reads and yields numbers in the type of the calculation.
// Results are rounded when they are stored.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONVERSION_LINALGLOWERING_H
#define LLM_CONVERSION_LINALGLOWERING_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Transforms/DialectConversion.h"

#include <optional>

namespace mlir::llm {

class ScalesAttr;

/// A value of the program, and the tensors that stand for it.
struct Array {
  /// The type in the program. Elements may be block-scaled.
  RankedTensorType type;
  SmallVector<Value> tensors;

  int64_t getRank() const { return type.getRank(); }
  /// Returns the tensor of values. For a block-scaled array, that is without
  /// the scales.
  Value getValues() const { return tensors.front(); }
  /// Returns the dimension of one of the tensors that is `dim` of the array. A
  /// tensor of scales does not have it if all elements along `dim` share a
  /// scale. Fails if some of these elements share a scale, but not all.
  FailureOr<std::optional<int64_t>> findDim(unsigned tensor, int64_t dim) const;
  /// Does the same, and does not fail if some elements share a scale.
  std::optional<int64_t> findDimOfBlocks(unsigned tensor, int64_t dim) const;
};

/// An array, and a map from a point of the loops to the element that is read.
struct Read {
  Array array;
  AffineMap map;
};

class LinalgLowering {
public:
  /// `operands` are the values that stand for the operands of `op`, in order.
  LinalgLowering(OpBuilder &builder, Operation *op,
                 ArrayRef<ValueRange> operands);

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

  //===--------------------------------------------------------------------===//
  // Operands and results
  //===--------------------------------------------------------------------===//

  /// Returns the values that stand for an operand of the op.
  ValueRange getParts(Value operand) const;
  /// Returns the value that stands for an operand, if there is exactly one.
  Value get(Value operand) const;
  /// Returns the array of an operand that is a tensor.
  Array getArray(Value operand) const;

  void setResult(unsigned result, ValueRange parts);
  ArrayRef<SmallVector<Value>> getResults() const { return results; }

  //===--------------------------------------------------------------------===//
  // Numbers
  //===--------------------------------------------------------------------===//

  /// Returns the type in which the op calculates. It is f64 if an operand or a
  /// result has elements of f64, if an operand has whole numbers of less than
  /// 32 bits (other than the values of blocks), or if all results are whole
  /// numbers. Otherwise it is f32.
  Type getComputeType() const { return computeType; }
  Value number(OpBuilder &b, double value) const;
  Value index(OpBuilder &b, int64_t value) const;
  /// Converts a stored number to the type of the calculation. This is exact,
  /// except for f64 and whole numbers above 2^24 in f32.
  Value widen(OpBuilder &b, Value stored) const;
  /// Returns the number of an array at these indices, for use in a body.
  Value extract(OpBuilder &b, const Array &array, ValueRange at) const;
  /// Rounds to the nearest number of `type`, ties to even. Floats of less than
  /// 16 bits and whole numbers saturate: what is above their largest number
  /// becomes that number.
  Value narrow(OpBuilder &b, Value computed, Type type) const;

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  SmallVector<OpFoldResult> getSizes(Value tensor) const;
  Value empty(ArrayRef<OpFoldResult> sizes, Type element) const;
  /// Returns a tensor all of whose elements are one number.
  Value filled(ArrayRef<OpFoldResult> sizes, double value) const;
  Value filled(ArrayRef<OpFoldResult> sizes, TypedAttr value) const;
  /// Returns a constant tensor of rank 1.
  Value constantIndices(ArrayRef<int64_t> values) const;
  /// Splits the dimension `dim` of an array of plain elements into [outer,
  /// inner].
  Array split(const Array &array, int64_t dim, OpFoldResult inner) const;
  /// Returns the quotient of two sizes. The first must be a multiple of the
  /// second.
  OpFoldResult divide(OpFoldResult size, OpFoldResult divisor) const;
  OpFoldResult add(OpFoldResult a, OpFoldResult b) const;
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b) const;
  /// Returns the elements [offset, offset + size) along `dim`, or every
  /// `stride`-th of these.
  Array slice(const Array &array, int64_t dim, OpFoldResult offset,
              OpFoldResult size, int64_t stride = 1) const;
  /// Returns the rows [offset, offset + size) of the first dimension, with
  /// their scales. Fails if several rows share a scale.
  FailureOr<Array> sliceRows(const Array &array, OpFoldResult offset,
                             OpFoldResult size) const;
  /// Returns the elements at `index` of the first dimension, without that
  /// dimension.
  FailureOr<Array> pickRow(const Array &array, OpFoldResult index) const;
  /// Returns the tensor as an array of its own elements.
  Array asArray(Value tensor) const;
  /// Returns the array without the dimension `dim`, which has size 1.
  Array dropUnit(const Array &array, int64_t dim) const;

  //===--------------------------------------------------------------------===//
  // Computations
  //===--------------------------------------------------------------------===//

  /// Calculates a number from the numbers that were read, in the order of the
  /// reads. In `reduce`, the last argument is the sum so far.
  using Body = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  /// Returns a tensor of `sizes`. Each element is a result of `body`, rounded
  /// to `element`.
  Value compute(ArrayRef<OpFoldResult> sizes, ArrayRef<Read> reads,
                Type element, Body body) const;
  /// Returns a tensor of `sizes`. `body` gets the indices of each element.
  Value generate(ArrayRef<OpFoldResult> sizes, Type element, Body body) const;
  /// Returns the tensor `init` after a reduction. Its numbers have the type of
  /// the calculation. The body is applied to each of its elements, for all
  /// points of the loops that `outMap` does not name.
  Value reduce(Value init, AffineMap outMap, ArrayRef<Read> reads,
               Body body) const;
  /// Returns the numbers of an array, rounded to the plain type `element`.
  Array convert(const Array &array, Type element) const;
  /// Returns a tensor rounded to `element`.
  Value round(Value tensor, Type element) const;

private:
  Array copySplit(const Array &array, int64_t dim,
                  ArrayRef<OpFoldResult> sizes) const;
  Value readScalar(OpBuilder &b, const Array &array, ValueRange stored) const;
  Value makeGeneric(
      Value init, AffineMap outMap, ArrayRef<Read> reads,
      function_ref<Value(OpBuilder &, Location, ValueRange, Value)> body) const;

  OpBuilder &builder;
  Operation *op;
  Location loc;
  ArrayRef<ValueRange> operands;
  Type computeType;
  SmallVector<SmallVector<Value>> results;
};

/// A dimension of a layer of scales: which dimension `dim` of the array it is,
/// and how many neighbours along it share a scale (`block`).
struct ScaleDim {
  int64_t dim, block;
};
/// Lists these dimensions. Those that a block covers as a whole are left out.
SmallVector<ScaleDim> getScaleDims(ScalesAttr scales, int64_t rank);
/// Returns how many neighbours along `dim` share a scale. Returns nothing if
/// all of them share one.
std::optional<int64_t> findScaleBlock(ArrayRef<ScaleDim> dims, int64_t dim);
/// Returns the number of tensors that stand for an array of such elements.
unsigned countParts(Type element);
/// Returns the map to the scale of the element to which `map` leads.
AffineMap getScaleMap(ScalesAttr scales, AffineMap map);

/// Returns the types of the tensors that stand for a tensor of block-scaled
/// elements: the values, and the scales of each layer. Scales do not have the
/// dimensions that a block covers as a whole.
SmallVector<Type> getPartTypes(RankedTensorType blockScaled);

/// Converts caches and states to tensors, and a tensor of block-scaled elements
/// to several tensors. All other types stay as they are.
class LinalgTypeConverter : public TypeConverter {
public:
  LinalgTypeConverter();
};

} // namespace mlir::llm

#include "llm/Conversion/LinalgLoweringInterface.h.inc"

namespace mlir::llm {

/// Attaches the interface to the ops of the llm dialect.
void registerLinalgLowerings(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_CONVERSION_LINALGLOWERING_H
