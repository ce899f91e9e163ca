//===- OpChecks.h - What inference and verification share -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H
#define LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H

#include "llm/Dialect/Llm/IR/Llm.h"

namespace mlir::llm {

/// Reports a broken constraint of result type inference at `loc`, if there is
/// one.
template <typename... Args>
LogicalResult fail(std::optional<Location> loc, StringRef opName,
                   Args &&...args) {
  if (!loc)
    return failure();
  InFlightDiagnostic diagnostic = mlir::emitError(*loc)
                                  << "'" << opName << "' op ";
  (diagnostic << ... << std::forward<Args>(args));
  return diagnostic;
}

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks type-C2. The verifier checks it, too, but inference runs first when
/// the op is parsed, and must not ask for dimensions that do not exist.
inline LogicalResult
verifyRanks(std::optional<Location> loc, StringRef opName,
            ArrayRef<std::pair<Value, int64_t>> valuesAndRanks) {
  for (auto [value, rank] : valuesAndRanks)
    if (value && tensorType(value).getRank() != rank)
      return fail(loc, opName, "needs an operand of rank ", rank, ", got ",
                  value.getType());
  return success();
}

/// Whether sizes agree, which they do unless both are static and differ.
inline bool agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// Checks positions. There is one for all sequences, or one for each. None is
/// negative, and open ones are values.
inline LogicalResult verifyPositions(std::optional<Location> loc,
                                     StringRef opName,
                                     ArrayRef<int64_t> positions,
                                     ValueRange values, int64_t batch) {
  int64_t count = positions.size();
  if (count != 1 && (count == 0 || !agree(count, batch)))
    return fail(loc, opName, "has ", count, " positions for ", batch,
                " sequences");
  for (int64_t position : positions)
    if (position < 0 && !ShapedType::isDynamic(position))
      return fail(loc, opName, "the first position must not be negative");
  size_t open = llvm::count_if(positions, ShapedType::isDynamic);
  if (open != values.size())
    return fail(loc, opName, "has ", open, " open positions for ",
                values.size(), " values");
  return success();
}

/// Checks a mask: no sequence is longer than the keys, and no query comes
/// before the first key.
LogicalResult verifyMask(std::optional<Location> loc, StringRef opName,
                         MaskAttr mask, int64_t batch, int64_t queries,
                         int64_t keys);

/// What an op does with axes of a grid, for messages.
struct AxesUse {
  StringLiteral verb, purpose;
};

/// Checks the axes of a group, and finds out how many chips it has. A grid is
/// an attribute of the module, so an op outside of any module has none yet.
FailureOr<int64_t> verifyAxes(Operation *op, ArrayAttr axes,
                              const AxesUse &use);

/// The number of a sequence in a list with one for all, or one for each.
inline int64_t numberOf(ArrayRef<int64_t> numbers, size_t sequence) {
  return numbers[numbers.size() == 1 ? 0 : sequence];
}

/// Returns the element type of a result: the one behind `to`, or that of the
/// operand, which must not be quantized then.
inline FailureOr<Type> resultElementType(std::optional<Location> loc,
                                         StringRef opName,
                                         RankedTensorType passedOn,
                                         std::optional<Type> outType) {
  Type type = outType.value_or(passedOn.getElementType());
  // The verifier reports other types of the operand.
  if (type.isSignlessIntOrFloat() || (!outType && !isa<BlockScaledType>(type)))
    return type;
  return fail(loc, opName, "cannot have a result of ", type,
              " elements: name a float or integer type with 'to'");
}

/// Returns the columns n of a product, with rhs [.., k, n] or transposed [..,
/// n, k]. It is an error if the last dimension of lhs is not k.
inline FailureOr<int64_t> inferColumns(std::optional<Location> loc,
                                       StringRef opName, RankedTensorType lhs,
                                       RankedTensorType rhs, bool transposed) {
  ArrayRef<int64_t> matrix = rhs.getShape().take_back(2);
  int64_t k = matrix[transposed ? 1 : 0], ofLhs = lhs.getShape().back();
  if (agree(ofLhs, k))
    return matrix[transposed ? 0 : 1];
  return fail(loc, opName, "reduction sizes differ: lhs ", lhs,
              " has k = ", ofLhs, ", rhs ", rhs, " has k = ", k,
              transposed ? "" : "; is 'transpose_rhs' missing?");
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H
