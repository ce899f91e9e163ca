//===- Lowerings.h - Lowerings of the llm dialect's ops ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_LOWERINGS_H
#define LLM_LIB_CONVERSION_LOWERINGS_H

#include "llm/Conversion/LinalgLowering.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::llm {

/// An op of the dialect whose lowering is a function.
template <typename Op, LogicalResult (*lower)(Op, LinalgLowering &)>
struct LoweringModel
    : LinalgLoweringOpInterface::ExternalModel<LoweringModel<Op, lower>, Op> {
  LogicalResult lowerToLinalg(Operation *op, LinalgLowering &lowering) const {
    return lower(cast<Op>(op), lowering);
  }
};

template <typename Op, LogicalResult (*lower)(Op, LinalgLowering &)>
void attachLowering(MLIRContext *context) {
  Op::template attachInterface<LoweringModel<Op, lower>>(*context);
}

void attachElementwiseLowerings(MLIRContext *context);
void attachQuantizeLowerings(MLIRContext *context);
void attachProductLowerings(MLIRContext *context);
void attachAttentionLowerings(MLIRContext *context);
void attachJoinedAttentionLowerings(MLIRContext *context);
void attachRouterLowerings(MLIRContext *context);
void attachSelectionLowerings(MLIRContext *context);
void attachExpertLowerings(MLIRContext *context);
void attachRecurrentLowerings(MLIRContext *context);
void attachCompressedLowerings(MLIRContext *context);
void attachStreamLowerings(MLIRContext *context);
void attachPositionLowerings(MLIRContext *context);
void attachCacheLowerings(MLIRContext *context);
void attachCollectiveLowerings(MLIRContext *context);
void attachExpertExchangeLowerings(MLIRContext *context);
void attachModelEndLowerings(MLIRContext *context);

/// Multiplies [m, k] by [k, n], or by [n, k] if transposed, and adds a bias
/// [n]. Sums are in the type of the calculation, and are rounded once.
Value multiplyMatrices(LinalgLowering &lowering, const Array &lhs,
                       const Array &rhs, const std::optional<Array> &bias,
                       bool transposeRhs, Type element);

/// Returns the values and scales of x, of plain elements, in a block-scaled
/// type. Scales come from the largest magnitude of each block, except in layers
/// whose scales are `known`. Fails, with an error at `op`, if blocks of one
/// layer are no parts of those of the next.
FailureOr<SmallVector<Value>> quantizeBlocks(LinalgLowering &lowering,
                                             Operation *op, const Array &x,
                                             BlockScaledType to,
                                             ArrayRef<Value> known = {});

/// Short names for the arithmetic in a body.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(double value) const {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) const {
    return arith::AddFOp::create(b, loc, x, y);
  }
  /// Adds a term to a sum, whose order is free.
  Value addTerm(Value sum, Value term) const {
    return arith::AddFOp::create(b, loc, sum, term,
                                 arith::FastMathFlags::reassoc |
                                     arith::FastMathFlags::contract);
  }
  /// A product that may be rounded only with the sum to which it goes.
  Value multiplyTerm(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y, arith::FastMathFlags::contract);
  }
  Value subtract(Value x, Value y) const {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value multiply(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value divide(Value x, Value y) const {
    return arith::DivFOp::create(b, loc, x, y);
  }
  Value maximum(Value x, Value y) const {
    return arith::MaximumFOp::create(b, loc, x, y);
  }
  Value minimum(Value x, Value y) const {
    return arith::MinimumFOp::create(b, loc, x, y);
  }
  Value negate(Value x) const { return arith::NegFOp::create(b, loc, x); }
  Value exp(Value x) const { return math::ExpOp::create(b, loc, x); }
  Value log(Value x) const { return math::LogOp::create(b, loc, x); }
  Value tanh(Value x) const { return math::TanhOp::create(b, loc, x); }
  /// 1 / (1 + exp(-slope x)).
  Value sigmoid(Value x, double slope = 1) const {
    return divide(constant(1),
                  add(constant(1), exp(multiply(constant(-slope), x))));
  }
  /// cap tanh(x / cap).
  Value softCap(Value x, double cap) const {
    return multiply(constant(cap), tanh(divide(x, constant(cap))));
  }
};

/// The sums of squares along the last dimension, in the type of the
/// calculation.
Value sumSquares(LinalgLowering &lowering, const Array &x);

/// A nonlinearity of one number (activation-R1).
Value activate(ActivationKind kind, const Arithmetic &a, Value x);

/// A map of `loops` loops that shows these, in this order.
inline AffineMap mapOf(MLIRContext *context, unsigned loops,
                       ArrayRef<unsigned> shown) {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop : shown)
    exprs.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(loops, 0, exprs, context);
}

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_LOWERINGS_H
